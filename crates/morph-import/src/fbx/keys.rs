//! Curves of a single number, taken over key by key where clips have the same kind.

use morph_anim::{CubicKey, Curve, CurveError, Keys};

/// How far a tangent's length may be from a third of the way to the next key, which makes it a slope.
const THIRD_TOLERANCE: f64 = 1e-4;

/// The curve with values times `scale`, or nothing where it goes on in another way than by holding its ends, or has
/// tangents with lengths of their own.
///
/// Where steps are mixed with other kinds, a step is a flat piece that ends one instant before the next key.
pub(super) fn exact(curve: &ufbx::AnimCurve, scale: f64) -> Option<Result<Curve<1>, CurveError>> {
    let keys: &[ufbx::Keyframe] = &curve.keyframes;
    let holds = |side: &ufbx::Extrapolation| side.mode == ufbx::ExtrapolationMode::Constant;
    if keys.is_empty() || !holds(&curve.pre_extrapolation) || !holds(&curve.post_extrapolation) {
        return None;
    }
    let value = |key: &ufbx::Keyframe| [(key.value * scale) as f32];
    let inner = &keys[..keys.len() - 1];
    let all = |kind: ufbx::Interpolation| inner.iter().all(|key| key.interpolation == kind);
    let times = || keys.iter().map(|key| key.time as f32).collect::<Vec<f32>>();
    let values = || keys.iter().map(value).collect();
    if all(ufbx::Interpolation::ConstantPrev) {
        return Some(Curve::new(times(), Keys::Step(values())));
    }
    if all(ufbx::Interpolation::Linear) {
        return Some(Curve::new(times(), Keys::Linear(values())));
    }
    let (times, splines) = splines(keys, scale)?;
    Some(Curve::new(times, Keys::CubicSpline(splines)))
}

/// Keys of any kinds as those of a spline.
fn splines(keys: &[ufbx::Keyframe], scale: f64) -> Option<(Vec<f32>, Vec<CubicKey<1>>)> {
    let (mut times, mut splines) = (Vec::new(), Vec::new());
    let key = |value: f64, in_slope: f64, out_slope: f64| CubicKey {
        in_tangent: [(in_slope * scale) as f32],
        value: [(value * scale) as f32],
        out_tangent: [(out_slope * scale) as f32],
    };
    let mut in_slope = 0.0;
    for pair in keys.windows(2) {
        let (this, next) = (&pair[0], &pair[1]);
        let length = next.time - this.time;
        times.push(this.time as f32);
        match this.interpolation {
            ufbx::Interpolation::ConstantPrev => {
                splines.push(key(this.value, in_slope, 0.0));
                times.push((next.time as f32).next_down());
                splines.push(key(this.value, 0.0, 0.0));
                in_slope = 0.0;
            }
            ufbx::Interpolation::ConstantNext => {
                splines.push(key(this.value, in_slope, 0.0));
                times.push((this.time as f32).next_up());
                splines.push(key(next.value, 0.0, 0.0));
                in_slope = 0.0;
            }
            ufbx::Interpolation::Linear => {
                let slope = (next.value - this.value) / length;
                splines.push(key(this.value, in_slope, slope));
                in_slope = slope;
            }
            ufbx::Interpolation::Cubic => {
                let slope = |tangent: &ufbx::Tangent| {
                    let (dx, dy) = (f64::from(tangent.dx), f64::from(tangent.dy));
                    let is_third = (dx * 3.0 - length).abs() <= length * THIRD_TOLERANCE;
                    is_third.then(|| dy * 3.0 / length)
                };
                splines.push(key(this.value, in_slope, slope(&this.right)?));
                in_slope = slope(&next.left)?;
            }
        }
    }
    let last = keys.last()?;
    times.push(last.time as f32);
    splines.push(key(last.value, in_slope, 0.0));
    Some((times, splines))
}
