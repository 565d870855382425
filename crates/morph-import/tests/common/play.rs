//! Plays clips on a model on the host, in 64 bits after the curves, to compare with what other programs say.

use glam::{DMat4, DQuat, DVec3};
use morph_anim::{Channel, Clip};
use morph_import::{Mesh, Model, Primitive};

/// A model with weights and local transforms of its own.
pub(crate) struct Pose<'a> {
    model: &'a Model,
    /// The weights of the controls or targets of each node's mesh, by name.
    weights: Vec<Vec<f32>>,
    locals: Vec<DMat4>,
}

/// The names that clips drive of a mesh.
pub(crate) fn control_names(mesh: &Mesh) -> Vec<String> {
    match &mesh.rig {
        Some(rig) => rig.controls().iter().map(str::to_owned).collect(),
        None => mesh.target_names.clone(),
    }
}

/// The weights of a mesh's targets where its controls have these.
pub(crate) fn target_weights(mesh: &Mesh, controls: &[f32]) -> Vec<f32> {
    let mut weights = vec![0.0; mesh.target_names.len()];
    match &mesh.rig {
        Some(rig) => rig.evaluate(controls, &mut weights).unwrap(),
        None => weights.copy_from_slice(controls),
    }
    weights
}

impl<'a> Pose<'a> {
    /// The model at rest.
    pub(crate) fn new(model: &'a Model) -> Self {
        let weights = |node: &morph_import::Node| {
            let mesh = node.mesh.map(|mesh| control_names(&model.meshes[mesh]).len());
            vec![0.0; mesh.unwrap_or(0)]
        };
        Self {
            model,
            weights: model.nodes.iter().map(weights).collect(),
            locals: model.nodes.iter().map(|node| node.local.as_dmat4()).collect(),
        }
    }

    pub(crate) fn set_weights(&mut self, node: usize, controls: &[f32]) {
        self.weights[node].copy_from_slice(controls);
    }

    pub(crate) fn weights(&self, node: usize) -> &[f32] {
        &self.weights[node]
    }

    /// Sets everything that a clip drives.
    pub(crate) fn play(&mut self, clip: &Clip, time: f32) {
        for (index, node) in self.model.nodes.iter().enumerate() {
            let trs = &node.trs;
            let (mut t, mut r, mut s) = (
                trs.translation.as_dvec3(),
                trs.rotation.as_dquat(),
                trs.scale.as_dvec3(),
            );
            for track in clip.tracks.iter().filter(|track| track.node == node.id) {
                match &track.channel {
                    Channel::Translation(curve) => t = DVec3::from(curve.sample(time).map(f64::from)),
                    Channel::Rotation(curve) => {
                        r = DQuat::from_array(curve.sample_rotation(time).map(f64::from)).normalize();
                    }
                    Channel::Scale(curve) => s = DVec3::from(curve.sample(time).map(f64::from)),
                    Channel::Weight { target, curve } => {
                        let names = control_names(&self.model.meshes[node.mesh.unwrap()]);
                        let control = names.iter().position(|name| name == target).unwrap();
                        self.weights[index][control] = curve.sample(time)[0];
                    }
                }
            }
            self.locals[index] = DMat4::from_scale_rotation_translation(s, r, t);
        }
    }

    pub(crate) fn world(&self, node: usize) -> DMat4 {
        match self.model.nodes[node].parent {
            Some(parent) => self.world(parent) * self.locals[node],
            None => self.locals[node],
        }
    }

    /// Positions of a node's mesh in its own space, morphed.
    pub(crate) fn morphed(&self, node: usize, primitive: &Primitive) -> Vec<DVec3> {
        let mesh = &self.model.meshes[self.model.nodes[node].mesh.unwrap()];
        let weights = target_weights(mesh, &self.weights[node]);
        let mut positions: Vec<DVec3> = primitive
            .positions
            .iter()
            .map(|p| DVec3::from(p.map(f64::from)))
            .collect();
        for (target, weight) in primitive.targets.iter().zip(weights) {
            for (&vertex, delta) in target.vertices.iter().zip(target.positions.iter().flatten()) {
                positions[vertex as usize] += DVec3::from(delta.map(f64::from)) * f64::from(weight);
            }
        }
        positions
    }

    /// Positions of a node's mesh in the world, morphed and skinned.
    pub(crate) fn in_world(&self, node: usize, primitive: &Primitive) -> Vec<DVec3> {
        let mut positions = self.morphed(node, primitive);
        let Some((skin, weights)) = self.model.nodes[node].skin.zip(primitive.skin_weights.as_ref()) else {
            let world = self.world(node);
            return positions
                .iter()
                .map(|&position| world.transform_point3(position))
                .collect();
        };
        let skin = &self.model.skins[skin];
        let bones: Vec<DMat4> = skin
            .joints
            .iter()
            .zip(&skin.inverse_bind)
            .map(|(&joint, bind)| self.world(joint) * bind.as_dmat4())
            .collect();
        for (vertex, position) in positions.iter_mut().enumerate() {
            let held = weights.of(vertex);
            *position = held
                .map(|(joint, weight)| {
                    bones[usize::from(joint)].transform_point3(*position) * f64::from(weight)
                })
                .sum();
        }
        positions
    }
}

/// Values of vertices brought into the order of their control points, where a primitive has any for them.
pub(crate) fn by_control_point(
    primitives: &[Primitive],
    values: &[Vec<DVec3>],
    count: usize,
) -> Vec<Option<DVec3>> {
    let mut result = vec![None; count];
    for (primitive, values) in primitives.iter().zip(values) {
        for (&point, &value) in primitive.source_points.iter().flatten().zip(values) {
            result[point as usize] = Some(value);
        }
    }
    result
}
