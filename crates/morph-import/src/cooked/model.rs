//! A cooked file as a model, for programs that take any format.

use morph_core::cooked::CookedPrimitive;
use morph_core::{MorphMesh, MorphTarget, SetDeltas, SetView, Stream};

use super::open::{CookedMesh, CookedModel};
use crate::model::{Mesh, Model, Primitive};

impl CookedModel {
    /// The model, copied out of the file.
    ///
    /// Targets are what the file stores: deltas as they decode, without those that the build dropped. Morphed with
    /// them in `f32` the model gives the bits that the stored mesh gives. Rest poses have the domain rule applied.
    /// There are no warnings: they were about the file that was cooked.
    pub fn to_model(&self) -> Model {
        let meshes = (0..self.mesh_count()).filter_map(|index| {
            let mesh = self.mesh(index)?;
            let primitives = mesh.primitives().iter().enumerate();
            Some(Mesh {
                name: mesh.name().map(str::to_owned),
                primitives: primitives
                    .filter_map(|(number, cooked)| primitive(&mesh, number, cooked))
                    .collect(),
                rig: mesh.rig().cloned(),
                default_weights: mesh.default_weights().to_vec(),
                target_names: mesh.primitives().first().map_or_else(Vec::new, |first| {
                    first.mesh().names().iter().map(str::to_owned).collect()
                }),
            })
        });
        Model {
            format: self.format(),
            meshes: meshes.collect(),
            nodes: self.nodes().to_vec(),
            skins: self.skins().to_vec(),
            clips: self.clips().to_vec(),
            expressions: self.expressions().to_vec(),
            warnings: Vec::new(),
        }
    }
}

fn primitive(mesh: &CookedMesh<'_>, number: usize, cooked: &CookedPrimitive<'_>) -> Option<Primitive> {
    let rest = cooked.rest_streams();
    let tangents = rest.tangents.zip(cooked.tangent_signs());
    Some(Primitive {
        name: mesh.primitive_name(number).map(str::to_owned),
        positions: rest.positions,
        source_points: mesh.source_points(number).map(<[u32]>::to_vec),
        normals: rest.normals,
        tangents: tangents.map(|(tangents, signs)| {
            let signed = tangents.into_iter().zip(signs);
            signed.map(|([x, y, z], sign)| [x, y, z, sign]).collect()
        }),
        texcoords: cooked.texcoords().iter().map(|set| set.to_vec()).collect(),
        colors: cooked.colors().iter().map(|set| set.to_vec()).collect(),
        skin_weights: cooked.skin_weights().cloned(),
        indices: cooked.indices().to_vec(),
        topology: mesh.topology(number)?,
        targets: targets(cooked.mesh()),
        material: mesh.material(number)?.clone(),
    })
}

fn targets(mesh: &MorphMesh) -> Vec<MorphTarget> {
    mesh.targets()
        .map(|target| {
            let stream = |stream: Stream| {
                let entries = 0..target.entry_count() as usize;
                let is_there = target.streams().contains(stream);
                is_there.then(|| entries.map(|entry| target.delta(stream, entry)).collect())
            };
            MorphTarget {
                vertices: target.vertices().to_vec(),
                positions: stream(Stream::Position),
                normals: stream(Stream::Normal),
                tangents: stream(Stream::Tangent),
                texcoords: target.texcoords().map(set_deltas).collect(),
                colors: target.colors().map(set_deltas).collect(),
                name: target.name().to_owned(),
            }
        })
        .collect()
}

fn set_deltas<const N: usize>(view: SetView<'_, N>) -> SetDeltas<N> {
    SetDeltas {
        set: view.set,
        vertices: view.vertices.to_vec(),
        deltas: view.deltas.to_vec(),
    }
}
