//! Measuring what storing a target cost, in double precision against what was authored.

use crate::compare::{SHORTEST_NORMAL, angle_between};
use crate::rounding::{length, length64, up};

/// The worst difference between authored and decoded deltas of one stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ErrorMeter {
    worst: f64,
}

impl ErrorMeter {
    pub(super) fn add(&mut self, authored: [f32; 3], decoded: [f32; 3]) {
        let difference = std::array::from_fn(|axis| f64::from(decoded[axis]) - f64::from(authored[axis]));
        self.worst = self.worst.max(length64(difference));
    }

    /// The worst length, rounded up.
    pub(super) fn worst(self) -> f32 {
        up(self.worst)
    }
}

/// The worst angle between exact and decoded morphed normals with one target at weight 1, over the whole
/// mesh.
#[derive(Clone, Debug)]
pub(super) struct DirectionMeter<'a> {
    rest: &'a [[f32; 3]],
    /// Vertices whose rest normal is too short for a direction.
    short_in_rest: u32,
    /// Likewise, with the current target at weight 1.
    uncounted: u32,
    worst_radians: f64,
}

impl<'a> DirectionMeter<'a> {
    pub(super) fn new(rest: &'a [[f32; 3]]) -> Self {
        let short_in_rest = rest
            .iter()
            .filter(|&&normal| !has_direction(length(normal)))
            .count() as u32;
        DirectionMeter {
            rest,
            short_in_rest,
            uncounted: short_in_rest,
            worst_radians: 0.0,
        }
    }

    /// Starts with every vertex of the mesh at rest, where exact and decoded normals agree.
    pub(super) fn start_target(&mut self) {
        self.uncounted = self.short_in_rest;
        self.worst_radians = 0.0;
    }

    /// Adds a vertex that the target moves.
    pub(super) fn add(&mut self, vertex: u32, authored: [f32; 3], decoded: [f32; 3]) {
        let Some(&rest) = self.rest.get(vertex as usize) else {
            return;
        };
        self.uncounted -= u32::from(!has_direction(length(rest)));
        let morphed = |delta: [f32; 3]| -> [f64; 3] {
            std::array::from_fn(|axis| f64::from(rest[axis]) + f64::from(delta[axis]))
        };
        let exact = morphed(authored);
        if has_direction(length64(exact)) {
            self.worst_radians = self.worst_radians.max(angle_between(exact, morphed(decoded)));
        } else {
            self.uncounted += 1;
        }
    }

    pub(super) fn worst_degrees(&self) -> f32 {
        up(self.worst_radians.to_degrees())
    }

    pub(super) fn uncounted(&self) -> u32 {
        self.uncounted
    }
}

/// Whether a normal of this length is counted; one that is not a number is not.
fn has_direction(length: f64) -> bool {
    length >= SHORTEST_NORMAL
}
