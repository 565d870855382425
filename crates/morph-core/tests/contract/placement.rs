//! Placements of submeshes: what is refused, and what they do to positions and normals.

use std::f64::consts::{FRAC_PI_2, PI};

use morph_core::placement::{
    Placement, PlacementError, PlacementField, ROTATION_TOLERANCE, axis_angle, pack_row, unit_rotation,
    unpack_row,
};
use proptest::prelude::*;

const UNIT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];
const ONES: [f64; 3] = [1.0; 3];
const BEYOND: f64 = 3.5e38;

/// Any rotation, also those with components near zero.
fn any_rotation() -> impl Strategy<Value = [f64; 4]> {
    let component = prop_oneof![4 => -1.0..1.0, 1 => -1.0e-7..1.0e-7, 1 => -1.0e-20..1.0e-20, 1 => Just(0.0)];
    prop::array::uniform4(component).prop_filter_map("zero has no direction", |q| unit_rotation(q).ok())
}

fn any_placement() -> impl Strategy<Value = Placement> {
    let scale = prop::array::uniform3(prop_oneof![(-7.0..7.0).prop_map(f64::exp2), Just(1.0)]);
    let translation = prop::array::uniform3(prop_oneof![-1.0e3..1.0e3, -1.0e-12..1.0e-12, Just(-0.0)]);
    (translation, any_rotation(), scale).prop_map(|(t, r, s)| Placement::new(t, r, s).unwrap())
}

fn any_position() -> impl Strategy<Value = [f32; 3]> {
    prop::array::uniform3(prop_oneof![4 => -1.0e3_f32..1.0e3, 1 => -1.0e-11_f32..1.0e-11, 1 => Just(0.0)])
}

/// The rotation of a vector by a quaternion, v + 2 u × (u × v + w v): another formula than the library's.
fn turned(rotation: [f32; 4], v: [f64; 3]) -> [f64; 3] {
    let [x, y, z, w] = rotation.map(f64::from);
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let u = [x, y, z];
    let once = cross(u, v);
    let twice = cross(u, [0, 1, 2].map(|i| once[i] + w * v[i]));
    [0, 1, 2].map(|i| v[i] + 2.0 * twice[i])
}

#[test]
fn values_that_are_not_finite_are_refused_by_field_and_component() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let errors = [
            (
                Placement::new([0.0, value, 0.0], UNIT, ONES).map(|_| ()),
                PlacementField::Translation,
                'y',
            ),
            (
                Placement::new([0.0; 3], [0.0, 0.0, 0.0, value], ONES).map(|_| ()),
                PlacementField::Rotation,
                'w',
            ),
            (
                Placement::new([0.0; 3], UNIT, [1.0, 1.0, value]).map(|_| ()),
                PlacementField::Scale,
                'z',
            ),
            (
                Placement::IDENTITY.about_pivot([value, 0.0, 0.0]).map(|_| ()),
                PlacementField::Pivot,
                'x',
            ),
            (
                axis_angle([0.0, value, 0.0], 1.0).map(|_| ()),
                PlacementField::Axis,
                'y',
            ),
            (
                axis_angle([0.0, 1.0, 0.0], value).map(|_| ()),
                PlacementField::Angle,
                'x',
            ),
            (
                unit_rotation([0.0, 0.0, value, 1.0]).map(|_| ()),
                PlacementField::Rotation,
                'z',
            ),
        ];
        for (result, expected_field, expected_component) in errors {
            let error = result.unwrap_err();
            match error {
                PlacementError::NotFinite { field, component, .. } => {
                    assert_eq!((field, component), (expected_field, expected_component));
                }
                other => panic!("{other}"),
            }
        }
    }
}

#[test]
fn values_beyond_a_32_bit_float_are_refused() {
    let largest = f64::from(f32::MAX);
    let kept = Placement::new([largest, -largest, 0.0], UNIT, [largest, 1.0, 1.0]).unwrap();
    assert_eq!(kept.translation(), [f32::MAX, f32::MIN, 0.0]);
    for value in [BEYOND, -BEYOND, largest.next_up()] {
        let error = Placement::IDENTITY
            .with_translation([0.0, 0.0, value])
            .unwrap_err();
        let field = PlacementField::Translation;
        assert_eq!(
            error,
            PlacementError::BeyondF32 {
                field,
                component: 'z',
                value
            }
        );
    }
    let error = Placement::IDENTITY
        .with_scale([BEYOND, 1.0, 1.0])
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "the scale's x is 3.5e38: a row holds 32-bit floats, so it must be within ±3.4028235e38"
    );
    let moved = Placement::IDENTITY.with_scale([1.0e30; 3]).unwrap();
    assert!(matches!(
        moved.about_pivot([1.0e20, 0.0, 0.0]),
        Err(PlacementError::BeyondF32 {
            field: PlacementField::Translation,
            component: 'x',
            ..
        })
    ));
}

