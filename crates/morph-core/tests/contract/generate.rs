//! Generated normals and normal deltas against closed forms.
//! `morph-import` tests the same arithmetic against a slow twin and another program's normals.

use morph_core::generate::{Groups, Polygons, Surface, set_normal_deltas};
use morph_core::{BuildError, FaceWeight, GenerateError, MorphTarget, generate_normals};

use crate::support::{normals, positions};

const WEIGHTS: [FaceWeight; 2] = [FaceWeight::Angle, FaceWeight::Area];

/// Two sides of a cube that meet at a hard edge: vertices 0 to 3 face up, 4 to 7 face along X.
const EDGE: [[f32; 3]; 8] = [
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [1.0, 1.0, 1.0],
];
const EDGE_NORMALS: [[f32; 3]; 8] = {
    let (up, right) = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
    [up, up, up, up, right, right, right, right]
};
const EDGE_TRIANGLES: [u32; 12] = [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7];

fn assert_near(found: [f32; 3], expected: [f32; 3]) {
    for axis in 0..3 {
        assert!(
            (found[axis] - expected[axis]).abs() < 1.0e-6,
            "{found:?} {expected:?}"
        );
    }
}

/// Bends the upper side: its far rim rises by one, so that it leans by 45 degrees.
fn bend() -> MorphTarget {
    positions("bend", &[(0, [0.0, 0.0, 1.0]), (3, [0.0, 0.0, 1.0])])
}

#[test]
fn b114_what_is_given_stays_and_what_is_generated_keeps_hard_edges() {
    for weight in WEIGHTS {
        let given = MorphTarget {
            normals: Some(vec![[0.5, 0.0, 0.0]; 2]),
            ..bend()
        };
        let mut targets = [given.clone(), bend()];
        let base =
            generate_normals(&EDGE, Some(&EDGE_NORMALS), &EDGE_TRIANGLES, &mut targets, weight).unwrap();
        assert_eq!(base, EDGE_NORMALS);
        assert_eq!(targets[0], given, "never computed again");
        // The whole upper side turns, flat as it is, and the side that it meets does not.
        assert_eq!(targets[1].vertices, [0, 1, 2, 3]);
        let slant = 0.5_f32.sqrt();
        for delta in targets[1].normals.as_deref().unwrap() {
            assert_near(*delta, [slant, 0.0, slant - 1.0]);
        }
        let up = [0.0, 0.0, 1.0];
        assert_eq!(
            targets[1].positions.as_deref(),
            Some(&[up, [0.0; 3], [0.0; 3], up][..])
        );
    }
}

#[test]
fn without_base_normals_coinciding_vertices_are_smooth() {
    let mut targets = [bend()];
    let base = generate_normals(&EDGE, None, &EDGE_TRIANGLES, &mut targets, FaceWeight::Angle).unwrap();
    let slant = 0.5_f32.sqrt();
    for (vertex, expected) in [
        (0, [0.0, 0.0, 1.0]),
        (1, [slant, 0.0, slant]),
        (4, [slant, 0.0, slant]),
    ] {
        assert_near(base[vertex], expected);
    }
    // The rim between both sides turns too, in both its copies.
    assert_eq!(targets[0].vertices, [0, 1, 2, 3, 4, 7]);
}

#[test]
fn area_pulls_toward_large_faces_and_angle_does_not() {
    // A corner where a face of area 1/2 along Z meets one of area 50 along X, both at a right angle.
    let points = [
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 10.0, 0.0],
        [0.0, 0.0, 10.0],
    ];
    let triangles = [0, 1, 2, 0, 3, 4];
    let normal = |weight| generate_normals(&points, None, &triangles, &mut [], weight).unwrap()[0];
    let slant = 0.5_f32.sqrt();
    assert_near(normal(FaceWeight::Angle), [slant, 0.0, slant]);
    let area = normal(FaceWeight::Area);
    assert_near(area, [100.0, 0.0, 1.0].map(|x: f32| x / 10_001.0_f32.sqrt()));
}

#[test]
fn lips_that_touch_and_open_are_two_and_points_without_direction_are_unset() {
    let lips = [
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    let triangles = [0, 1, 2, 3, 4, 5];
    let mut open = [positions("open", &[(0, [0.0, 0.5, 0.0]), (3, [0.0, -0.5, 0.0])])];
    let base = generate_normals(&lips, None, &triangles, &mut open, FaceWeight::Angle).unwrap();
    assert_near(base[0], [0.0, 0.0, 1.0]);
    assert_near(base[3], [0.0, -1.0, 0.0]);
    for weight in WEIGHTS {
        let flat = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [9.0; 3]];
        let base = generate_normals(&flat, None, &[0, 1, 2], &mut [], weight).unwrap();
        assert_eq!(base, [[0.0, 1.0, 0.0]; 4]);
        // Two faces back to back cancel, however small they are.
        let tiny = flat.map(|[x, y, z]| [x * 1.0e-12, y, z]);
        let tiny = [tiny[0], tiny[1], [0.0, 1.0e-12, 0.0]];
        let base = generate_normals(&tiny, None, &[0, 1, 2, 0, 2, 1], &mut [], weight).unwrap();
        assert_eq!(base[0], [0.0, 1.0, 0.0]);
        let base = generate_normals(&tiny, None, &[0, 1, 2], &mut [], weight).unwrap();
        assert_near(base[0], [0.0, 0.0, 1.0]);
    }
}

