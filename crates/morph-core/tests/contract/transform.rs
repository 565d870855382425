//! Matrices baked into a mesh: targets are carried with it, and never moved.

use morph_core::{
    AffineTransform, MeshParts, MorphTarget, Quantization, Stream, TransformError, angle_between, morph,
};
use proptest::array::uniform3;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{build, normals, positions, rest, tangents};

const UP: [f32; 3] = [0.0, 0.0, 1.0];

/// A mesh that can be carried, and asked.
#[derive(Clone, Debug)]
struct Mesh {
    positions: Vec<[f32; 3]>,
    normals: Option<Vec<[f32; 3]>>,
    tangents: Option<Vec<[f32; 4]>>,
    triangles: Vec<u32>,
    targets: Vec<MorphTarget>,
}

impl Mesh {
    fn of(positions: &[[f32; 3]], targets: &[MorphTarget]) -> Self {
        Mesh {
            positions: positions.to_vec(),
            normals: None,
            tangents: None,
            triangles: Vec::new(),
            targets: targets.to_vec(),
        }
    }

    fn carry(&mut self, rows: &[[f32; 4]; 3]) -> Result<(), TransformError> {
        AffineTransform::from_rows(rows)?.apply(&mut MeshParts {
            positions: &mut self.positions,
            normals: self.normals.as_deref_mut(),
            tangents: self.tangents.as_deref_mut(),
            triangles: &mut self.triangles,
            targets: &mut self.targets,
        })
    }
}

fn assert_near(found: [f32; 3], expected: [f32; 3]) {
    for axis in 0..3 {
        assert!(
            (found[axis] - expected[axis]).abs() < 1.0e-6,
            "{found:?} {expected:?}"
        );
    }
}

#[test]
fn b059_an_axis_flip_turns_every_stream_of_a_target() {
    let target = MorphTarget {
        normals: Some(vec![[0.0, 0.0, 0.5]]),
        tangents: Some(vec![[0.0, 0.25, 0.5]]),
        ..positions("a", &[(0, UP)])
    };
    let mut mesh = Mesh {
        normals: Some(vec![UP]),
        tangents: Some(vec![[1.0, 0.0, 0.0, 1.0]]),
        ..Mesh::of(&[[1.0, 2.0, 3.0]], &[target])
    };
    mesh.carry(&[[1.0, 0.0, 0.0, 7.0], [0.0, 1.0, 0.0, 8.0], [0.0, 0.0, -1.0, 9.0]])
        .unwrap();
    assert_eq!(mesh.positions, [[8.0, 10.0, 6.0]]);
    assert_eq!(mesh.normals.unwrap(), [[0.0, 0.0, -1.0]]);
    let target = &mesh.targets[0];
    assert_eq!(target.positions.as_deref(), Some(&[[0.0, 0.0, -1.0]][..]));
    assert_eq!(target.normals.as_deref(), Some(&[[0.0, 0.0, -0.5]][..]));
    assert_eq!(target.tangents.as_deref(), Some(&[[0.0, 0.25, -0.5]][..]));
}