#[test]
fn scales_are_judged_as_they_are_stored() {
    for value in [0.0, -0.0, -1.0, 1.0e-50, -1.0e-50, f64::MIN_POSITIVE, -1.0e-40] {
        let error = Placement::IDENTITY.with_scale([1.0, value, 1.0]).unwrap_err();
        assert!(
            matches!(error, PlacementError::ScaleNotPositive { component: 'y', .. }),
            "{value}: {error}"
        );
        assert!(error.to_string().contains("must be positive"), "{error}");
    }
    let smallest = f64::from(f32::MIN_POSITIVE);
    for value in [1.0e-40, 1.0e-45, smallest * (1.0 - 1.0e-6)] {
        let error = Placement::IDENTITY.with_scale([1.0, 1.0, value]).unwrap_err();
        assert!(
            matches!(error, PlacementError::ScaleSubnormal { component: 'z', .. }),
            "{value}: {error}"
        );
    }
    // The nearest float to this is normal, although the number itself is not.
    for value in [smallest, smallest * (1.0 - 1.0e-9)] {
        let kept = Placement::IDENTITY.with_scale([value; 3]).unwrap();
        assert_eq!(kept.scale(), [f32::MIN_POSITIVE; 3]);
    }
}

#[test]
fn rotations_must_be_unit_within_the_tolerance() {
    for rotation in [
        [2.0, 0.0, 0.0, 0.0],
        [0.0; 4],
        [1.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 1.0 + 2.0 * ROTATION_TOLERANCE],
    ] {
        let error = Placement::IDENTITY.with_rotation(rotation).unwrap_err();
        assert!(matches!(error, PlacementError::RotationNotUnit { .. }), "{error}");
        assert!(error.to_string().contains("unit_rotation"), "{error}");
    }
    for rotation in [
        [0.0, 0.0, 0.0, 1.0 - 0.9 * ROTATION_TOLERANCE],
        [0.38268, 0.0, 0.0, -0.92388],
        [0.5; 4],
    ] {
        assert!(
            Placement::IDENTITY.with_rotation(rotation).is_ok(),
            "{rotation:?}"
        );
    }
    let made_unit = unit_rotation([3.0e200, 0.0, 0.0, 4.0e200]).unwrap();
    assert!(
        made_unit
            .iter()
            .zip([0.6, 0.0, 0.0, 0.8])
            .all(|(a, b)| (a - b).abs() < 1.0e-15)
    );
    let error = unit_rotation([0.0; 4]).unwrap_err();
    assert_eq!(
        error,
        PlacementError::NoDirection {
            field: PlacementField::Rotation
        }
    );
}

#[test]
fn axes_have_any_length_but_zero() {
    let expected = axis_angle([0.0, 0.6, 0.8], 0.7).unwrap();
    for length in [1.0e-310, 1.0e-30, 5.0, 1.0e300] {
        let found = axis_angle([0.0, 0.6 * length, 0.8 * length], 0.7).unwrap();
        assert!(
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1.0e-12),
            "{length}: {found:?}"
        );
    }
    let error = axis_angle([0.0, -0.0, 0.0], 0.7).unwrap_err();
    assert_eq!(
        error,
        PlacementError::NoDirection {
            field: PlacementField::Axis
        }
    );
}

#[test]
fn scales_before_rotating_before_moving() {
    let quarter = axis_angle([0.0, 0.0, 1.0], FRAC_PI_2).unwrap();
    let placed = Placement::new([10.0, 20.0, 30.0], quarter, [2.0, 3.0, 4.0]).unwrap();
    let found = placed.apply([1.0, 1.0, 1.0]);
    for (found, expected) in found.iter().zip([7.0, 22.0, 34.0]) {
        assert!((found - expected).abs() < 1.0e-5, "{found} for {expected}");
    }
}

#[test]
fn the_identity_changes_no_bit() {
    let turned_fully = Placement::new([-0.0, 0.0, 0.0], [0.0, -0.0, 0.0, -1.0], ONES).unwrap();
    let odd = [-0.0, f32::from_bits(1), 3.0e38];
    for identity in [Placement::IDENTITY, Placement::default(), turned_fully] {
        assert!(identity.is_identity());
        assert_eq!(pack_row(&identity), [0; 11]);
        assert_eq!(identity.apply(odd).map(f32::to_bits), odd.map(f32::to_bits));
        assert_eq!(
            identity.apply_normal(odd).map(f32::to_bits),
            odd.map(f32::to_bits)
        );
        assert_eq!(
            identity.apply_inverse(odd).map(f32::to_bits),
            odd.map(f32::to_bits)
        );
    }
    let nearly = Placement::new([f64::from(f32::from_bits(1)), 0.0, 0.0], UNIT, ONES).unwrap();
    assert!(!nearly.is_identity());
}

