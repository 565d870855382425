//! One weight over several shapes, piecewise linear.

use super::channel::ChannelShape;

/// The two ends of the segment that a weight falls on: (place in the list, share), `None` for the rest pose.
pub(super) type Segment = [(Option<usize>, f64); 2];

/// Where `weight` falls among `shapes`, which ascend by full weight and never stand at zero.
///
/// The rest pose stands at zero as if it were a shape of the list, and a weight past either end continues
/// the last segment on its side of zero, as ufbx does for FBX.
/// On a side without shapes that is the segment between zero and the nearest shape of the other side.
pub(super) fn segment(shapes: &[ChannelShape], weight: f64) -> Segment {
    let below_zero = shapes.partition_point(|shape| shape.full_weight < 0.0);
    let full_weight = |index: usize| f64::from(shapes[index].full_weight);
    // The first shape away from zero that the weight does not pass, or else the last one there is.
    let (negative, positive) = shapes.split_at(below_zero);
    let (inner, outer) = if weight > 0.0 && !positive.is_empty() || negative.is_empty() {
        let passed = positive.partition_point(|shape| f64::from(shape.full_weight) <= weight);
        let outer = passed.min(positive.len().saturating_sub(1));
        (outer.checked_sub(1).map(|at| below_zero + at), below_zero + outer)
    } else {
        let kept = negative.partition_point(|shape| f64::from(shape.full_weight) < weight);
        let outer = kept.saturating_sub(1);
        let inner = outer + 1;
        ((inner < below_zero).then_some(inner), outer)
    };
    let from = inner.map_or(0.0, full_weight);
    let share = (weight - from) / (full_weight(outer) - from);
    [(inner, 1.0 - share), (Some(outer), share)]
}
