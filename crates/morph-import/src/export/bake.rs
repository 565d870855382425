//! The weights that a rig's controls give targets over time, as keys of the targets themselves.

use std::collections::BTreeSet;
use std::sync::Arc;

use morph_anim::{Curve, Keys};
use morph_core::Rig;

/// Keys a second between the keys that the controls have.
pub(super) const KEYS_PER_SECOND: f64 = 60.0;
/// Over longer clips only the controls' own keys are kept.
const MOST_KEYS: f64 = 100_000.0;

/// A curve for each target that the rig drives, with its slot. Controls without a curve are at zero; `start` are the
/// weights of targets that nothing drives.
///
/// Empty where the rig refuses weights, which it does not for curves that are finite.
pub(super) fn bake(rig: &Rig, curves: &[Option<&Curve<1>>], start: &[f32]) -> Vec<(usize, Curve<1>)> {
    let times = times(curves);
    let mut controls = vec![0.0; rig.controls().len()];
    let mut weights = start.to_vec();
    weights.resize(rig.target_count(), 0.0);
    let slots: BTreeSet<usize> = rig.driven_slots().collect();
    let mut values = vec![Vec::with_capacity(times.len()); slots.len()];
    for &time in times.iter() {
        for (control, curve) in controls.iter_mut().zip(curves) {
            *control = curve.map_or(0.0, |curve| curve.sample(time)[0]);
        }
        if rig.evaluate(&controls, &mut weights).is_err() {
            return Vec::new();
        }
        for (of_slot, &slot) in values.iter_mut().zip(&slots) {
            of_slot.push([weights[slot]]);
        }
    }
    let curves = slots.into_iter().zip(values);
    curves
        .filter_map(|(slot, values)| Some((slot, Curve::new(Arc::clone(&times), Keys::Linear(values)).ok()?)))
        .collect()
}

/// The times of all keys, and of frames between them.
fn times(curves: &[Option<&Curve<1>>]) -> Arc<[f32]> {
    let mut times: Vec<f32> = curves
        .iter()
        .flatten()
        .flat_map(|curve| curve.times())
        .copied()
        .collect();
    let first = times.iter().copied().fold(f32::INFINITY, f32::min);
    let last = times.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let frames = (f64::from(last) - f64::from(first)) * KEYS_PER_SECOND;
    if frames.is_finite() && frames > 0.0 && frames < MOST_KEYS {
        times.extend(
            (1..frames.ceil() as u32)
                .map(|frame| (f64::from(first) + f64::from(frame) / KEYS_PER_SECOND) as f32),
        );
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    times.into()
}