#[test]
fn normals_survive_the_largest_and_smallest_scales() {
    let (small, large) = (f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
    for scale in [[small; 3], [large; 3], [small, large, 1.0], [large, large, small]] {
        let placed = Placement::IDENTITY.with_scale(scale).unwrap();
        for axis in 0..3 {
            let mut normal = [0.0_f32; 3];
            for length in [1.0e-6_f32, 1.0, f32::MAX] {
                normal[axis] = -length;
                let found = placed.apply_normal(normal);
                let expected: [f32; 3] = std::array::from_fn(|it| if it == axis { -1.0 } else { 0.0 });
                assert!(
                    found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1.0e-6),
                    "{scale:?} {found:?}"
                );
            }
        }
    }
}

#[test]
fn normals_without_a_direction_give_zero() {
    let placed = Placement::IDENTITY.with_scale([1.0, 2.0, 3.0]).unwrap();
    for normal in [
        [0.0; 3],
        [-0.0, 1.0e-13, 0.0],
        [f32::NAN, 0.0, 1.0],
        [0.0, f32::INFINITY, 0.0],
    ] {
        assert_eq!(placed.apply_normal(normal), [0.0; 3], "{normal:?}");
    }
}

#[test]
fn a_stretched_normal_stays_square_to_its_surface() {
    let placed = Placement::IDENTITY.with_scale([2.0, 1.0, 1.0]).unwrap();
    let [x, y, z] = placed.apply_normal([0.6, 0.8, 0.0]);
    let length = 0.3_f32.hypot(0.8);
    assert!((x - 0.3 / length).abs() < 1.0e-6 && (y - 0.8 / length).abs() < 1.0e-6 && z == 0.0);
}

#[test]
fn a_pivot_keeps_the_translation_on_top() {
    let half = Placement::new([0.0, 0.0, 5.0], axis_angle([0.0, 0.0, 1.0], PI).unwrap(), ONES).unwrap();
    let [x, y, z] = half.about_pivot([1.0, 0.0, 0.0]).unwrap().apply([2.0, 0.0, 0.0]);
    assert!(x.abs() < 1.0e-6 && y.abs() < 1.0e-6 && z == 5.0);
    let moved = Placement::IDENTITY.with_translation([0.1, 0.2, 0.3]).unwrap();
    assert_eq!(moved.about_pivot([1.0e30, 0.0, 0.0]).unwrap(), moved);
}

#[test]
fn rows_are_checked_when_they_are_read() {
    let mut row = pack_row(&Placement::IDENTITY.with_translation([1.0, 2.0, 3.0]).unwrap());
    assert_eq!(
        row[..4],
        [1, 1.0_f32.to_bits(), 2.0_f32.to_bits(), 3.0_f32.to_bits()]
    );
    for presence in [2, u32::MAX, 1.0_f32.to_bits()] {
        row[0] = presence;
        let error = unpack_row(&row).unwrap_err();
        assert_eq!(error, PlacementError::Presence { found: presence });
    }
    row[0] = 1;
    row[9] = 1;
    assert!(matches!(
        unpack_row(&row),
        Err(PlacementError::ScaleSubnormal { component: 'y', .. })
    ));
    row[2] = f32::NAN.to_bits();
    assert!(matches!(
        unpack_row(&row),
        Err(PlacementError::NotFinite { component: 'y', .. })
    ));
    // Nobody reads the other words of an absent row, the shader neither.
    row[0] = 0;
    assert_eq!(unpack_row(&row), Ok(Placement::IDENTITY));
    let mut only_presence = [0; 11];
    only_presence[0] = 1;
    assert!(matches!(
        unpack_row(&only_presence),
        Err(PlacementError::RotationNotUnit { .. })
    ));
}

/// A float of any size that is not subnormal.
fn any_size() -> impl Strategy<Value = f64> {
    (-126..127, 1.0_f64..2.0).prop_map(|(exponent, mantissa)| mantissa * 2.0_f64.powi(exponent))
}

