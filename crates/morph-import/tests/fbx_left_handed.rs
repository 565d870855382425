//! FBX files in left-handed axes: mirrored, and all that has a side stays on its side.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;
#[path = "common/fbx.rs"]
mod fbx;

use common::check;
use fbx::{Fbx, Shape};
use glam::{Mat4, Vec3};
use morph_anim::{Channel, Pose, WeightBinding};
use morph_import::{ImportOptions, Model, Primitive, Space};

const OFFSET: [f64; 3] = [0.25, 0.5, 0.75];
const TURN: [f64; 3] = [0.125, 0.25, -0.5];
const MOVED: [f64; 3] = [1.0, 2.0, 3.0];

/// A cube with outward faces and normals, a target that moves and turns its corner 6, and a node that is moved, and
/// moves on along its Z axis and turns about its Y axis for a second.
fn cube() -> Fbx {
    let mut fbx = Fbx::new();
    let (geometry, node) = fbx.hard_cube("");
    let face = fbx.deformer(geometry, "face");
    let shape = Shape {
        normals: Some(vec![TURN]),
        ..Shape::new("pull", &[6], OFFSET)
    };
    fbx.channel(face, "pull", 0.0, &[shape]);
    let layer = fbx.stack("walk");
    let from = |start: f64, end: f64| [(0.0, start), (1.0, end)];
    fbx.animate(
        layer,
        node,
        "Lcl Translation",
        &[
            ("d|X", &from(MOVED[0], MOVED[0])),
            ("d|Y", &from(MOVED[1], MOVED[1])),
            ("d|Z", &from(MOVED[2], MOVED[2] + 4.0)),
        ],
    );
    fbx.animate(layer, node, "Lcl Rotation", &[("d|Y", &from(0.0, 90.0))]);
    fbx
}

fn load(axes: &[(&str, i64)], space: Space) -> Model {
    let options = ImportOptions {
        space,
        ..ImportOptions::default()
    };
    let model = cube().axes(axes).load_with(&options).unwrap();
    check(&model);
    model
}

/// The matrix of the cube's node at a time of the clip.
fn world(model: &Model, seconds: f32) -> Mat4 {
    let layout = std::sync::Arc::new(model.pose_layout().unwrap());
    let clip = std::sync::Arc::new(model.clips[0].clone());
    let bound = morph_anim::BoundClip::new(&clip, &layout, WeightBinding::ByNode).unwrap();
    let mut pose = Pose::new(layout);
    bound
        .sample_into(seconds, &mut bound.cursors(), &mut pose)
        .unwrap();
    let shown = model.nodes.iter().position(|node| node.mesh.is_some()).unwrap();
    model.world_matrices(Some(&pose)).unwrap()[shown]
}

/// Twice the area of a triangle along its normal, by a counterclockwise front.
fn area(corners: [Vec3; 3]) -> Vec3 {
    (corners[1] - corners[0]).cross(corners[2] - corners[0])
}

fn assert_faces_look_outward(primitive: &Primitive, world: &Mat4) {
    let positions: Vec<Vec3> = primitive
        .positions
        .iter()
        .map(|&position| world.transform_point3(position.into()))
        .collect();
    let center = positions.iter().sum::<Vec3>() / positions.len() as f32;
    let normals = primitive.normals.as_ref().unwrap();
    for corners in primitive.indices.chunks_exact(3) {
        let at = |corner: usize| positions[corners[corner] as usize];
        let front = area([at(0), at(1), at(2)]);
        assert!(front.dot(at(0) - center) > 0.1, "{corners:?} looks inward");
        for &corner in corners {
            let normal = world.transform_vector3(normals[corner as usize].into());
            assert!(normal.abs_diff_eq(front.normalize(), 1e-6), "{normal} on {front}");
        }
    }
}

/// Where a control point of the cube stands in the scene, and how far the target moves and turns it.
fn corner(model: &Model, world: &Mat4, point: u32) -> [Vec3; 3] {
    let primitive = &model.meshes[0].primitives[0];
    let of_point = primitive.source_points.as_ref().unwrap();
    let vertex = of_point.iter().position(|&it| it == point).unwrap();
    let target = &primitive.targets[0];
    let delta = |stream: &Option<Vec<[f32; 3]>>| {
        let entry = target.vertices.iter().position(|&it| it as usize == vertex);
        let delta = entry.map_or([0.0; 3], |entry| stream.as_ref().unwrap()[entry]);
        world.transform_vector3(delta.into())
    };
    [
        world.transform_point3(primitive.positions[vertex].into()),
        delta(&target.positions),
        delta(&target.normals),
    ]
}

fn vector(values: [f64; 3]) -> Vec3 {
    Vec3::from(values.map(|value| value as f32))
}

#[test]
fn a_left_handed_file_is_mirrored_with_its_windings_normals_and_deltas() {
    // What points to the right, or to the front, is turned around: so is the scene along that axis.
    for (axes, mirror) in [
        (
            [("CoordAxisSign", -1), ("FrontAxisSign", 1)],
            Vec3::new(-1.0, 1.0, 1.0),
        ),
        (
            [("CoordAxisSign", 1), ("FrontAxisSign", -1)],
            Vec3::new(1.0, 1.0, -1.0),
        ),
        // Both are a turn, and the file is right-handed.
        (
            [("CoordAxisSign", -1), ("FrontAxisSign", -1)],
            Vec3::new(-1.0, 1.0, -1.0),
        ),
        ([("CoordAxisSign", 1), ("FrontAxisSign", 1)], Vec3::ONE),
    ] {
        let model = load(&axes, Space::Meters);
        let start = world(&model, 0.0);
        assert!(start.determinant() > 0.0, "{axes:?}: no node mirrors");
        assert_faces_look_outward(&model.meshes[0].primitives[0], &start);
        let [position, delta, turn] = corner(&model, &start, 6);
        let close = |found: Vec3, expected: Vec3| {
            let expected = expected * mirror;
            assert!(
                found.abs_diff_eq(expected, 1e-5),
                "{axes:?}: {found}, not {expected}"
            );
        };
        close(position, Vec3::ONE + vector(MOVED));
        close(delta, vector(OFFSET));
        close(turn, vector(TURN));
        close(corner(&model, &start, 0)[1], Vec3::ZERO);
        // A quarter turn about Y takes X to -Z and Z to X.
        let end = world(&model, 1.0);
        let [position, delta, _] = corner(&model, &end, 6);
        close(
            position,
            Vec3::new(1.0, 1.0, -1.0) + vector(MOVED) + 4.0 * Vec3::Z,
        );
        let [x, y, z] = vector(OFFSET).to_array();
        close(delta, Vec3::new(z, y, -x));
        assert_faces_look_outward(&model.meshes[0].primitives[0], &end);
    }
}

#[test]
fn in_the_space_of_the_file_nothing_is_mirrored() {
    let right = load(&[], Space::File);
    let left = load(&[("CoordAxisSign", -1)], Space::File);
    let primitive = |model: &Model| {
        let primitive = &model.meshes[0].primitives[0];
        (
            primitive.positions.clone(),
            primitive.indices.clone(),
            primitive.targets.clone(),
        )
    };
    assert_eq!(primitive(&left), primitive(&right));
    let moves = |model: &Model| {
        let tracks = model.clips[0].tracks.iter();
        tracks
            .filter(|track| matches!(track.channel, Channel::Translation(_)))
            .count()
    };
    assert_eq!((moves(&left), moves(&right)), (1, 1));
    assert_eq!(world(&left, 1.0), world(&right, 1.0));
}
