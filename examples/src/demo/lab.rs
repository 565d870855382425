//! The pre-pass at work: instances with faces, timed, and compared with the host kernel bit by bit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use morph_core::plan::Kernel;
use morph_core::{Layout, MorphMesh, MorphedStreams, RestPose, RestStreams, max_ulp_difference, morph_into};
use morph_render::{Deformer, DeformerDesc, HeadlessDevice};
use morph_vk::{Capacities, FrameStats, InstanceId, Method, VertexRange};

use super::timer::Timer;

/// What one frame of the pre-pass did.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The kernels that ran, such as `gather X8Y16`.
    pub kernel: String,
    /// What the frame did.
    pub stats: FrameStats,
    /// How long the device took, where it can tell.
    pub device_time: Option<Duration>,
    /// From recording to the end of the wait, on the host.
    pub host_time: Duration,
    /// Instances that were compared with the host: all of them, whether this frame wrote them or not.
    pub instance_count: u32,
    /// The largest difference from the host kernel over all instances, in units in the last place: 0 is equal bits.
    pub difference: u32,
}

/// A mesh on the device with some instances.
#[derive(Debug)]
pub struct Lab {
    device: HeadlessDevice,
    deformer: Deformer,
    timer: Timer,
    mesh: Arc<MorphMesh>,
    rest: RestStreams,
    expected: MorphedStreams,
    instances: Vec<(InstanceId, Vec<f32>)>,
}

impl Lab {
    /// Sends a mesh to the device and attaches instances at rest.
    pub fn new(
        device: &HeadlessDevice,
        mesh: &Arc<MorphMesh>,
        rest: &RestPose,
        method: Method,
        instance_count: u32,
    ) -> anyhow::Result<Self> {
        let range_bytes = u64::from(mesh.vertex_count() + 64) * u64::from(rest.layout().vertex_bytes());
        let delta_bytes = mesh
            .size_bytes(Layout::Scatter)
            .max(mesh.size_bytes(Layout::VertexMajor));
        // The rest pose, the deltas, and two ranges an instance: now and one frame ago.
        let geometry_bytes = range_bytes * (1 + 2 * u64::from(instance_count)) + delta_bytes + (1 << 20);
        let desc = DeformerDesc {
            layout: rest.layout(),
            method,
            history: true,
            capacities: Capacities::new(geometry_bytes, instance_count, mesh.target_count() as u32),
        };
        let mut deformer = Deformer::new(device, &desc)?;
        let start: Vec<&[f32]> = vec![&[]; instance_count as usize];
        let (_, instances) = deformer.deform(Arc::clone(mesh), rest.clone(), &start)?;
        Ok(Self {
            device: device.clone(),
            timer: Timer::new(device)?,
            mesh: Arc::clone(mesh),
            rest: rest.streams(),
            expected: MorphedStreams::default(),
            instances: instances
                .into_iter()
                .map(|instance| (instance, Vec::new()))
                .collect(),
            deformer,
        })
    }

    /// Gives each instance its weights, from the first on, and runs one frame.
    pub fn run<'a>(&mut self, faces: impl IntoIterator<Item = &'a [f32]>) -> anyhow::Result<Run> {
        for ((instance, current), weights) in self.instances.iter_mut().zip(faces) {
            self.deformer.pass_mut().set_weights(*instance, weights)?;
            weights.clone_into(current);
        }
        let started = Instant::now();
        let (deformer, timer) = (&mut self.deformer, &self.timer);
        let stats = self.device.submit_once("demo pre-pass", |commands| {
            timer.around(commands, || {
                // SAFETY: the command buffer is recording on the one queue, and every earlier frame was waited for, so
                // the slot is free.
                unsafe { deformer.pass_mut().record(commands, 0) }
            })
        })?;
        let host_time = started.elapsed();
        ensure!(
            stats.degraded_instances == 0 && stats.waiting_instances == 0 && stats.refused_instances == 0,
            "the frame is not whole: {stats:?}"
        );
        let difference = self.difference()?;
        Ok(Run {
            kernel: self.kernel_names(),
            stats,
            device_time: self.timer.read()?,
            host_time,
            instance_count: self.instances.len() as u32,
            difference,
        })
    }

    /// The largest difference of any instance from the host kernel, read back from the device just now.
    fn difference(&mut self) -> anyhow::Result<u32> {
        let mut largest = 0;
        let ids: Vec<InstanceId> = self.instances.iter().map(|(id, _)| *id).collect();
        let found = self.deformer.morphed(&ids)?;
        for ((_, weights), found) in self.instances.iter().zip(&found) {
            morph_into(&self.mesh, &self.rest, weights, &mut self.expected)?;
            largest = largest.max(max_ulp_difference(&found.positions, &self.expected.positions));
            let normals = |streams: &'_ MorphedStreams| streams.normals.clone().unwrap_or_default();
            largest = largest.max(max_ulp_difference(&normals(found), &normals(&self.expected)));
        }
        Ok(largest)
    }

    fn kernel_names(&self) -> String {
        let ran = |kernel: &Kernel| {
            self.deformer
                .pass()
                .plan()
                .dispatches()
                .any(|step| step.kernel == *kernel)
        };
        let names: Vec<&str> = Kernel::ALL
            .iter()
            .filter(|kernel| ran(kernel))
            .map(|kernel| kernel.name())
            .collect();
        if names.is_empty() {
            "copy".to_owned()
        } else {
            names.join(", ")
        }
    }

    /// Where an instance lies; `None` past the last one.
    pub fn range(&self, instance: usize) -> Option<VertexRange> {
        self.deformer.pass().vertex_range(self.instances.get(instance)?.0)
    }

    /// The buffer that all ranges lie in.
    pub fn vertices(&self) -> ash::vk::Buffer {
        self.deformer.buffer()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use morph_core::{BaseNormals, BuildOptions, MorphTarget, Quantization, VertexLayout};
    use morph_render::HeadlessDesc;

    use super::*;

    /// A comparison that cannot fail proves nothing.
    #[test]
    fn other_weights_on_the_host_are_seen_as_a_difference() {
        // Without a driver this fails with the line that installs one.
        let device = HeadlessDevice::new(&HeadlessDesc::default()).unwrap_or_else(|error| panic!("{error}"));
        let positions: Vec<[f32; 3]> = (0..40_u8).map(|index| [f32::from(index), 1.0, 0.0]).collect();
        let deltas = vec![[0.0, 0.5, 0.25]; positions.len()];
        let target = MorphTarget::from_dense("lift", Some(&deltas), None, None);
        let options = BuildOptions::new(Quantization::Half);
        let (mesh, _) = MorphMesh::build(positions.len() as u32, &[target], &options).unwrap();
        let layout = VertexLayout::POSITION_NORMAL;
        let rest = RestPose::from_streams(layout, &positions, None, None, BaseNormals::MakeUnit).unwrap();
        let mut lab = Lab::new(&device, &Arc::new(mesh), &rest, Method::Gather, 5).unwrap();
        let faces: Vec<Vec<f32>> = (0..5_u8)
            .map(|index| vec![f32::from(index) * 0.3 + 0.1])
            .collect();
        let run = lab.run(faces.iter().map(Vec::as_slice)).unwrap();
        assert_eq!(
            (run.kernel.as_str(), run.difference, run.instance_count),
            ("gather X8Y16", 0, 5)
        );

        lab.instances[3].1[0] = lab.instances[3].1[0].next_up();
        assert!(lab.difference().unwrap() > 0);
    }
}
