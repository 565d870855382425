//! Morph targets as they are authored, before anything is checked, dropped or quantized.

use crate::streams::{Stream, Streams};

/// One authored morph target: the vertices that it moves, and by how much at weight 1.
///
/// The streams run parallel to [`vertices`](Self::vertices).
/// Nothing is checked here; [`MorphMesh::build`](crate::MorphMesh::build) refuses what is not right.
#[doc(alias = "blend shape")]
#[doc(alias = "shape key")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// The name, unique within a mesh.
    pub name: String,
    /// The moved vertices: distinct indices into the base mesh, in any order.
    pub vertices: Vec<u32>,
    /// Position deltas in model units, where the target has them.
    pub positions: Option<Vec<[f32; 3]>>,
    /// Normal deltas against a unit normal, where the target has them.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangent deltas (xyz) against a unit tangent, where the target has them.
    pub tangents: Option<Vec<[f32; 3]>>,
    /// Deltas of texture coordinates, one for each set that the target changes.
    pub texcoords: Vec<SetDeltas<2>>,
    /// Deltas of vertex colors, one for each set that the target changes. Morphed colors are clamped to 0..=1.
    pub colors: Vec<SetDeltas<4>>,
}

/// The deltas of one set of texture coordinates or colors, with vertices of their own.
///
/// They are kept as 32-bit floats whatever the quantization, because few models have them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetDeltas<const N: usize> {
    /// Which set: 0 for TEXCOORD_0 or COLOR_0.
    pub set: u32,
    /// The changed vertices: distinct indices into the base mesh, in any order.
    pub vertices: Vec<u32>,
    /// A delta for each vertex of the list.
    pub deltas: Vec<[f32; N]>,
}

impl MorphTarget {
    /// A target that has a name and moves nothing.
    pub fn empty(name: impl Into<String>) -> Self {
        MorphTarget {
            name: name.into(),
            ..MorphTarget::default()
        }
    }

    /// Makes a sparse target from one delta per vertex of the base mesh.
    ///
    /// A vertex is kept where any component of any stream is not zero; NaN counts as not zero, so that the
    /// build can refuse it by name.
    /// The streams should have one length; vertices past the end of a shorter stream are kept without a
    /// value, which the build refuses as [`BuildError::StreamLength`](crate::BuildError::StreamLength).
    pub fn from_dense(
        name: impl Into<String>,
        positions: Option<&[[f32; 3]]>,
        normals: Option<&[[f32; 3]]>,
        tangents: Option<&[[f32; 3]]>,
    ) -> Self {
        let dense = [positions, normals, tangents];
        let mut sparse = dense.map(|stream| stream.map(|_| Vec::new()));
        let mut vertices = Vec::new();
        let longest = dense
            .iter()
            .flatten()
            .map(|stream| stream.len())
            .max()
            .unwrap_or(0);
        for v in 0..longest {
            let moves =
                |stream: &&[[f32; 3]]| stream.get(v).is_none_or(|delta| delta.iter().any(|&x| x != 0.0));
            if !dense.iter().flatten().any(moves) {
                continue;
            }
            vertices.push(u32::try_from(v).unwrap_or(u32::MAX));
            for (from, to) in dense.iter().zip(&mut sparse) {
                if let (Some(&delta), Some(to)) = (from.and_then(|stream| stream.get(v)), to) {
                    to.push(delta);
                }
            }
        }
        let [positions, normals, tangents] = sparse;
        MorphTarget {
            name: name.into(),
            vertices,
            positions,
            normals,
            tangents,
            ..MorphTarget::default()
        }
    }

    /// Which streams the target has.
    pub fn streams(&self) -> Streams {
        Streams {
            positions: self.positions.is_some(),
            normals: self.normals.is_some(),
            tangents: self.tangents.is_some(),
        }
    }

    pub(crate) fn stream(&self, stream: Stream) -> Option<&[[f32; 3]]> {
        match stream {
            Stream::Position => self.positions.as_deref(),
            Stream::Normal => self.normals.as_deref(),
            Stream::Tangent => self.tangents.as_deref(),
        }
    }
}
