//! The shape of the generated head: where a place on its skin lies, at rest and in each of its targets.
//!
//! Lengths are decimeters; the origin is between the eyes, +z is where the face looks, +x is the head's left.
//! A place is named by a height and a direction around the vertical axis, so a target is the same function with one
//! thing changed, and a delta is a difference of two of its values.

use glam::{Quat, Vec2, Vec3};

/// Half of the distance between the eyes.
pub(super) const EYE_X: f32 = 0.31;
/// Radius of an eye.
pub(super) const EYE_RADIUS: f32 = 0.165;
/// Depth of the middle of an eye.
pub(super) const EYE_Z: f32 = 0.70;
/// Half of the width of an eye's opening, and its heights above and below the line of the eyes.
const OPENING: (f32, f32, f32) = (0.165, 0.072, 0.050);
/// Height of the mouth, and half of its width.
pub(super) const MOUTH_Y: f32 = -0.73;
pub(super) const MOUTH_HALF_WIDTH: f32 = 0.27;
/// Height of the crown and of the end of the neck.
pub(super) const TOP: f32 = 1.2;
pub(super) const BOTTOM: f32 = -2.1;
/// From here up the head is half of an ellipsoid.
pub(super) const DOME: f32 = 0.25;

/// Which lip or lid of a slit a place belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// Plain skin.
    None,
    /// One of the rows of an opening, from its upper edge (0) through the pocket behind it (1 to 3) to its lower edge
    /// (4).
    Mouth(u8),
    /// The same for the openings of the eyes.
    Eyes(u8),
}

/// A place on the skin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Site {
    /// Height, where the head has no features.
    pub(super) y: f32,
    /// Around the vertical axis, 0 in front, positive to the head's left.
    pub(super) angle: f32,
    /// The opening it belongs to.
    pub(super) fold: Fold,
}

/// The targets, under the names of ARKit.
pub(super) const TARGETS: [&str; 35] = [
    "browDownLeft",
    "browDownRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekPuff",
    "cheekSquintLeft",
    "cheekSquintRight",
    "eyeBlinkLeft",
    "eyeBlinkRight",
    "eyeLookDownLeft",
    "eyeLookDownRight",
    "eyeLookInLeft",
    "eyeLookInRight",
    "eyeLookOutLeft",
    "eyeLookOutRight",
    "eyeLookUpLeft",
    "eyeLookUpRight",
    "eyeSquintLeft",
    "eyeSquintRight",
    "eyeWideLeft",
    "eyeWideRight",
    "jawForward",
    "jawLeft",
    "jawOpen",
    "jawRight",
    "mouthFrownLeft",
    "mouthFrownRight",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthPucker",
    "mouthSmileLeft",
    "mouthSmileRight",
    "noseSneerLeft",
    "noseSneerRight",
];

/// How an eye turns in a target: about x, then about y, in radians; `None` where it stands still.
pub(super) fn eye_turn(target: &str, side: f32) -> Option<Quat> {
    let name = mine(target, side)?;
    match name {
        "eyeLookUp" => Some(Quat::from_rotation_x(-0.30)),
        "eyeLookDown" => Some(Quat::from_rotation_x(0.30)),
        // In is toward the nose.
        "eyeLookIn" => Some(Quat::from_rotation_y(-0.45 * side)),
        "eyeLookOut" => Some(Quat::from_rotation_y(0.45 * side)),
        _ => None,
    }
}

/// The name of a target without its side, where it is of this side (1 is left).
fn mine(target: &str, side: f32) -> Option<&str> {
    target.strip_suffix(if side > 0.0 { "Left" } else { "Right" })
}

