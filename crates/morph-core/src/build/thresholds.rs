//! Which entries of a target are worth keeping.

use crate::domain::to_domain3;
use crate::error::Limit;
use crate::rounding::length;
use crate::streams::Stream;
use crate::target::MorphTarget;

/// The lengths that deltas have to exceed for their vertex to stay in a target.
///
/// A vertex stays if its position delta is longer than `position`, or its normal or tangent delta is longer than
/// `direction`, after the [domain rule](crate::to_domain). It stays with all its deltas, as they are.
///
/// ```
/// use morph_core::{MorphTarget, Thresholds};
///
/// let mut target = MorphTarget::from_dense("smile", Some(&[[0.5, 0.0, 0.0], [0.1, 0.0, 0.0]]), None, None);
/// Thresholds { position: 0.1, direction: 0.0 }.thin(&mut target);
/// assert_eq!(target.vertices, [0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thresholds {
    /// For position deltas, in model units.
    pub position: f32,
    /// For normal and tangent deltas, against a unit base.
    pub direction: f32,
}

impl Thresholds {
    /// The first of the two that is no finite number of zero or more, where there is one.
    pub fn unusable(self) -> Option<(Limit, f32)> {
        [
            (Limit::Position, self.position),
            (Limit::Direction, self.direction),
        ]
        .into_iter()
        .find(|&(_, value)| !is_usable(value))
    }

    /// Leaves out the vertices of a target that exceed neither threshold, and changes nothing else: building what is
    /// left gives what building the whole with these thresholds gives.
    ///
    /// With zero thresholds the target stays as it is. Deltas that are not finite stay, so that the build can refuse
    /// them by name, and so does a target whose streams do not run parallel to its vertices. Deltas of texture
    /// coordinates and colors stay too. Returns how many vertices were left out.
    pub fn thin(self, target: &mut MorphTarget) -> usize {
        let is_parallel = Stream::ALL
            .into_iter()
            .filter_map(|stream| target.stream(stream))
            .all(|deltas| deltas.len() == target.vertices.len());
        if self == Self::default() || !is_parallel {
            return 0;
        }
        let kept: Vec<bool> = (0..target.vertices.len())
            .map(|entry| {
                let of = |stream| target.stream(stream).map_or([0.0; 3], |deltas| deltas[entry]);
                self.keeps(Stream::ALL.map(|stream| to_domain3(of(stream))))
            })
            .collect();
        retain(&mut target.vertices, &kept);
        let streams = [&mut target.positions, &mut target.normals, &mut target.tangents];
        for deltas in streams.into_iter().flatten() {
            retain(deltas, &kept);
        }
        kept.len() - target.vertices.len()
    }

    /// Whether a vertex with these deltas of position, normal and tangent stays; what is no number does.
    ///
    /// The deltas have to be in the [domain](crate::to_domain) for the answer that [`thin`](Self::thin) gives.
    pub fn keeps(self, [position, normal, tangent]: [[f32; 3]; 3]) -> bool {
        let exceeds = |delta, threshold: f32| {
            let length = length(delta);
            length > f64::from(threshold) || length.is_nan()
        };
        exceeds(position, self.position)
            || exceeds(normal, self.direction)
            || exceeds(tangent, self.direction)
    }
}

/// Whether a threshold or tolerance means something.
pub(super) fn is_usable(value: f32) -> bool {
    value.is_finite() && value >= 0.0
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().is_none_or(|&kept| kept));
    list.shrink_to_fit();
}
