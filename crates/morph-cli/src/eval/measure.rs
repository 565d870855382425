//! How far a result is from the exact one: the authored deltas, summed in double precision.

use morph_core::{MorphedStreams, SHORTEST_NORMAL, angle_between};
use morph_import::Primitive;
use serde::Serialize;

/// The worst errors of a result over all vertices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct WorstError {
    /// Longest distance between a position and the exact one, in model units.
    pub(super) position: f64,
    /// Largest angle between a normal and the exact one; `None` without normals. Vertices whose exact normal is shorter
    /// than 1e-4 have no direction and are left out.
    pub(super) direction_degrees: Option<f64>,
}

/// Compares a result with rest pose and targets as the file has them.
pub(super) fn worst_error(primitive: &Primitive, weights: &[f32], result: &MorphedStreams) -> WorstError {
    let positions = exact(primitive, weights, &primitive.positions, |target| {
        target.positions.as_deref()
    });
    let position = positions
        .iter()
        .zip(&result.positions)
        .map(|(exact, found)| length(std::array::from_fn(|axis| f64::from(found[axis]) - exact[axis])))
        .fold(0.0, f64::max);
    let direction_degrees =
        primitive
            .normals
            .as_deref()
            .zip(result.normals.as_deref())
            .map(|(rest, found)| {
                let normals = exact(primitive, weights, rest, |target| target.normals.as_deref());
                let angles = normals
                    .iter()
                    .zip(found)
                    .filter(|(exact, _)| length(**exact) >= SHORTEST_NORMAL)
                    .map(|(exact, found)| angle_between(*exact, found.map(f64::from)));
                angles.fold(0.0, f64::max).to_degrees()
            });
    WorstError {
        position,
        direction_degrees,
    }
}

fn exact<'a>(
    primitive: &'a Primitive,
    weights: &[f32],
    rest: &[[f32; 3]],
    deltas_of: impl Fn(&'a morph_core::MorphTarget) -> Option<&'a [[f32; 3]]>,
) -> Vec<[f64; 3]> {
    let mut sums: Vec<[f64; 3]> = rest.iter().map(|value| value.map(f64::from)).collect();
    for (target, &weight) in primitive.targets.iter().zip(weights) {
        let Some(deltas) = deltas_of(target).filter(|_| weight != 0.0) else {
            continue;
        };
        for (&vertex, delta) in target.vertices.iter().zip(deltas) {
            // The build has refused vertices that are not there.
            if let Some(sum) = sums.get_mut(vertex as usize) {
                for axis in 0..3 {
                    sum[axis] += f64::from(weight) * f64::from(delta[axis]);
                }
            }
        }
    }
    sums
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

#[cfg(test)]
mod tests {
    use morph_core::MorphTarget;
    use morph_import::{Material, Topology};

    use super::*;

    fn primitive() -> Primitive {
        let mut target = MorphTarget::empty("up");
        target.vertices = vec![1];
        target.positions = Some(vec![[0.0, 2.0, 0.0]]);
        target.normals = Some(vec![[1.0, 0.0, 0.0]]);
        Primitive {
            name: None,
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0]],
            source_points: None,
            normals: Some(vec![[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]),
            tangents: None,
            texcoords: Vec::new(),
            colors: Vec::new(),
            skin_weights: None,
            indices: vec![0, 1],
            topology: Topology::Lines,
            targets: vec![target],
            material: Material::default(),
        }
    }

    #[test]
    fn the_exact_result_has_no_error() {
        let result = MorphedStreams {
            positions: vec![[0.0; 3], [1.0, 1.0, 0.0]],
            normals: Some(vec![[0.0, 1.0, 0.0], [0.5, 1.0, 0.0]]),
            tangents: None,
        };
        let error = worst_error(&primitive(), &[0.5], &result);
        assert_eq!(
            error,
            WorstError {
                position: 0.0,
                direction_degrees: Some(0.0)
            }
        );
    }

    #[test]
    fn distances_and_angles_are_measured() {
        let result = MorphedStreams {
            positions: vec![[0.0, 0.0, 0.25], [1.0, 2.0, 0.0]],
            normals: Some(vec![[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]),
            tangents: None,
        };
        let error = worst_error(&primitive(), &[1.0], &result);
        assert_eq!(error.position, 0.25);
        assert!((error.direction_degrees.unwrap_or_default() - 45.0).abs() < 1.0e-12);
    }

    #[test]
    fn a_canceled_normal_is_left_out_and_a_lost_one_counts_half_a_turn() {
        let mut primitive = primitive();
        let result = |normal| MorphedStreams {
            positions: primitive.positions.clone(),
            normals: Some(vec![[0.0, 1.0, 0.0], normal]),
            tangents: None,
        };
        let (lost, any) = (result([0.0; 3]), result([0.0, 0.0, 1.0]));
        primitive.targets[0].positions = None;
        assert_eq!(
            worst_error(&primitive, &[1.0], &lost).direction_degrees,
            Some(180.0)
        );
        primitive.targets[0].normals = Some(vec![[0.0, -1.0, 0.0]]);
        assert_eq!(worst_error(&primitive, &[1.0], &any).direction_degrees, Some(0.0));
    }
}
