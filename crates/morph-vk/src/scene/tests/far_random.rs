//! Random lives of far instances: what is left out can never be seen, and boxes hold what is drawn, whatever happens.

use morph_core::VertexLayout;
use morph_core::skin::{BoneRows, SkinPose};
use morph_core::{Aabb, morph, skin};
use proptest::prelude::*;

use super::recipes::{Cooked, MeshRecipe, bones, cook, mesh_recipe};
use super::{Simulator, assert_shows_posed, constants};
use crate::desc::Method;
use crate::mesh_desc::MeshDesc;
use crate::scene::{InstanceId, MeshId, MeshState, SkeletonId};
use crate::shader_interface::InstanceBounds;

/// Bones of the one skeleton.
const BONE_COUNT: u32 = 3;

/// What happens; instances by number.
#[derive(Debug, Clone)]
enum Operation {
    Weights(usize, Vec<f32>),
    /// Every weight changes by a little.
    Nudge(usize, f32),
    /// The pose goes so far toward that of a seed.
    Bend(u32, f32),
    Pixels(usize, f32),
    Threshold(f32),
    Show(usize, bool),
    Enable(usize, bool),
    Teleport(usize),
    Replace(usize),
    Reupload,
    Frame {
        pipelines_ready: bool,
        discard: bool,
    },
}

fn operation() -> impl Strategy<Value = Operation> {
    let index = || 0..3_usize;
    let weight = prop_oneof![Just(0.0_f32), Just(1.0), -3.0_f32..3.0];
    let pixels = prop_oneof![Just(f32::INFINITY), Just(0.0_f32), 0.0..4.0_f32, 0.0..200.0_f32];
    let toward = prop_oneof![Just(1.0_f32), 0.0..0.02_f32, 0.0..0.02_f32];
    prop_oneof![
        2 => (index(), prop::collection::vec(weight, 0..6)).prop_map(|(i, w)| Operation::Weights(i, w)),
        6 => (index(), -0.2_f32..0.2).prop_map(|(i, by)| Operation::Nudge(i, by)),
        4 => (0..20_u32, toward).prop_map(|(seed, toward)| Operation::Bend(seed, toward)),
        2 => (index(), pixels.clone()).prop_map(|(i, pixels)| Operation::Pixels(i, pixels)),
        1 => pixels.prop_map(Operation::Threshold),
        1 => (index(), any::<bool>()).prop_map(|(i, on)| Operation::Show(i, on)),
        1 => (index(), any::<bool>()).prop_map(|(i, on)| Operation::Enable(i, on)),
        1 => index().prop_map(Operation::Teleport),
        1 => index().prop_map(Operation::Replace),
        1 => Just(Operation::Reupload),
        10 => (prop::bool::weighted(0.9), prop::bool::weighted(0.15))
            .prop_map(|(pipelines_ready, discard)| Operation::Frame { pipelines_ready, discard }),
    ]
}

#[derive(Debug, Clone)]
struct Known {
    id: InstanceId,
    skeleton: Option<SkeletonId>,
    weights: Vec<f32>,
    enabled: bool,
    visible: bool,
    pixels: f32,
    teleported: bool,
    shown: Option<Vec<[f32; 3]>>,
}

/// A scene of one mesh with three instances, two of which follow a skeleton where the mesh has a skin.
struct Life {
    simulator: Simulator,
    cooked: Cooked,
    mesh: MeshId,
    rows: Vec<BoneRows>,
    faces: Vec<Known>,
    threshold: f32,
    left_out_count: u32,
}

impl Life {
    fn new(recipe: &MeshRecipe, method: Method, history: bool) -> Life {
        let mut cooked = cook(recipe, VertexLayout::PACKED);
        if method == Method::Scatter {
            cooked.skin = None;
        }
        let mut constants = constants(method, history);
        constants.bounds_buffer = true;
        let mut simulator = Simulator::new(constants);
        simulator.scene.set_skip_below_pixels(1.0).unwrap();
        let mut desc = MeshDesc::new(cooked.mesh.clone(), cooked.rest.clone());
        desc.skin.clone_from(&cooked.skin);
        let mesh = simulator.scene.add_mesh(desc).unwrap();
        let skeleton = cooked
            .skin
            .is_some()
            .then(|| simulator.scene.add_skeleton(BONE_COUNT).unwrap());
        let mut life = Life {
            simulator,
            cooked,
            mesh,
            rows: bones(BONE_COUNT, 0),
            faces: Vec::new(),
            threshold: 1.0,
            left_out_count: 0,
        };
        for skeleton in [skeleton, None, skeleton] {
            let face = life.attach(skeleton);
            life.faces.push(face);
        }
        life
    }

    fn attach(&mut self, skeleton: Option<SkeletonId>) -> Known {
        Known {
            id: self.simulator.scene.attach(self.mesh, skeleton).unwrap(),
            skeleton,
            weights: vec![0.0; self.cooked.mesh.target_count()],
            enabled: true,
            visible: true,
            pixels: f32::INFINITY,
            teleported: false,
            shown: None,
        }
    }