/// Where a place lies, with one target at weight one or with none.
pub(super) fn place(site: &Site, target: &str) -> Vec3 {
    let mut point = bald(site.y, site.angle);
    let front = smooth(0.05, 0.35, point.z);
    let side = if point.x < 0.0 { -1.0 } else { 1.0 };
    // On the middle line both sides would pull; the fields below fade there by themselves.
    let half = mine(target, side);

    point.z += front * relief(Vec2::new(point.x.abs(), point.y));
    point += ears(site);
    let rest = Vec2::new(point.x.abs(), point.y);

    point = open_eyes(point, site, side, half, front);
    point = open_mouth(point, site, target, front);

    // Everything else is soft fields, named from where the skin is at rest.
    let bump = |x: f32, y: f32, width: f32, height: f32| {
        let offset = (rest - Vec2::new(x, y)) / Vec2::new(width, height);
        front * (-offset.length_squared()).exp()
    };
    let out = |amount: f32| Vec3::new(side * amount * 0.6, 0.0, amount);
    match half.unwrap_or(target) {
        "browDown" => point += Vec3::new(-0.035 * side, -0.085, 0.02) * bump(0.24, 0.27, 0.20, 0.13),
        "browInnerUp" => point.y += 0.11 * bump(0.10, 0.30, 0.19, 0.15),
        "browOuterUp" => point.y += 0.10 * bump(0.45, 0.28, 0.19, 0.15),
        "cheekPuff" => point += out(0.10) * bump(0.40, -0.60, 0.24, 0.22),
        "cheekSquint" => point += (out(0.03) + Vec3::Y * 0.05) * bump(0.38, -0.28, 0.18, 0.12),
        "noseSneer" => {
            point += Vec3::new(0.0, 0.05, 0.015) * bump(0.12, -0.45, 0.08, 0.12);
            point.y += 0.045 * bump(0.15, -0.66, 0.09, 0.08);
        }
        "mouthSmile" => {
            point += Vec3::new(0.06 * side, 0.10, -0.02) * bump(0.28, -0.73, 0.15, 0.13);
            point += out(0.035) * bump(0.42, -0.48, 0.17, 0.15);
        }
        "mouthFrown" => point += Vec3::new(0.015 * side, -0.10, 0.0) * bump(0.29, -0.75, 0.14, 0.13),
        "mouthPucker" => {
            let share = bump(0.0, MOUTH_Y, 0.34, 0.20);
            point += Vec3::new(-0.5 * point.x, 0.25 * (point.y - MOUTH_Y), 0.10) * share;
        }
        _ => {}
    }
    point
}

/// The head without a face.
fn bald(y: f32, angle: f32) -> Vec3 {
    let (sine, cosine) = angle.sin_cos();
    let (width, front, back) = if y > DOME {
        let rise = (y - DOME) / (TOP - DOME);
        let round = (1.0 - rise * rise).max(0.0).sqrt();
        (0.80 * round, 0.97 * round, 1.0 * round)
    } else {
        (curve(&WIDTH, y), curve(&FRONT, y), curve(&BACK, y))
    };
    let depth = if cosine > 0.0 { front } else { back };
    // A face is flatter in front than an ellipse is.
    let flat = 1.0 - 0.10 * (cosine.max(0.0)).powi(4);
    Vec3::new(width * sine, y, depth * cosine * flat)
}

/// Height and half width, from top to bottom.
const WIDTH: [(f32, f32); 11] = [
    (DOME, 0.80),
    (0.0, 0.79),
    (-0.3, 0.745),
    (-0.6, 0.665),
    (-0.85, 0.55),
    (-1.05, 0.425),
    (-1.2, 0.385),
    (-1.4, 0.40),
    (-1.6, 0.43),
    (-1.8, 0.54),
    (BOTTOM, 0.95),
];
/// Height and depth in front of the axis.
const FRONT: [(f32, f32); 12] = [
    (DOME, 0.97),
    (0.0, 0.95),
    (-0.3, 0.95),
    (-0.6, 0.98),
    (-0.85, 0.98),
    (-1.0, 0.96),
    (-1.10, 0.84),
    (-1.2, 0.52),
    (-1.3, 0.34),
    (-1.5, 0.30),
    (-1.8, 0.34),
    (BOTTOM, 0.50),
];
/// Height and depth behind the axis.
const BACK: [(f32, f32); 8] = [
    (DOME, 1.0),
    (0.0, 0.97),
    (-0.3, 0.86),
    (-0.6, 0.72),
    (-0.9, 0.62),
    (-1.3, 0.58),
    (-1.7, 0.64),
    (BOTTOM, 0.78),
];

