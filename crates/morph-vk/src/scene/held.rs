//! What the range of an instance holds: the shape that was last written there.
//!
//! It is kept exactly, so that a later shape can be compared with it: whether a change is too small to be seen, what
//! the bounds of what is drawn are, how far a shape has moved since an acceleration structure was built from it.

use std::sync::Arc;

use morph_core::Aabb;
use morph_core::skin::{SkinPose, SkinShape};

use crate::scene::instance::Instance;
use crate::scene::mesh::Mesh;

/// What gives an instance its shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShapeView<'a> {
    /// One weight per target.
    pub(super) weights: &'a [f32],
    /// The bones, where it is skinned.
    pub(super) pose: Option<&'a SkinPose>,
}

/// A shape of an instance, kept.
#[derive(Debug, Clone)]
pub(super) struct HeldShape {
    /// False where frames were dropped out of order: then nobody knows what the range holds.
    pub(super) is_known: bool,
    /// Zeros where it is the rest shape.
    weights: Box<[f32]>,
    pose: Option<Arc<SkinPose>>,
}

impl HeldShape {
    pub(super) fn rest(target_count: usize) -> HeldShape {
        HeldShape {
            is_known: true,
            weights: vec![0.0; target_count].into_boxed_slice(),
            pose: None,
        }
    }

    pub(super) fn view(&self) -> ShapeView<'_> {
        ShapeView {
            weights: &self.weights,
            pose: self.pose.as_deref(),
        }
    }

    /// Becomes another shape of the same mesh; allocates nothing.
    pub(super) fn copy_from(&mut self, other: &HeldShape) {
        self.is_known = other.is_known;
        self.weights.copy_from_slice(&other.weights);
        self.pose.clone_from(&other.pose);
    }
}

/// Shapes that a frame wrote over, one behind the other, for frames that are dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldLog {
    weights: Vec<f32>,
}

/// A shape whose weights lie in a log.
#[derive(Debug, Clone)]
pub(super) struct LoggedShape {
    is_known: bool,
    first_weight: usize,
    pose: Option<Arc<SkinPose>>,
}

impl HeldLog {
    pub(super) fn clear(&mut self) {
        self.weights.clear();
    }

    pub(super) fn push(&mut self, shape: &HeldShape) -> LoggedShape {
        let first_weight = self.weights.len();
        self.weights.extend_from_slice(&shape.weights);
        LoggedShape {
            is_known: shape.is_known,
            first_weight,
            pose: shape.pose.clone(),
        }
    }

    pub(super) fn restore(&self, logged: LoggedShape, shape: &mut HeldShape) {
        shape.is_known = logged.is_known;
        shape.pose = logged.pose;
        let end = logged.first_weight + shape.weights.len();
        shape
            .weights
            .copy_from_slice(&self.weights[logged.first_weight..end]);
    }
}

impl Instance {
    /// Notes that its range now holds what its weights say, or the rest shape, in this pose where it is skinned.
    pub(super) fn hold(&mut self, morphs: bool, pose: Option<Arc<SkinPose>>) {
        self.held.is_known = true;
        self.held.pose = pose;
        if morphs {
            self.held.weights.copy_from_slice(self.weights.values());
        } else {
            self.held.weights.fill(0.0);
        }
    }
}

impl Mesh {
    /// How far any vertex can move from one shape to another, in model units; infinite where nobody knows, as from a
    /// shape that is not skinned to one that is.
    pub(super) fn movement(&self, from: ShapeView<'_>, to: ShapeView<'_>) -> f32 {
        match (from.pose, to.pose, &self.skin) {
            (None, None, _) => self.morph.movement(&self.rest_box, from.weights, to.weights),
            (Some(before), Some(after), Some(skin)) => {
                let shape = |weights, pose| SkinShape { weights, pose };
                let (from, to) = (shape(from.weights, before), shape(to.weights, after));
                // All bones were there when the instance was attached.
                skin.bounds
                    .movement(&self.morph, from, to)
                    .unwrap_or(f32::INFINITY)
            }
            _ => f32::INFINITY,
        }
    }

    /// A box around every vertex of a shape.
    pub(super) fn bounds(&self, shape: ShapeView<'_>) -> Aabb {
        match (shape.pose, &self.skin) {
            (None, _) => self.morph.bounds(&self.rest_box, shape.weights),
            (Some(pose), Some(skin)) => skin
                .bounds
                .bounds(&self.morph, shape.weights, pose)
                .unwrap_or(Aabb::EVERYTHING),
            (Some(_), None) => Aabb::EVERYTHING,
        }
    }
}
