//! What the vertices of an instance should be, byte for byte, by the host kernels.

use morph_core::skin::{SkinPose, skin};
use morph_core::{
    MorphMesh, RestPose, Stream, VertexAttribute, VertexFormat, VertexSet, encode_octahedral16,
    encode_snorm10, morph, morph_colors, morph_texcoords,
};

use morph_vk::MeshSkin;

use crate::rig::RigError;

/// The bytes that an instance should have, stream after stream: the engine's own where no attribute lies, the host
/// kernel's where one does.
///
/// # Errors
/// The host kernel refused.
pub fn expected_bytes(mesh: &MorphMesh, rest: &RestPose, weights: &[f32]) -> Result<Vec<u8>, RigError> {
    expected_posed_bytes(mesh, rest, weights, None)
}

/// The same of an instance that follows a skeleton in this pose.
///
/// # Errors
/// A host kernel refused.
pub fn expected_posed_bytes(
    mesh: &MorphMesh,
    rest: &RestPose,
    weights: &[f32],
    posed: Option<(&MeshSkin, &SkinPose)>,
) -> Result<Vec<u8>, RigError> {
    let mut morphed = morph(mesh, &rest.streams(), weights).map_err(RigError::scene)?;
    if let Some((held, pose)) = posed {
        morphed = skin(&morphed, &held.weights, pose, held.directions).map_err(RigError::scene)?;
    }
    let layout = rest.layout();
    let vertex_count = rest.vertex_count() as usize;
    let mut bytes = rest.vertices().to_vec();
    for (attribute, place) in layout.attributes() {
        let directions = match attribute {
            VertexAttribute::Stream(Stream::Position) => Some(&morphed.positions),
            VertexAttribute::Stream(Stream::Normal) => morphed.normals.as_ref(),
            VertexAttribute::Stream(Stream::Tangent) => morphed.tangents.as_ref(),
            VertexAttribute::Set(_) => None,
        };
        let words: Vec<Vec<u32>> = match (attribute, directions) {
            (VertexAttribute::Set(VertexSet::Texcoord(_)), _) => match rest.texcoords() {
                Some(set) => words_of(&morph_texcoords(mesh, &set, weights).map_err(RigError::scene)?),
                None => Vec::new(),
            },
            (VertexAttribute::Set(VertexSet::Color(_)), _) => match rest.colors() {
                Some(set) => words_of(&morph_colors(mesh, &set, weights).map_err(RigError::scene)?),
                None => Vec::new(),
            },
            (_, None) => Vec::new(),
            (_, Some(values)) => match place.format {
                VertexFormat::Float32 => words_of(values),
                VertexFormat::Octahedral16 => {
                    values.iter().map(|it| vec![encode_octahedral16(*it)]).collect()
                }
                VertexFormat::Snorm10 => {
                    // The handedness of what is at rest stays: zero for normals.
                    let is_tangent = attribute == VertexAttribute::Stream(Stream::Tangent);
                    let rest_words = words_at(rest, place.stream as usize, place.offset as usize);
                    let with_w = |(value, rest_word): (&[f32; 3], u32)| {
                        let w = if rest_word >> 30 == 0b11 { -1.0 } else { 1.0 };
                        vec![encode_snorm10(*value, is_tangent.then_some(w))]
                    };
                    values.iter().zip(rest_words).map(with_w).collect()
                }
            },
        };
        let stride = layout.strides_bytes[place.stream as usize] as usize;
        let first = layout.bytes_before(place.stream as usize) as usize * vertex_count;
        for (vertex, words) in words.iter().enumerate() {
            for (component, word) in words.iter().enumerate() {
                let at = first + vertex * stride + place.offset as usize + component * 4;
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    Ok(bytes)
}

fn words_of<const N: usize>(values: &[[f32; N]]) -> Vec<Vec<u32>> {
    values
        .iter()
        .map(|value| value.map(f32::to_bits).to_vec())
        .collect()
}

/// A word of every vertex of a stream of a rest pose.
fn words_at(rest: &RestPose, stream: usize, offset: usize) -> Vec<u32> {
    let stride = rest.layout().strides_bytes[stream] as usize;
    rest.stream_vertices(stream)
        .chunks_exact(stride)
        .map(|vertex| u32::from_le_bytes(std::array::from_fn(|byte| vertex[offset + byte])))
        .collect()
}
