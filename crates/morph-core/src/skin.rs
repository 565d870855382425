//! Skinning after the morph: which bones hold a vertex, and by how much.

/// Why skin weights are refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// The lists do not fit each other.
    #[error(
        "{joints} joints and {weights} weights were given for vertices of {influence_count} influences: give as many \
         joints as weights, {influence_count} for each vertex"
    )]
    Length {
        /// How many joint numbers were given.
        joints: usize,
        /// How many weights were given.
        weights: usize,
        /// How many a vertex has.
        influence_count: usize,
    },
    /// A weight is negative, NaN or infinite.
    #[error(
        "influence {influence} of vertex {vertex} has the weight {weight}: weights must be finite and not negative"
    )]
    Weight {
        /// The vertex.
        vertex: usize,
        /// Which of its influences.
        influence: usize,
        /// The weight.
        weight: f32,
    },
}

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
#[derive(Clone, Debug, PartialEq)]
pub struct SkinWeights {
    influence_count: InfluenceCount,
    joints: Vec<u16>,
    weights: Vec<f32>,
}

impl SkinWeights {
    /// Takes joint numbers and weights: for each vertex, one after another, as many of both as `influence_count`.
    ///
    /// # Errors
    /// Where the lists do not fit each other, and where a weight is negative or not finite.
    pub fn new(
        influence_count: InfluenceCount,
        joints: Vec<u16>,
        weights: Vec<f32>,
    ) -> Result<Self, SkinError> {
        let per_vertex = influence_count.get();
        if joints.len() != weights.len() || !joints.len().is_multiple_of(per_vertex) {
            return Err(SkinError::Length {
                joints: joints.len(),
                weights: weights.len(),
                influence_count: per_vertex,
            });
        }
        match weights
            .iter()
            .position(|&weight| !(weight >= 0.0 && weight.is_finite()))
        {
            Some(at) => Err(SkinError::Weight {
                vertex: at / per_vertex,
                influence: at % per_vertex,
                weight: weights[at],
            }),
            None => Ok(SkinWeights {
                influence_count,
                joints,
                weights,
            }),
        }
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

    /// All joint numbers, vertex by vertex.
    pub fn joints(&self) -> &[u16] {
        &self.joints
    }

    /// All weights, vertex by vertex.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}