/// A smooth curve through points with falling heights, without overshoot (Fritsch and Carlson, "Monotone piecewise
/// cubic interpolation", 1980, with the harmonic mean for slopes).
fn curve(points: &[(f32, f32)], y: f32) -> f32 {
    let last = points.len() - 1;
    let index = points[1..last].iter().take_while(|point| point.0 >= y).count();
    let slope_of = |index: usize| {
        let (from, to) = (points[index], points[index + 1]);
        (to.1 - from.1) / (to.0 - from.0)
    };
    let tangent = |at: usize| {
        if at == 0 || at == last {
            return slope_of(at.min(last - 1));
        }
        let (a, b) = (slope_of(at - 1), slope_of(at));
        if a * b <= 0.0 { 0.0 } else { 2.0 * a * b / (a + b) }
    };
    let (from, to) = (points[index], points[index + 1]);
    let length = to.0 - from.0;
    let t = ((y - from.0) / length).clamp(0.0, 1.0);
    let (t2, t3) = (t * t, t * t * t);
    (2.0 * t3 - 3.0 * t2 + 1.0) * from.1
        + (t3 - 2.0 * t2 + t) * length * tangent(index)
        + (3.0 * t2 - 2.0 * t3) * to.1
        + (t3 - t2) * length * tangent(index + 1)
}

/// How far the features of a face stand out, at a distance from the middle line and a height.
fn relief(place: Vec2) -> f32 {
    let bump = |x: f32, y: f32, width: f32, height: f32| {
        let offset = (place - Vec2::new(x, y)) / Vec2::new(width, height);
        (-offset.length_squared()).exp()
    };
    let nose_height = curve(&NOSE, place.y);
    let nose_width = 0.085 + 0.055 * smooth(0.0, -0.45, place.y);
    let lips = smooth(MOUTH_HALF_WIDTH + 0.03, 0.05, place.x);
    nose_height * (-(place.x / nose_width).powi(2)).exp() + 0.055 * bump(0.135, -0.47, 0.055, 0.06)
        - 0.115 * bump(EYE_X, 0.02, 0.20, 0.13)
        + 0.045 * bump(0.27, 0.25, 0.24, 0.09)
        + 0.045 * bump(0.46, -0.28, 0.17, 0.13)
        - 0.03 * bump(0.0, -0.92, 0.16, 0.07)
        + 0.05 * bump(0.0, -1.03, 0.15, 0.09)
        + lips * (0.055 * bump(0.0, -0.685, 0.6, 0.042) + 0.07 * bump(0.0, -0.785, 0.6, 0.048))
        - lips * 0.03 * bump(0.0, MOUTH_Y, 0.6, 0.02)
        - 0.012 * bump(0.0, -0.61, 0.03, 0.05)
}

/// Height and how far the ridge of the nose stands out.
const NOSE: [(f32, f32); 9] = [
    (0.30, 0.0),
    (0.12, 0.02),
    (0.0, 0.07),
    (-0.2, 0.17),
    (-0.38, 0.275),
    (-0.46, 0.28),
    (-0.53, 0.16),
    (-0.585, 0.02),
    (-0.65, 0.0),
];

/// Ears: shells that stand off the sides.
fn ears(site: &Site) -> Vec3 {
    let back = site.angle.abs() - 1.68;
    let rim = Vec2::new(back / 0.17, (site.y + 0.10) / 0.27);
    let share = smooth(1.25, 0.75, rim.length());
    let bowl = smooth(
        0.75,
        0.3,
        Vec2::new((back + 0.03) / 0.16, (site.y + 0.08) / 0.25).length(),
    );
    let side = site.angle.signum();
    Vec3::new(side * (0.13 * share - 0.075 * bowl), 0.0, -0.06 * share)
}