#[test]
fn b060_a_baked_node_carries_deltas_by_its_linear_part() {
    // Scale (2, 1, 1), then a quarter turn about Z, then 5 along X.
    let rows = [[0.0, -1.0, 0.0, 5.0], [2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let slanted = [0.6, 0.8, 0.0];
    let target = MorphTarget {
        normals: Some(vec![[0.0, 0.1, 0.2]]),
        ..positions("a", &[(0, [1.0, 0.0, 0.0])])
    };
    let mut mesh = Mesh {
        normals: Some(vec![slanted]),
        ..Mesh::of(&[[1.0, 1.0, 1.0]], &[target])
    };
    mesh.carry(&rows).unwrap();
    assert_eq!(mesh.positions, [[4.0, 2.0, 1.0]]);
    let target = &mesh.targets[0];
    assert_eq!(target.positions.as_deref(), Some(&[[0.0, 2.0, 0.0]][..]));
    // The inverse transpose is the turn times (1/2, 1, 1); the base normal becomes (-0.8, 0.3, 0) before it is
    // made unit.
    let length = 0.73_f32.sqrt();
    assert_near(mesh.normals.unwrap()[0], [-0.8 / length, 0.3 / length, 0.0]);
    assert_near(
        target.normals.as_deref().unwrap()[0],
        [-0.1 / length, 0.0, 0.2 / length],
    );
}

#[test]
fn b063_a_mirror_turns_triangles_over_and_negates_handedness() {
    let mut mesh = Mesh {
        normals: Some(vec![UP; 3]),
        tangents: Some(vec![[1.0, 0.0, 0.0, 1.0]; 3]),
        triangles: vec![0, 1, 2, 2, 1, 0],
        ..Mesh::of(&[[1.0; 3]; 3], &[positions("a", &[(0, [1.0, 0.0, 0.0])])])
    };
    let rows = [[-1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    assert!(AffineTransform::from_rows(&rows).unwrap().mirrors());
    mesh.carry(&rows).unwrap();
    assert_eq!(mesh.triangles, [0, 2, 1, 2, 0, 1]);
    assert_eq!(mesh.tangents.unwrap()[0], [-1.0, 0.0, 0.0, -1.0]);
    assert_eq!(mesh.normals.unwrap()[0], UP, "outside stays outside");
    assert_eq!(
        mesh.targets[0].positions.as_deref(),
        Some(&[[-1.0, 0.0, 0.0]][..])
    );
}

#[test]
fn b124_a_tangent_is_made_unit_without_its_w() {
    let mut mesh = Mesh {
        tangents: Some(vec![[2.0, 0.0, 0.0, -1.0]]),
        ..Mesh::of(&[[0.0; 3]], &[tangents("a", &[(0, [0.0, 1.0, 0.0])])])
    };
    mesh.carry(&[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
        .unwrap();
    assert_eq!(mesh.tangents.unwrap(), [[1.0, 0.0, 0.0, -1.0]]);
    assert_eq!(
        mesh.targets[0].tangents.as_deref(),
        Some(&[[0.0, 0.5, 0.0]][..]),
        "scaled as its base is, so that their sum points where it did"
    );
}

#[test]
fn a_change_of_units_leaves_normal_deltas_alone_also_without_base_normals() {
    let rows = [
        [100.0, 0.0, 0.0, 1.0],
        [0.0, 100.0, 0.0, 2.0],
        [0.0, 0.0, 100.0, 3.0],
    ];
    for base in [None, Some(vec![[0.0; 3]]), Some(vec![UP])] {
        let mut mesh = Mesh {
            normals: base,
            ..Mesh::of(&[[0.0; 3]], &[normals("a", &[(0, [0.0, 0.5, 0.25])])])
        };
        mesh.carry(&rows).unwrap();
        assert_near(mesh.targets[0].normals.as_deref().unwrap()[0], [0.0, 0.5, 0.25]);
    }
}

fn matrix() -> impl Strategy<Value = [[f32; 4]; 3]> {
    vec(-3.0..3.0_f32, 12).prop_map(|x| {
        [
            [x[0], x[1], x[2], x[3]],
            [x[4], x[5], x[6], x[7]],
            [x[8], x[9], x[10], x[11]],
        ]
    })
}

proptest! {
    #[test]
    fn morphing_and_carrying_commute(
        rows in matrix(),
        base in vec(uniform3(-2.0..2.0_f32), 6),
        deltas in vec(uniform3(-1.0..1.0_f32), 6),
        weight in -1.0..2.0_f32,
    ) {
        prop_assume!(AffineTransform::from_rows(&rows).is_ok());
        let entries: Vec<(u32, [f32; 3])> = (0..).zip(deltas).collect();
        let mut mesh = Mesh::of(&base, &[positions("a", &entries)]);
        let morph_of = |mesh: &Mesh| {
            let (built, _) = build(6, &mesh.targets, Quantization::F32);
            morph(&built, &rest(&mesh.positions, None, None), &[weight]).unwrap().positions
        };
        let mut expected = Mesh::of(&morph_of(&mesh), &[]);
        expected.carry(&rows).unwrap();
        mesh.carry(&rows).unwrap();
        for (found, expected) in morph_of(&mesh).into_iter().zip(expected.positions) {
            for axis in 0..3 {
                prop_assert!((found[axis] - expected[axis]).abs() < 2.0e-5, "{found:?} {expected:?}");
            }
        }
    }

    /// The direction of base normal plus delta is that of the morphed surface after the matrix as before.
    #[test]
    fn morphed_normals_point_as_if_carried_whole(
        rows in matrix(),
        base in uniform3(-1.0..1.0_f32),
        delta in uniform3(-1.0..1.0_f32),
    ) {
        let length = |v: [f32; 3]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
        prop_assume!(length(base) > 0.3);
        let base = base.map(|x| x / length(base));
        let whole = [0, 1, 2].map(|axis| base[axis] + delta[axis]);
        prop_assume!(length(whole) > 0.1);
        let transform = AffineTransform::from_rows(&rows);
        prop_assume!(transform.is_ok());
        // Nearly flat matrices magnify roundings of normals.
        let volume = {
            let [a, b, c] = rows.map(|[x, y, z, _]| [x, y, z].map(f64::from));
            a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        prop_assume!(volume.abs() > 0.5);
        let mut apart = Mesh { normals: Some(vec![base]), ..Mesh::of(&[[0.0; 3]], &[normals("a", &[(0, delta)])]) };
        let mut together = Mesh { normals: Some(vec![whole]), ..Mesh::of(&[[0.0; 3]], &[]) };
        apart.carry(&rows).unwrap();
        together.carry(&rows).unwrap();
        let unit = apart.normals.as_ref().unwrap()[0];
        prop_assert!((length(unit) - 1.0).abs() < 1.0e-6);
        let moved = apart.targets[0].normals.as_ref().unwrap()[0];
        let sum = [0, 1, 2].map(|axis| f64::from(unit[axis]) + f64::from(moved[axis]));
        let expected = together.normals.unwrap()[0].map(f64::from);
        prop_assert!(angle_between(expected, sum) < 1.0e-3, "{sum:?} {expected:?}");
    }
}

#[test]
fn matrices_that_cannot_be_baked_are_refused() {
    let flat = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]];
    assert_eq!(
        AffineTransform::from_rows(&flat).unwrap_err(),
        TransformError::Singular { spanned: 0.0 }
    );
    let parallel = [[0.1, 0.2, 0.3, 0.0], [0.3, 0.6, 0.9, 0.0], [0.5, 0.1, 0.7, 0.0]];
    let error = AffineTransform::from_rows(&parallel).unwrap_err();
    assert!(matches!(error, TransformError::Singular { .. }), "{error}");
    let tiny = [
        [1.0e-6, 0.0, 0.0, 0.0],
        [0.0, 1.0e-6, 0.0, 0.0],
        [0.0, 0.0, 1.0e-6, 0.0],
    ];
    assert!(AffineTransform::from_rows(&tiny).is_ok(), "small is not singular");
    let mut nan = tiny;
    nan[1][3] = f32::NAN;
    assert_eq!(
        AffineTransform::from_rows(&nan).unwrap_err().to_string(),
        "row 1, column 3 of the matrix is NaN: matrices must be finite"
    );
    let mut columns = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [1.0, 2.0, 3.0, 1.0],
    ];
    let mut mesh = Mesh::of(&[[0.0; 3]], &[]);
    let transform = AffineTransform::from_columns(&columns).unwrap();
    let mut parts = MeshParts {
        positions: &mut mesh.positions,
        normals: None,
        tangents: None,
        triangles: &mut [],
        targets: &mut [],
    };
    transform.apply(&mut parts).unwrap();
    assert_eq!(mesh.positions, [[1.0, 2.0, 3.0]]);
    columns[2][3] = 0.5;
    let error = AffineTransform::from_columns(&columns).unwrap_err();
    assert_eq!(
        error,
        TransformError::NotAffine {
            row: [0.0, 0.0, 0.5, 1.0]
        }
    );
}

#[test]
fn parts_that_do_not_fit_are_refused_and_nothing_has_changed() {
    let twice = [[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]];
    let good = Mesh::of(&[[1.0; 3]; 2], &[positions("a", &[(1, [1.0; 3])])]);
    let refuse = |mut mesh: Mesh| {
        let error = mesh.carry(&twice).unwrap_err();
        assert_eq!(mesh.positions, [[1.0; 3]; 2]);
        assert_eq!(mesh.targets[0].positions, good.targets[0].positions);
        error
    };
    let error = refuse(Mesh {
        normals: Some(vec![UP]),
        ..good.clone()
    });
    assert!(matches!(
        error,
        TransformError::StreamLength {
            stream: Stream::Normal,
            expected: 2,
            found: 1
        }
    ));
    let error = refuse(Mesh {
        triangles: vec![0, 1],
        ..good.clone()
    });
    assert_eq!(error, TransformError::PartialTriangle { found: 2 });
    let mut mesh = good.clone();
    mesh.targets.push(positions("b", &[(2, [1.0; 3])]));
    assert_eq!(
        refuse(mesh).to_string(),
        "target 1 `b`: entry 0 moves vertex 2, but the mesh has 2 vertices, counted from 0"
    );
    let mut mesh = good.clone();
    mesh.targets.push(MorphTarget {
        tangents: Some(vec![]),
        ..positions("b", &[(0, [1.0; 3])])
    });
    assert_eq!(
        refuse(mesh).to_string(),
        "target 1 `b`: 0 tangent deltas for 1 moved vertices: give one for each"
    );
}
