//! Measuring what storing a target cost, in double precision against what was authored.

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

/// Below this length a morphed normal has no direction to speak of, and consumers read it as unset.
const SHORTEST_NORMAL: f64 = 1.0e-4;

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
            self.worst_radians = self.worst_radians.max(angle(exact, morphed(decoded)));
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

/// The angle between two vectors, in radians; a zero vector is as wrong as can be, half a turn.
///
/// The arc tangent of sine and cosine is exact for small angles, where the arc cosine alone loses half the
/// digits.
fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    if a == b {
        return 0.0;
    }
    if b == [0.0; 3] {
        return std::f64::consts::PI;
    }
    let cross = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    length64(cross).atan2(dot)
}
