//! Which bones hold a vertex, and by how much.

use crate::domain::to_domain;
use crate::skin::SkinError;

/// How many bones may hold a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InfluenceCount {
    /// Four.
    Four,
    /// Eight.
    Eight,
}

impl InfluenceCount {
    /// The number.
    pub fn get(self) -> usize {
        match self {
            InfluenceCount::Four => 4,
            InfluenceCount::Eight => 8,
        }
    }
}

/// The bones that hold each vertex, with their weights.
///
/// Weights are in the domain of the arithmetic, and are not made to sum to one: a vertex whose weights are all
/// zero stays where the morph put it.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinWeights {
    influence_count: InfluenceCount,
    joints: Vec<u16>,
    weights: Vec<f32>,
    greatest_joint: Option<u16>,
    zeroed_weight_count: u64,
}

impl SkinWeights {
    /// Takes joint numbers and weights: for each vertex, one after another, as many of both as `influence_count`.
    ///
    /// The domain rule is applied to the weights.
    /// A joint whose weight is zero is stored as 0, so that nothing reads a bone that only fills the list up.
    ///
    /// # Errors
    /// Where the lists do not fit each other, and where a weight is negative or not finite.
    pub fn new(
        influence_count: InfluenceCount,
        mut joints: Vec<u16>,
        mut weights: Vec<f32>,
    ) -> Result<Self, SkinError> {
        let per_vertex = influence_count.get();
        if joints.len() != weights.len() || !joints.len().is_multiple_of(per_vertex) {
            return Err(SkinError::Length {
                joints: joints.len(),
                weights: weights.len(),
                influence_count: per_vertex,
            });
        }
        let mut greatest_joint = None;
        let mut zeroed_weight_count = 0;
        for (at, (joint, weight)) in joints.iter_mut().zip(&mut weights).enumerate() {
            if !(*weight >= 0.0 && weight.is_finite()) {
                return Err(SkinError::Weight {
                    vertex: at / per_vertex,
                    influence: at % per_vertex,
                    weight: *weight,
                });
            }
            let admitted = to_domain(*weight);
            zeroed_weight_count += u64::from(admitted != *weight);
            *weight = admitted;
            if admitted == 0.0 {
                *joint = 0;
            } else {
                greatest_joint = greatest_joint.max(Some(*joint));
            }
        }
        Ok(SkinWeights {
            influence_count,
            joints,
            weights,
            greatest_joint,
            zeroed_weight_count,
        })
    }

    /// How many bones a vertex has.
    pub fn influence_count(&self) -> InfluenceCount {
        self.influence_count
    }

    /// How many vertices there are.
    pub fn vertex_count(&self) -> usize {
        self.joints.len() / self.influence_count.get()
    }

    /// The bones of a vertex with their weights.
    ///
    /// # Panics
    /// Where there is no such vertex.
    pub fn of(&self, vertex: usize) -> impl ExactSizeIterator<Item = (u16, f32)> {
        let per_vertex = self.influence_count.get();
        let range = vertex * per_vertex..(vertex + 1) * per_vertex;
        let joints = self.joints[range.clone()].iter().copied();
        joints.zip(self.weights[range].iter().copied())
    }

    /// The greatest bone that holds a vertex with a weight other than zero; `None` where no bone holds any.
    pub fn greatest_joint(&self) -> Option<u16> {
        self.greatest_joint
    }

    /// Weights that were not zero and became zero because they were below 2⁻⁴⁰.
    pub fn zeroed_weight_count(&self) -> u64 {
        self.zeroed_weight_count
    }

    /// The same weights for vertices that are copies of these; the sources are in range.
    pub(crate) fn gather(&self, sources: &[u32]) -> SkinWeights {
        let per_vertex = self.influence_count.get();
        let range = |&source: &u32| {
            let first = source as usize * per_vertex;
            first..first + per_vertex
        };
        let joints: Vec<u16> = sources
            .iter()
            .flat_map(|source| &self.joints[range(source)])
            .copied()
            .collect();
        let weights: Vec<f32> = sources
            .iter()
            .flat_map(|source| &self.weights[range(source)])
            .copied()
            .collect();
        let held = joints.iter().zip(&weights).filter(|&(_, &weight)| weight != 0.0);
        SkinWeights {
            influence_count: self.influence_count,
            greatest_joint: held.map(|(&joint, _)| joint).max(),
            joints,
            weights,
            zeroed_weight_count: 0,
        }
    }

    /// Checks that these weights are for `vertex_count` vertices, and that a pose of `bone_count` bones has each bone
    /// that holds one.
    ///
    /// # Errors
    /// [`SkinError::VertexCount`], and [`SkinError::JointOutOfRange`] for the first bone that is missing.
    pub fn check(&self, vertex_count: usize, bone_count: usize) -> Result<(), SkinError> {
        if self.vertex_count() != vertex_count {
            return Err(SkinError::VertexCount {
                found: self.vertex_count(),
                vertex_count,
            });
        }
        let past = |joint: u16| usize::from(joint) >= bone_count;
        if !self.greatest_joint.is_some_and(past) {
            return Ok(());
        }
        let per_vertex = self.influence_count.get();
        let influences = self.joints.iter().zip(&self.weights).enumerate();
        for (at, (&joint, &weight)) in influences {
            if weight != 0.0 && past(joint) {
                return Err(SkinError::JointOutOfRange {
                    vertex: at / per_vertex,
                    influence: at % per_vertex,
                    joint,
                    bone_count,
                });
            }
        }
        Ok(())
    }

    /// All joint numbers, vertex by vertex.
    pub fn joints(&self) -> &[u16] {
        &self.joints
    }

    /// All weights, vertex by vertex.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}
