//! Skinned vertices on the device: read back as the pre-pass wrote them, skinned on the host, and uploaded again.

use std::sync::Arc;

use ash::vk;
use morph_core::{BaseNormals, BuildOptions, Layout, MorphMesh, Quantization, RestPose};
use morph_render::{Deformer, DeformerDesc, HeadlessDevice, unpack};
use morph_vk::{Capacities, InstanceId, MeshDesc, Method, VertexRange};

use super::parts::{LAYOUT, Part, Parts};
use super::placing::{Shown, Stance};
use crate::device_room::{Room, geometry_bytes};
use crate::error::CliError;

/// What is drawn of an instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertices {
    pub(super) buffer: vk::Buffer,
    pub(super) range: VertexRange,
}

/// The vertices of all instances that have bones, in a buffer of their own.
#[derive(Debug)]
pub(super) struct Skinned {
    deformer: Deformer,
    /// For each instance that has bones what is drawn of it, and what was before.
    instances: Vec<Option<[InstanceId; 2]>>,
}

impl Skinned {
    /// Skins the instances that have bones; `None` where none has. With `moves`, also where their motion starts.
    pub(super) fn new(
        device: &HeadlessDevice,
        morphed: &Deformer,
        morphed_instances: &[InstanceId],
        parts: &Parts,
        moves: bool,
    ) -> Result<Option<Self>, CliError> {
        let each = || parts.shown().zip(morphed_instances);
        let with_bones = each().filter(|((_, shown), _)| shown.now.placement.bones.is_some());
        let room: Vec<Room> = with_bones
            .map(|((part, _), _)| Room {
                vertex_count: u64::from(part.rest.vertex_count()),
                delta_bytes: still_mesh(part).map_or(0, |mesh| mesh.size_bytes(Layout::VertexMajor)),
                instance_count: 1,
            })
            .flat_map(|room| [room; 2])
            .collect();
        if room.is_empty() {
            return Ok(None);
        }
        let alignment = device.limits().min_storage_buffer_offset_alignment;
        let geometry = geometry_bytes(LAYOUT, alignment, 1, &room);
        let desc = DeformerDesc {
            layout: LAYOUT,
            method: Method::Gather,
            history: false,
            capacities: Capacities::new(geometry, room.len() as u32, 1),
        };
        let what = "the skinned vertices";
        let mut skinned = Skinned {
            deformer: Deformer::new(device, &desc).map_err(CliError::deform(what))?,
            instances: Vec::new(),
        };
        for ((part, shown), &instance) in each() {
            let added = skinned.add(morphed, instance, part, shown, moves)?;
            skinned.instances.push(added);
        }
        skinned.deformer.settle().map_err(CliError::deform(what))?;
        Ok(Some(skinned))
    }

    fn add(
        &mut self,
        morphed: &Deformer,
        instance: InstanceId,
        part: &Part,
        shown: &Shown,
        moves: bool,
    ) -> Result<Option<[InstanceId; 2]>, CliError> {
        let Some(range) = morphed
            .pass()
            .vertex_range(instance)
            .filter(|_| shown.now.placement.bones.is_some())
        else {
            return Ok(None);
        };
        let now = self.add_stance(morphed, range.current_first_vertex, part, &shown.now)?;
        let before = if moves {
            self.add_stance(morphed, range.previous_first_vertex, part, &shown.start)?
        } else {
            now
        };
        Ok(Some([now, before]))
    }

    fn add_stance(
        &mut self,
        morphed: &Deformer,
        first_vertex: u32,
        part: &Part,
        stance: &Stance,
    ) -> Result<InstanceId, CliError> {
        let deform_error = || CliError::deform(part.place.clone());
        let bytes = morphed
            .vertex_bytes_at(first_vertex, part.rest.vertex_count())
            .map_err(deform_error())?;
        let streams = stance.skin(&part.place, part.skin_weights.as_ref(), unpack(LAYOUT, &bytes))?;
        let rest = RestPose::from_streams(
            LAYOUT,
            &streams.positions,
            streams.normals.as_deref(),
            None,
            BaseNormals::AsGiven,
        )
        .map_err(|source| CliError::Rest {
            place: part.place.clone(),
            source,
        })?;
        let mesh = still_mesh(part)?;
        let pass = self.deformer.pass_mut();
        let mesh = pass.add_mesh(MeshDesc::new(Arc::new(mesh), rest));
        mesh.and_then(|mesh| pass.attach(mesh))
            .map_err(|error| deform_error()(error.into()))
    }

    /// What is drawn of an instance; `None` where it has no bones.
    pub(super) fn vertices(&self, instance: usize) -> Option<Vertices> {
        let [now, before] = (*self.instances.get(instance)?)?;
        let range = |instance| self.deformer.pass().vertex_range(instance);
        Some(Vertices {
            buffer: self.deformer.buffer(),
            range: VertexRange {
                previous_first_vertex: range(before)?.current_first_vertex,
                ..range(now)?
            },
        })
    }
}

/// A mesh of as many vertices, without targets.
fn still_mesh(part: &Part) -> Result<MorphMesh, CliError> {
    let options = BuildOptions::new(Quantization::F32);
    let built = MorphMesh::build(part.rest.vertex_count(), &[], &options);
    built.map(|(mesh, _)| mesh).map_err(|source| CliError::Build {
        place: part.place.clone(),
        source,
    })
}