    fn apply(&mut self, operation: Operation) {
        let scene = &mut self.simulator.scene;
        match operation {
            Operation::Weights(at, weights) => {
                let face = &mut self.faces[at];
                face.weights = weights;
                face.weights.resize(self.cooked.mesh.target_count(), 0.0);
                self.simulator.set_weights(face.id, &face.weights);
            }
            Operation::Nudge(at, by) => {
                let face = &mut self.faces[at];
                face.weights.iter_mut().for_each(|weight| *weight += by);
                self.simulator.set_weights(face.id, &face.weights);
            }
            Operation::Bend(seed, toward) => {
                let there = bones(BONE_COUNT, seed);
                let pairs = self.rows.as_flattened_mut().as_flattened_mut().iter_mut();
                for (held, there) in pairs.zip(there.as_flattened().as_flattened()) {
                    *held += (there - *held) * toward;
                }
                if let Some(skeleton) = self.faces[0].skeleton {
                    scene.set_pose(skeleton, &self.rows).unwrap();
                }
            }
            Operation::Pixels(at, pixels) => {
                let face = &mut self.faces[at];
                face.pixels = pixels;
                scene.set_pixels_per_unit(face.id, pixels).unwrap();
            }
            Operation::Threshold(pixels) => {
                self.threshold = pixels;
                scene.set_skip_below_pixels(pixels).unwrap();
            }
            Operation::Show(at, visible) => {
                let face = &mut self.faces[at];
                face.visible = visible;
                scene.set_visible(face.id, visible).unwrap();
            }
            Operation::Enable(at, enabled) => {
                let face = &mut self.faces[at];
                face.enabled = enabled;
                scene.set_morphs_enabled(face.id, enabled).unwrap();
            }
            Operation::Teleport(at) => {
                let face = &mut self.faces[at];
                face.teleported = true;
                scene.teleport(face.id).unwrap();
            }
            Operation::Replace(at) => {
                let Known { id, skeleton, .. } = self.faces[at];
                let index = scene.bounds_index(id).unwrap();
                scene.detach(id).unwrap();
                self.faces[at] = self.attach(skeleton);
                let taken = self.simulator.scene.bounds_index(self.faces[at].id);
                assert_eq!(taken, Some(index), "the lowest that is free");
            }
            Operation::Reupload => {
                scene.reupload(self.mesh).unwrap();
            }
            Operation::Frame {
                pipelines_ready,
                discard: true,
            } => {
                self.simulator.plan(pipelines_ready);
                let slot = self.simulator.last_slot();
                self.simulator.scene.discard_frame(slot);
                assert_eq!(self.simulator.scene.changed_instances().count(), 0);
            }
            Operation::Frame { pipelines_ready, .. } => self.frame(pipelines_ready),
        }
    }

    fn frame(&mut self, pipelines_ready: bool) {
        let scene = &self.simulator.scene;
        let is_resident = scene.mesh_state(self.mesh).unwrap() == MeshState::Resident;
        let before: Vec<(u64, Aabb)> = self
            .faces
            .iter()
            .map(|face| {
                (
                    scene.shape_version(face.id).unwrap(),
                    scene.bounds(face.id).unwrap(),
                )
            })
            .collect();
        let stats = self.simulator.advance(pipelines_ready);
        let scene = &self.simulator.scene;
        assert_eq!(
            scene.changed_instances().count(),
            stats.written_instances as usize
        );
        assert_eq!(
            stats.instance_count,
            stats.written_instances + stats.skipped.total(),
            "{stats:?}"
        );
        self.left_out_count += stats.skipped.far;
        for (at, before) in before.into_iter().enumerate() {
            self.check(at, before, is_resident && pipelines_ready);
        }
    }

    fn check(&mut self, at: usize, (version, asked_box): (u64, Aabb), is_exact: bool) {
        let face = &self.faces[at];
        let scene = &self.simulator.scene;
        let range = scene.vertex_range(face.id).unwrap();
        let was_written = scene.shape_version(face.id).unwrap() != version;
        let is_told = scene
            .changed_instances()
            .any(|it| it.instance == face.id && it.range == range);
        assert_eq!(was_written, is_told);
        let index = scene.bounds_index(face.id).unwrap();
        assert!(index < scene.bounds_entry_count());
        let entry: InstanceBounds =
            bytemuck::pod_read_unaligned(&self.simulator.bounds[index as usize * 32..][..32]);
        if !range.written {
            assert!(entry.aabb().is_empty());
            return;
        }
        let shown = self.simulator.morphed(face.id).positions;
        let aabb = scene.bounds(face.id).unwrap();
        for point in &shown {
            // Nobody can know before a frame that the rest pose will have to stand in.
            let asked_box = if is_exact { asked_box } else { aabb };
            let boxes = [aabb, asked_box, entry.aabb()];
            assert!(
                boxes.iter().all(|it| it.contains(*point)),
                "{point:?} is not in {boxes:?}"
            );
        }
        if face.visible && is_exact {
            self.check_shown(face, &shown, was_written);
        }
        if range.current_first_vertex != range.previous_first_vertex {
            assert!(
                was_written && !face.teleported,
                "motion without a write, or across a jump"
            );
            let previous = self.simulator.previous(face.id).positions;
            assert_eq!(face.shown.as_ref(), Some(&previous));
        }
        let face = &mut self.faces[at];
        face.shown = face.visible.then_some(shown);
        face.teleported = false;
    }