#[test]
fn the_size_of_a_mesh_does_not_matter() {
    for weight in WEIGHTS {
        let of_size = |size: f32| {
            let edge = EDGE.map(|point| point.map(|x| x * size));
            let mut targets = [positions("bend", &[(0, [0.0, 0.0, size]), (3, [0.0, 0.0, size])])];
            let base = generate_normals(&edge, None, &EDGE_TRIANGLES, &mut targets, weight).unwrap();
            (base, targets[0].normals.clone())
        };
        // Powers of two, so that even the bits agree.
        assert_eq!(of_size(1.0), of_size(2.0_f32.powi(-30)));
        assert_eq!(of_size(1.0), of_size(2.0_f32.powi(30)));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let generate = |normals, triangles: &[u32], targets: &mut [MorphTarget]| {
        generate_normals(&EDGE, normals, triangles, targets, FaceWeight::Angle).unwrap_err()
    };
    assert_eq!(
        generate(None, &[0, 1], &mut []),
        GenerateError::PartialTriangle { found: 2 }
    );
    assert_eq!(
        generate(None, &[0, 1, 8], &mut []).to_string(),
        "index 2 is vertex 8, but the mesh has 8 vertices, counted from 0"
    );
    assert_eq!(
        generate(Some(&[[0.0; 3]; 3]), &[], &mut []),
        GenerateError::NormalLength {
            expected: 8,
            found: 3
        }
    );
    let mut targets = [positions("a", &[(8, [1.0; 3])])];
    assert!(matches!(
        generate(None, &[], &mut targets),
        GenerateError::Target(BuildError::VertexOutOfRange { vertex: 8, .. })
    ));
    let mut faces = Polygons::default();
    faces.push([0, 1, 3]);
    let error = Surface::new(&EDGE[..3], faces, FaceWeight::Area).unwrap_err();
    assert_eq!(
        error.to_string(),
        "corner 2 of the faces is point 3, but there are 3 points, counted from 0"
    );
}

#[test]
fn a_surface_leaves_out_points_that_it_does_not_have() {
    let mut faces = Polygons::default();
    faces.push([0, 1, 2, 3]);
    let mut more = Polygons::default();
    more.push([4, 5, 6, 7]);
    faces.append(&more);
    assert_eq!((faces.count(), faces.corners(1)), (2, 4..8));
    let mut surface = Surface::new(&EDGE, faces, FaceWeight::Angle).unwrap();
    assert_eq!(surface.normals().next(), Some([0.0, 0.0, 1.0]));
    assert_eq!(surface.normal_deltas([(99, [1.0; 3]), (0, [0.0; 3])]), []);
    let raised = [(0, [0.0, 0.0, 1.0]), (3, [0.0, 0.0, 1.0])];
    assert_eq!(surface.normal_deltas(raised).len(), 4);
    assert_eq!(
        surface.normal_deltas([]),
        [],
        "nothing is left of the target before"
    );
    let groups = Groups::new(2, [(1, 'a'), (0, 'b'), (5, 'c'), (1, 'd')].into_iter());
    assert_eq!(
        (groups.of(0), groups.of(1), groups.of(2)),
        (&['b'][..], &['a', 'd'][..], &[][..])
    );
    assert_eq!(groups.of(usize::MAX - 1), []);
}

#[test]
fn normal_deltas_join_what_a_target_moves_already() {
    let mut target = MorphTarget {
        tangents: Some(vec![[0.5; 3], [0.25; 3]]),
        ..positions("a", &[(4, [1.0; 3]), (2, [2.0; 3])])
    };
    set_normal_deltas(&mut target, &[(2, [0.1; 3]), (3, [0.2; 3])]);
    assert_eq!(target.vertices, [2, 3, 4]);
    assert_eq!(
        target.positions.as_deref(),
        Some(&[[2.0; 3], [0.0; 3], [1.0; 3]][..])
    );
    assert_eq!(
        target.tangents.as_deref(),
        Some(&[[0.25; 3], [0.0; 3], [0.5; 3]][..])
    );
    assert_eq!(
        target.normals.as_deref(),
        Some(&[[0.1; 3], [0.2; 3], [0.0; 3]][..])
    );
    let before = target.clone();
    set_normal_deltas(&mut target, &[]);
    assert_eq!(target, before);
    // A list that is too short is no reason to stop.
    let mut short = normals("b", &[(0, [1.0; 3]), (1, [1.0; 3])]);
    short.positions = Some(vec![]);
    set_normal_deltas(&mut short, &[(1, [0.5; 3])]);
    assert_eq!(short.positions.as_deref(), Some(&[[0.0; 3]; 2][..]));
}