proptest! {
    #[test]
    fn normals_of_any_size_over_scales_of_any_size_have_the_right_direction(
        size in -40_i32..120,
        normal in prop::array::uniform3(1.0_f64..128.0),
        scale in prop::array::uniform3(any_size()),
        rotation in any_rotation(),
    ) {
        let placed = Placement::new([1.0, 0.0, 0.0], rotation, scale).unwrap();
        let normal = normal.map(|x| (x * 2.0_f64.powi(size)) as f32);
        let found = placed.apply_normal(normal);
        let exact = turned(placed.rotation(), [0, 1, 2].map(|i| f64::from(normal[i]) / f64::from(placed.scale()[i])));
        let length = exact.iter().map(|x| x * x).sum::<f64>().sqrt();
        for axis in 0..3 {
            prop_assert!((f64::from(found[axis]) - exact[axis] / length).abs() < 2.0e-6);
        }
    }

    #[test]
    fn a_row_comes_back_with_its_bits(placement in any_placement()) {
        let row = pack_row(&placement);
        let back = unpack_row(&row).unwrap();
        prop_assert_eq!(pack_row(&back), row);
        prop_assert_eq!(row[0] == 1, !placement.is_identity());
        if row[0] == 1 {
            prop_assert_eq!(back, placement);
        }
    }

    #[test]
    fn any_words_are_a_placement_or_a_refusal(row in prop::array::uniform11(any::<u32>()), presence in 0_u32..3) {
        let mut row = row;
        row[0] = presence;
        if let Ok(placement) = unpack_row(&row) {
            prop_assert!(presence < 2);
            prop_assert!(presence == 0 || placement.is_identity() || pack_row(&placement) == row);
        }
    }

    #[test]
    fn positions_are_within_the_bound(placement in any_placement(), position in any_position()) {
        let found = placement.apply(position);
        let scale = placement.scale().map(f64::from);
        let scaled: [f64; 3] = std::array::from_fn(|i| scale[i] * f64::from(position[i]));
        let size = scaled.iter().map(|x| x.abs()).sum::<f64>();
        let exact = turned(placement.rotation(), scaled);
        for axis in 0..3 {
            let moved = f64::from(placement.translation()[axis]);
            let bound = 12.0 * 2.0_f64.powi(-24) * (size + moved.abs())
                + 2.0_f64.powi(-40) * (4.0 + scale.iter().sum::<f64>());
            let error = (f64::from(found[axis]) - (exact[axis] + moved)).abs();
            prop_assert!(error <= bound, "error {error:e}, bound {bound:e}");
        }
    }

    #[test]
    fn normals_are_unit_and_within_two_millionths(placement in any_placement(), normal in prop::array::uniform3(-1.0_f32..1.0)) {
        prop_assume!(normal.iter().any(|x| x.abs() > 1.0e-3) && !placement.is_identity());
        let found = placement.apply_normal(normal).map(f64::from);
        let stretched = std::array::from_fn(|i| f64::from(normal[i]) / f64::from(placement.scale()[i]));
        let exact = turned(placement.rotation(), stretched);
        let length = exact.iter().map(|x| x * x).sum::<f64>().sqrt();
        for axis in 0..3 {
            prop_assert!((found[axis] - exact[axis] / length).abs() < 2.0e-6);
        }
        let length = found.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assert!((length - 1.0).abs() < 3.0e-7, "{length}");
    }

    #[test]
    fn a_pivot_stays_within_rounding(placement in any_placement(), pivot in any_position()) {
        let about = placement.with_translation([0.0; 3]).unwrap().about_pivot(pivot.map(f64::from)).unwrap();
        let found = about.apply(pivot);
        let scale = placement.scale();
        let size: f32 = (0..3).map(|i| (pivot[i] * scale[i]).abs() + pivot[i].abs()).sum();
        for axis in 0..3 {
            let error = (found[axis] - pivot[axis]).abs();
            prop_assert!(error <= 24.0 * 2.0_f32.powi(-24) * size + 2.0_f32.powi(-30), "error {error:e}, size {size}");
        }
    }

    #[test]
    fn the_matrix_and_the_inverse_say_the_same(placement in any_placement(), position in any_position()) {
        let found = placement.apply(position);
        let matrix = placement.matrix();
        let scale = placement.scale();
        let size: f64 = (0..3)
            .map(|i| f64::from((position[i] * scale[i]).abs() + placement.translation()[i].abs()))
            .sum();
        for axis in 0..3 {
            let product: f64 = (0..3).map(|i| f64::from(matrix[i][axis]) * f64::from(position[i])).sum();
            let expected = product + f64::from(matrix[3][axis]);
            prop_assert!((f64::from(found[axis]) - expected).abs() <= 2.0e-6 * size + 1.0e-9);
        }
        prop_assert_eq!([matrix[0][3], matrix[1][3], matrix[2][3], matrix[3][3]], [0.0, 0.0, 0.0, 1.0]);
        let back = placement.apply_inverse(found);
        for axis in 0..3 {
            let bound = (2.0e-6 * size + 1.0e-9) / f64::from(scale[axis]);
            prop_assert!(f64::from((back[axis] - position[axis]).abs()) <= bound);
        }
    }
}
