//! The device back ends: the same primitive and weights in every instance, each compared with the host bit by bit.

use std::sync::Arc;

use morph_core::{
    BaseNormals, Layout, MorphedStreams, RestPose, Stream, VertexLayout, max_ulp_difference, ulp_difference,
};
use morph_render::{Deformer, DeformerDesc, HeadlessDesc, HeadlessDevice};
use morph_vk::{Capacities, MeshState, Method};

use super::subject::Subject;
use crate::args::EvalArgs;
use crate::console::Console;
use crate::device_room::{Room, geometry_bytes, most_instances};
use crate::error::CliError;

/// What a run on a device showed.
#[derive(Debug)]
pub(super) struct DeviceRun {
    /// The name of the device.
    pub(super) device: String,
    /// Device and driver, for people.
    pub(super) driver: String,
    pub(super) max_ulp_vs_host: u32,
    /// The first vertex that is not what the host says.
    pub(super) first_difference: Option<CliError>,
    /// Bytes of deltas on the device.
    pub(super) delta_bytes: u64,
    /// How many instances were morphed and compared.
    pub(super) instance_count: usize,
}

/// Morphs on a device; gives the result of the first instance.
pub(super) fn run(
    subject: &Subject<'_>,
    method: Method,
    args: &EvalArgs,
    host: &MorphedStreams,
    console: &Console<'_>,
) -> Result<(MorphedStreams, Option<DeviceRun>), CliError> {
    let desc = HeadlessDesc {
        driver: args.driver.clone(),
        ..HeadlessDesc::default()
    };
    let device = console.step("opening the device", || HeadlessDevice::new(&desc))?;
    let info = device.driver_info();
    tracing::info!(driver = %info, "device opened");
    let (name, driver) = (device.device_name().to_owned(), info.to_string());

    let layout = VertexLayout::tight(subject.rest.streams());
    let tangents = subject.primitive.tangents.as_deref();
    let rest = RestPose::from_streams(
        layout,
        &subject.primitive.positions,
        subject.primitive.normals.as_deref(),
        tangents,
        BaseNormals::AsGiven,
    )
    .map_err(|source| CliError::Rest {
        place: subject.place.clone(),
        source,
    })?;

    let deltas = match method {
        Method::Gather => subject.mesh.size_bytes(Layout::VertexMajor),
        Method::Scatter => subject.mesh.size_bytes(Layout::Scatter),
    };
    let target_count = subject.mesh.target_count();
    let most = most_instances(&device, target_count);
    if u64::from(args.instances) > most {
        return Err(CliError::TooManyInstances {
            given: args.instances,
            device: name,
            most,
        });
    }
    let alignment = device.limits().min_storage_buffer_offset_alignment;
    let room = Room {
        vertex_count: subject.rest.positions.len() as u64,
        delta_bytes: deltas,
        instance_count: u64::from(args.instances),
    };
    let geometry = geometry_bytes(layout, alignment, 1, &[room]);
    let capacities = Capacities::new(geometry, args.instances, target_count as u32);
    let what = || format!("{} on {name} with --instances {}", subject.place, args.instances);
    let desc = DeformerDesc {
        layout,
        method,
        history: false,
        capacities,
    };
    let mut deformer = Deformer::new(&device, &desc).map_err(CliError::deform(what()))?;
    let weights = vec![subject.weights.as_slice(); args.instances as usize];
    let (mesh, instances) = console
        .step("morphing on the device", || {
            deformer.deform(Arc::clone(&subject.mesh), rest, &weights)
        })
        .map_err(CliError::deform(what()))?;
    let state = deformer
        .pass()
        .mesh_state(mesh)
        .map_err(|error| CliError::deform(what())(error.into()))?;
    if let MeshState::Refused {
        limit,
        asked_bytes,
        budget_bytes,
    } = state
    {
        let place = subject.place.clone();
        return Err(CliError::Refused {
            limit,
            place,
            device: name,
            asked_bytes,
            budget_bytes,
        });
    }

    let mut run = DeviceRun {
        device: name.clone(),
        driver,
        max_ulp_vs_host: 0,
        first_difference: None,
        delta_bytes: deformer.pass().stats().delta_bytes,
        instance_count: instances.len(),
    };
    let morphed = console.step("reading back", || deformer.morphed(&instances));
    let morphed = morphed.map_err(CliError::deform(what()))?;
    console.step("comparing", || {
        for (number, morphed) in morphed.iter().enumerate() {
            run.max_ulp_vs_host = run.max_ulp_vs_host.max(max_ulp(morphed, host));
            if run.first_difference.is_none() {
                run.first_difference = first_difference(&name, number, morphed, host);
            }
        }
    });
    Ok((morphed.into_iter().next().unwrap_or_default(), Some(run)))
}

/// A stream of ours beside the same one of the host.
type Pair<'a> = (Stream, &'a [[f32; 3]], &'a [[f32; 3]]);

/// Each stream of two results beside each other; empty where there is none.
fn streams<'a>(ours: &'a MorphedStreams, host: &'a MorphedStreams) -> [Pair<'a>; 3] {
    let or_none = |stream: &'a Option<Vec<[f32; 3]>>| stream.as_deref().unwrap_or_default();
    [
        (Stream::Position, &ours.positions, &host.positions),
        (Stream::Normal, or_none(&ours.normals), or_none(&host.normals)),
        (Stream::Tangent, or_none(&ours.tangents), or_none(&host.tangents)),
    ]
}

fn max_ulp(ours: &MorphedStreams, host: &MorphedStreams) -> u32 {
    let differences = streams(ours, host).map(|(_, ours, host)| max_ulp_difference(ours, host));
    differences.into_iter().max().unwrap_or(0)
}

fn first_difference(
    device: &str,
    instance: usize,
    ours: &MorphedStreams,
    host: &MorphedStreams,
) -> Option<CliError> {
    streams(ours, host).into_iter().find_map(|(stream, ours, host)| {
        let differs = |(ours, host): (&[f32; 3], &[f32; 3])| {
            ours.iter()
                .zip(host)
                .map(|(&ours, &host)| ulp_difference(ours, host))
                .max()
                .filter(|&ulp| ulp > 0)
        };
        let missing = || (ours.len() != host.len()).then_some((ours.len().min(host.len()), u32::MAX));
        let mut pairs = ours.iter().zip(host).enumerate();
        let found = pairs.find_map(|(vertex, pair)| differs(pair).map(|ulp| (vertex, ulp)));
        let (vertex, ulp) = found.or_else(missing)?;
        Some(CliError::Differs {
            device: device.to_owned(),
            instance,
            stream,
            vertex,
            ulp,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let host = MorphedStreams {
            positions: vec![[1.0; 3], [2.0; 3]],
            normals: Some(vec![[0.0, 1.0, 0.0]; 2]),
            tangents: None,
        };
        let mut ours = host.clone();
        assert!(first_difference("d", 0, &ours, &host).is_none());
        assert_eq!(max_ulp(&ours, &host), 0);
        if let Some(normals) = &mut ours.normals {
            normals[1][2] = -0.0;
        }
        let error = first_difference("d", 3, &ours, &host)
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(
            error.starts_with("d differs from the host: normal of vertex 1 in instance 3 is 1 floats away"),
            "{error}"
        );
        ours.positions.pop();
        assert_eq!(max_ulp(&ours, &host), u32::MAX);
        assert!(first_difference("d", 0, &ours, &host).is_some());
    }
}