/// Pushes lids over the eyes and opens them.
fn open_eyes(mut point: Vec3, site: &Site, side: f32, half: Option<&str>, front: f32) -> Vec3 {
    let (half_width, above, below) = OPENING;
    let across = (point.x.abs() - EYE_X) / half_width;
    // The opening is an almond: it ends at its corners.
    let almond = front * (1.0 - across * across).max(0.0);
    let lid = |rest: f32, change: f32| almond * (rest + change);
    let (upper_change, lower_change) = match half.unwrap_or_default() {
        "eyeBlink" => (-above - below * 0.6, below * 0.4 + 0.004),
        "eyeWide" => (0.038, -0.012),
        "eyeSquint" => (-0.026, 0.022),
        "cheekSquint" => (0.0, 0.020),
        "eyeLookUp" => (0.022, 0.006),
        "eyeLookDown" => (-0.030, -0.010),
        _ => (0.0, 0.0),
    };
    let upper = lid(above, upper_change);
    let lower = lid(-below, lower_change);
    let behind = match site.fold {
        Fold::Eyes(row @ 1..=3) => {
            // The pocket is the hole that the ball sits in.
            let share = f32::from(row) / 4.0;
            point.y = upper + (lower - upper) * share;
            Some(EYE_Z - 0.08)
        }
        Fold::Eyes(0) => {
            point.y += upper;
            None
        }
        Fold::Eyes(_) => {
            point.y += lower;
            None
        }
        _ => {
            // Skin gives way to the lids, less and less up to the brow and down to the cheek.
            let give = if point.y > 0.0 { upper } else { lower };
            let fade = if point.y > 0.0 {
                1.0 - point.y / 0.26
            } else {
                1.0 + point.y / 0.24
            };
            point.y += give * fade.max(0.0);
            None
        }
    };
    let offset = Vec2::new(point.x - side * EYE_X, point.y);
    let ball = (EYE_RADIUS + 0.012).powi(2) - offset.length_squared();
    if front > 0.0 && ball > 0.0 {
        let cover = EYE_Z + ball.sqrt();
        // A soft maximum, so that lids run out into the face.
        let over = cover - point.z;
        let softness = 0.03;
        point.z += front * softness * (1.0 + (over / softness).exp()).ln();
    }
    if let Some(z) = behind {
        point.z += (z - point.z) * smooth(0.0, 0.3, almond);
    }
    point
}

/// Parts the lips and lowers the jaw.
fn open_mouth(mut point: Vec3, site: &Site, target: &str, front: f32) -> Vec3 {
    let x = point.x.abs();
    let between_corners = smooth(MOUTH_HALF_WIDTH, MOUTH_HALF_WIDTH * 0.35, x) * front;
    // 0 is the upper lip, 1 the lower one, with the pocket between.
    let lower = match site.fold {
        Fold::Mouth(row) => f32::from(row) / 4.0,
        _ if site.y < MOUTH_Y => 1.0,
        _ => 0.0,
    };
    // Away from the mouth the skin stretches evenly from the cheek to the jaw.
    let cheek = smooth(-0.35, -1.0, point.y);
    let jaw = (cheek + (lower - cheek) * between_corners) * front * smooth(-1.5, -1.18, point.y);
    let lip = |offset: f32, height: f32| {
        let near = (-((point.y - MOUTH_Y) / 0.09).powi(2)).exp();
        offset * between_corners * near * height
    };
    // The sides share the middle of the lip between them, so that both together lower it evenly.
    let move_lips = match target {
        "mouthLowerDownLeft" => lip(-0.07, lower) * smooth(-0.08, 0.08, point.x),
        "mouthLowerDownRight" => lip(-0.07, lower) * smooth(0.08, -0.08, point.x),
        _ => 0.0,
    };
    if let Fold::Mouth(row @ 1..=3) = site.fold {
        // Behind the lips is a pocket.
        let share = smooth(MOUTH_HALF_WIDTH, MOUTH_HALF_WIDTH * 0.8, x) * front;
        point.z -= share * 0.34;
        point.y += share * 0.11 * (2.0 - f32::from(row));
    }
    point.y += move_lips;
    match target {
        "jawOpen" => {
            let hinge = Vec3::new(0.0, -0.25, 0.10);
            let arm = point - hinge;
            point += (Quat::from_rotation_x(0.30) * arm - arm) * jaw;
        }
        "jawForward" => point.z += 0.09 * jaw,
        "jawLeft" => point.x += 0.09 * jaw,
        "jawRight" => point.x -= 0.09 * jaw,
        _ => {}
    }
    point
}

/// From 0 at one bound to 1 at the other, smoothly; the bounds may fall.
pub(super) fn smooth(from: f32, to: f32, value: f32) -> f32 {
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_run_through_their_points_without_overshoot() {
        for points in [&WIDTH[..], &FRONT, &BACK, &NOSE] {
            for pair in points.windows(2) {
                let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
                for step in 0..=20_u8 {
                    let share = f32::from(step) / 20.0;
                    let value = curve(points, pair[0].0 + (pair[1].0 - pair[0].0) * share);
                    assert!(
                        value >= low - 1.0e-5 && value <= high + 1.0e-5,
                        "{pair:?} at {share}: {value}"
                    );
                }
                assert!((curve(points, pair[0].0) - pair[0].1).abs() < 1.0e-5);
            }
        }
    }
}