    /// What is not as it should be to the bit is too near to it to be told apart.
    fn check_shown(&self, face: &Known, shown: &[[f32; 3]], was_written: bool) {
        let Cooked {
            mesh,
            rest,
            skin: held,
        } = &self.cooked;
        let weights = if face.enabled { &face.weights[..] } else { &[] };
        let pose = SkinPose::new(&self.rows).unwrap();
        let posed = held
            .as_ref()
            .filter(|_| face.skeleton.is_some())
            .map(|it| (it, &pose));
        if was_written || !face.pixels.is_finite() || self.threshold == 0.0 {
            assert_shows_posed(&self.simulator, face.id, mesh, rest, weights, posed);
        }
        let mut kernel = morph(mesh, &rest.streams(), weights).unwrap();
        if let Some((held, pose)) = posed {
            kernel = skin(&kernel, &held.weights, pose, held.directions).unwrap();
        }
        let most = f64::from(self.threshold) / f64::from(face.pixels);
        for (vertex, shown) in shown.iter().enumerate() {
            if *shown == kernel.positions[vertex] {
                continue;
            }
            let distance = apart(*shown, kernel.positions[vertex].map(f64::from));
            assert!(distance < most, "{distance} {most}");
            // Double precision rounds too, far below what floats tell apart here.
            let exact_distance = apart(*shown, self.exact(vertex, weights, posed.is_some())) - 1.0e-9;
            assert!(exact_distance < most, "{exact_distance} {most}");
        }
    }

    /// Where a vertex should be, in double precision.
    fn exact(&self, vertex: usize, weights: &[f32], is_posed: bool) -> [f64; 3] {
        let mut point = self.cooked.rest.streams().positions[vertex].map(f64::from);
        for (target, weight) in self.cooked.mesh.targets().zip(weights) {
            if let Ok(entry) = target.vertices().binary_search(&(vertex as u32)) {
                for (sum, delta) in point.iter_mut().zip(target.position(entry)) {
                    *sum += f64::from(*weight) * f64::from(delta);
                }
            }
        }
        let Some(held) = self.cooked.skin.as_ref().filter(|_| is_posed) else {
            return point;
        };
        let influences: Vec<_> = held.weights.of(vertex).filter(|it| it.1 != 0.0).collect();
        if influences.is_empty() {
            return point;
        }
        let [x, y, z] = point;
        std::array::from_fn(|row| {
            let carried = |(joint, weight): &(u16, f32)| {
                let row = self.rows[usize::from(*joint)][row].map(f64::from);
                f64::from(*weight) * (row[0] * x + row[1] * y + row[2] * z + row[3])
            };
            influences.iter().map(carried).sum()
        })
    }
}

fn apart(a: [f32; 3], b: [f64; 3]) -> f64 {
    let square = |axis: usize| (f64::from(a[axis]) - b[axis]).powi(2);
    (0..3).map(square).sum::<f64>().sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn nothing_that_is_left_out_can_be_seen_and_boxes_hold_what_is_drawn(
        recipe in mesh_recipe(),
        operations in prop::collection::vec(operation(), 1..100),
        scatter in any::<bool>(),
        history in any::<bool>(),
    ) {
        let method = if scatter { Method::Scatter } else { Method::Gather };
        let mut life = Life::new(&recipe, method, history);
        for operation in operations {
            life.apply(operation);
        }
        for _ in 0..3 {
            life.frame(true);
        }
        prop_assert!(life.simulator.advance(true).is_idle());
    }
}

#[test]
fn a_crowd_that_moves_little_is_left_out_most_of_the_time() {
    let recipe = MeshRecipe {
        vertex_count: 12,
        quantization: morph_core::Quantization::Half,
        targets: vec![((0..12).collect(), false, false); 3],
        skin: Some((
            morph_core::InfluenceCount::Four,
            morph_core::DirectionTransform::Linear,
        )),
        seed: 5,
    };
    let mut life = Life::new(&recipe, Method::Gather, true);
    for at in 0..3 {
        life.apply(Operation::Pixels(at, 1.0));
    }
    for _ in 0..3 {
        life.frame(true);
    }
    for frame in 0..60 {
        for at in 0..3 {
            life.apply(Operation::Nudge(at, 0.002));
        }
        life.apply(Operation::Bend(3 + frame % 2, 0.001));
        life.frame(true);
    }
    assert!(
        (90..180).contains(&life.left_out_count),
        "{}",
        life.left_out_count
    );
}
