//! Generated normals and normal deltas, against closed forms, a slow twin, and another program's normals.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measure"
)]

mod common;

use std::collections::HashMap;

use common::{Builder, check, dense, load_bytes, pack_glb, shared_or_skip, unpack_glb};
use glam::DVec3;
use morph_import::{ImportOptions, Mesh, Model, Primitive, load};
use proptest::prelude::*;
use serde_json::{Value, json};

fn options() -> ImportOptions {
    ImportOptions {
        generate_normals: true,
        ..ImportOptions::default()
    }
}

fn generated(builder: &Builder) -> Model {
    let model = builder.load_with(&options()).unwrap();
    check(&model);
    model
}

fn primitive_of(
    builder: &mut Builder,
    positions: &[[f32; 3]],
    indices: &[u16],
    targets: &[Vec<[f32; 3]>],
) -> Value {
    let targets: Vec<Value> = targets
        .iter()
        .map(|target| json!({ "POSITION": builder.floats(target) }))
        .collect();
    let mut primitive = json!({
        "attributes": { "POSITION": builder.floats(positions) }, "indices": builder.indices(indices),
    });
    if !targets.is_empty() {
        primitive["targets"] = json!(targets);
    }
    primitive
}

fn mesh_of(positions: &[[f32; 3]], indices: &[u16], targets: &[Vec<[f32; 3]>]) -> Mesh {
    let mut builder = Builder::new();
    let primitive = primitive_of(&mut builder, positions, indices, targets);
    builder.mesh(json!({ "primitives": [primitive] }));
    generated(&builder).meshes.remove(0)
}

/// A box whose quads are cut along one diagonal each, so that corners have one or two triangles of a side.
const CUBE: [[f32; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [1.0, 1.0, 1.0],
];
const CUBE_INDICES: [u16; 36] = [
    0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7,
    5,
];

fn close(a: [f32; 3], b: [f64; 3]) -> bool {
    (0..3).all(|axis| (f64::from(a[axis]) - b[axis]).abs() < 2e-7)
}

#[test]
fn a_corner_of_a_cube_points_along_its_diagonal_however_its_sides_are_cut() {
    let mesh = mesh_of(&CUBE, &CUBE_INDICES, &[]);
    let third = 1.0 / 3.0_f64.sqrt();
    for (position, &normal) in CUBE.iter().zip(mesh.primitives[0].normals.as_ref().unwrap()) {
        let expected = position.map(|component| if component > 0.5 { third } else { -third });
        assert!(close(normal, expected), "{normal:?} at {position:?}");
    }
}

#[test]
fn stretching_a_cube_leaves_its_right_angles_and_so_its_normals() {
    let stretch: Vec<[f32; 3]> = CUBE
        .iter()
        .map(|position| [position[0] * 4.0, 0.0, 0.0])
        .collect();
    let mesh = mesh_of(&CUBE, &CUBE_INDICES, &[stretch]);
    let target = &mesh.primitives[0].targets[0];
    // Nothing turns, so no stream is made.
    assert_eq!(target.normals, None);
    assert_eq!(target.vertices, [1, 3, 5, 7]);
}

#[test]
fn turning_a_mesh_turns_its_normals() {
    let quarter: Vec<[f32; 3]> = CUBE.iter().map(|&[x, y, _]| [-y - x, x - y, 0.0]).collect();
    let mesh = mesh_of(&CUBE, &CUBE_INDICES, &[quarter]);
    let primitive = &mesh.primitives[0];
    let deltas = dense(&primitive.targets[0], primitive.targets[0].normals.as_ref(), 8);
    for (&[x, y, _], delta) in primitive.normals.as_ref().unwrap().iter().zip(deltas) {
        assert!(
            close(delta, [f64::from(-y - x), f64::from(x - y), 0.0]),
            "{delta:?}"
        );
    }
}

#[test]
fn only_the_surroundings_of_what_moves_are_listed() {
    // A strip of quads; the last vertex of the far end moves.
    let count = 20_u16;
    let positions: Vec<[f32; 3]> = (0..count)
        .flat_map(|i| [[f32::from(i), 0.0, 0.0], [f32::from(i), 1.0, 0.0]])
        .collect();
    let indices: Vec<u16> = (0..count - 1)
        .flat_map(|i| [0, 2, 1, 1, 2, 3].map(|corner| 2 * i + corner))
        .collect();
    let mut target = vec![[0.0; 3]; positions.len()];
    target[39] = [0.0, 0.0, 1.0];
    let mesh = mesh_of(&positions, &indices, &[target]);
    let target = &mesh.primitives[0].targets[0];
    assert_eq!(target.vertices, [37, 38, 39]);
    assert_eq!(target.positions.as_ref().unwrap()[..2], [[0.0; 3]; 2]);
    assert!(
        target
            .normals
            .as_ref()
            .unwrap()
            .iter()
            .all(|&delta| delta != [0.0; 3])
    );
}

#[test]
fn a_texture_seam_stays_smooth_and_a_mouth_stays_two_lips() {
    // Two triangles folded along an edge, each with vertices of its own.
    let positions = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, -1.0],
    ];
    let indices = [0, 1, 2, 3, 4, 5];
    let together = vec![[0.0, 0.5, 0.0]; 6];
    let smooth = mesh_of(&positions, &indices, &[together]);
    let normals = smooth.primitives[0].normals.as_ref().unwrap();
    assert_eq!(normals[0], normals[3]);
    assert_eq!(normals[1], normals[4]);
    let half = 0.5_f64.sqrt();
    assert!(close(normals[0], [0.0, half, half]), "{:?}", normals[0]);

    let mut apart = vec![[0.0; 3]; 6];
    apart[3] = [0.0, -0.5, 0.0];
    apart[4] = [0.0, -0.5, 0.0];
    let open = mesh_of(&positions, &indices, &[apart]);
    let normals = open.primitives[0].normals.as_ref().unwrap();
    assert_eq!(normals[0], [0.0, 0.0, 1.0]);
    assert_eq!(normals[4], [0.0, 1.0, 0.0]);
}

#[test]
fn primitives_of_one_mesh_are_one_surface() {
    let mut builder = Builder::new();
    let target = |z: f32| vec![vec![[0.0, 0.0, z], [0.0, 0.0, z], [0.0; 3]]];
    let a = primitive_of(
        &mut builder,
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        &[0, 1, 2],
        &target(0.0),
    );
    let b = primitive_of(
        &mut builder,
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
        &[0, 1, 2],
        &target(0.0),
    );
    builder.mesh(json!({ "primitives": [a, b] }));
    let mesh = generated(&builder).meshes.remove(0);
    let [a, b] = &mesh.primitives[..] else {
        panic!("two primitives")
    };
    let [a, b] = [a, b].map(|primitive| primitive.normals.as_ref().unwrap());
    let half = 0.5_f64.sqrt();
    for normals in [a, b] {
        assert!(close(normals[0], [0.0, half, half]), "{:?}", normals[0]);
        assert_eq!(normals[0], normals[1]);
    }
}

#[test]
fn b015_b114_what_the_file_gives_stays_and_its_hard_edges_too() {
    let mut builder = Builder::new();
    let position = builder.sparse_vec3(4, 0, [0.0, 0.0, 0.5]);
    let normal = builder.sparse_vec3(4, 3, [0.25, 0.0, 0.0]);
    let quad =
        builder.full_quad(json!([{ "POSITION": position, "NORMAL": normal }, { "POSITION": position }]));
    builder.mesh(json!({ "primitives": [quad] }));
    let model = generated(&builder);
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.normals.as_deref(), Some(&common::QUAD_NORMALS[..]));
    assert_eq!(primitive.targets[0].vertices, [0, 3]);
    assert_eq!(
        primitive.targets[0].normals.as_deref(),
        Some(&[[0.0; 3], [0.25, 0.0, 0.0]][..])
    );
    // The second target had none: vertex 0 turns, and its neighbors by both triangles.
    assert_eq!(primitive.targets[1].vertices, [0, 1, 2, 3]);

    // Two triangles with an edge in common and normals that differ there.
    let mut builder = Builder::new();
    let positions = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, -1.0],
    ];
    let mut apex = vec![[0.0; 3]; 6];
    apex[5] = [0.0, 0.5, 0.0];
    let mut primitive = primitive_of(&mut builder, &positions, &[0, 1, 2, 3, 4, 5], &[apex]);
    let mut normals = [[0.0, 0.0, 1.0]; 6];
    normals[3..].fill([0.0, 1.0, 0.0]);
    primitive["attributes"]["NORMAL"] = json!(builder.floats(&normals));
    builder.mesh(json!({ "primitives": [primitive] }));
    let model = generated(&builder);
    // The first triangle does not move, and across a hard edge its normals do not follow.
    assert_eq!(model.meshes[0].primitives[0].targets[0].vertices, [3, 4, 5]);
}

#[test]
fn faces_without_area_and_points_without_faces_get_the_unset_normal() {
    let positions = [
        [0.0; 3],
        [1.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [9.0, 9.0, 9.0],
        [f32::NAN, 0.0, 0.0],
    ];
    let indices = [0, 1, 2, 0, 1, 4];
    // The target opens the face without area; there is a normal then.
    let mut target = vec![[0.0; 3]; 5];
    target[1] = [0.0, 1.0, 0.0];
    let mesh = mesh_of(&positions, &indices, &[target]);
    let primitive = &mesh.primitives[0];
    assert_eq!(primitive.normals.as_ref().unwrap()[..4], [[0.0, 1.0, 0.0]; 4]);
    assert_eq!(primitive.targets[0].vertices, [0, 1, 2]);
    assert_eq!(
        primitive.targets[0].normals.as_ref().unwrap()[0],
        [0.0, -1.0, -1.0]
    );

    // A target that flattens a face away keeps the normals of rest.
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = mesh_of(
        &positions,
        &[0, 1, 2],
        &[vec![[0.0; 3], [0.0; 3], [0.0, -1.0, 0.0]]],
    );
    assert_eq!(mesh.primitives[0].targets[0].normals, None);
}

#[test]
fn points_and_lines_get_no_normals() {
    let mut builder = Builder::new();
    let mut quad = builder.quad(json!([]));
    quad["mode"] = json!(0);
    builder.mesh(json!({ "primitives": [quad] }));
    assert_eq!(generated(&builder).meshes[0].primitives[0].normals, None);
}

/// Normals of a mesh at one target's full weight, the slow and plain way; vertices that coincide are told by the caller.
fn slow_normals(primitive: &Primitive, deltas: &[[f32; 3]], same: &[usize]) -> Vec<DVec3> {
    let vector = |v: [f32; 3]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
    let at = |v: u32| vector(primitive.positions[v as usize]) + vector(deltas[v as usize]);
    let mut sums: HashMap<usize, DVec3> = HashMap::new();
    for face in primitive.indices.as_chunks::<3>().0 {
        for corner in 0..3 {
            let [a, b, c] = [0, 1, 2].map(|offset| at(face[(corner + offset) % 3]));
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let angle = (b - a).angle_between(c - a);
            if normal != DVec3::ZERO {
                *sums.entry(same[face[corner] as usize]).or_default() += normal * angle;
            }
        }
    }
    same.iter()
        .map(|point| sums.get(point).map_or(DVec3::Y, |sum| sum.normalize()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn deltas_equal_those_of_the_slow_twin(
        heights in prop::collection::vec(-1.0_f32..1.0, 36),
        moves in prop::collection::vec((0_usize..36, prop::array::uniform3(-0.4_f32..0.4)), 1..12),
    ) {
        // A grid of six by six, its middle column doubled as at a texture seam.
        let mut positions = Vec::new();
        let mut same = Vec::new();
        let mut vertex = HashMap::new();
        for y in 0..6 {
            for x in 0..6 {
                for side in [0, 1] {
                    if side == 0 || x == 3 {
                        vertex.insert((x, y, side), positions.len() as u16);
                        same.push(y * 6 + x);
                        positions.push([x as f32, y as f32, heights[y * 6 + x]]);
                    }
                }
            }
        }
        let mut indices = Vec::new();
        for y in 0..5 {
            for x in 0..5 {
                let corner = |dx: usize, dy: usize| vertex[&(x + dx, y + dy, usize::from(x >= 3 && x + dx == 3))];
                indices.extend([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 0), corner(1, 1), corner(0, 1)]);
            }
        }
        let mut target = vec![[0.0; 3]; positions.len()];
        for (point, delta) in moves {
            for (vertex, _) in same.iter().enumerate().filter(|&(_, &other)| other == point) {
                target[vertex] = delta;
            }
        }
        let mesh = mesh_of(&positions, &indices, std::slice::from_ref(&target));
        let primitive = &mesh.primitives[0];
        let rest = slow_normals(primitive, &vec![[0.0; 3]; positions.len()], &same);
        let morphed = slow_normals(primitive, &target, &same);
        let deltas = dense(&primitive.targets[0], primitive.targets[0].normals.as_ref(), positions.len());
        for v in 0..positions.len() {
            let normal = primitive.normals.as_ref().unwrap()[v];
            prop_assert!(close(normal, rest[v].to_array()), "{normal:?} {:?}", rest[v]);
            prop_assert!(close(deltas[v], (morphed[v] - rest[v]).to_array()), "{:?}", deltas[v]);
        }
    }
}

/// Angles in degrees between two programs' normals of one body: at rest, then in every target at weight 1.
///
/// `theirs` gives the vertex of `given` for each vertex of `made`.
fn angles(given: &Mesh, made: &Mesh, theirs: &[usize]) -> [Vec<f64>; 2] {
    let vector = |v: [f32; 3]| DVec3::new(v[0].into(), v[1].into(), v[2].into());
    let (given_body, made_body) = (&given.primitives[0], &made.primitives[0]);
    let given_rest = given_body.normals.as_ref().unwrap();
    let made_rest = made_body.normals.as_ref().unwrap();
    let angle = |v: usize, given_delta: DVec3, made_delta: DVec3| {
        let given = vector(given_rest[theirs[v]]) + given_delta;
        given
            .angle_between(vector(made_rest[v]) + made_delta)
            .to_degrees()
    };
    let rest = (0..theirs.len())
        .map(|v| angle(v, DVec3::ZERO, DVec3::ZERO))
        .collect();
    let mut morphed = Vec::new();
    for (slot, name) in made.target_names.iter().enumerate() {
        let other = given.target_names.iter().position(|other| other == name).unwrap();
        let (target, other) = (&made_body.targets[slot], &given_body.targets[other]);
        let made_deltas = dense(target, target.normals.as_ref(), made_rest.len());
        let given_deltas = dense(other, other.normals.as_ref(), given_rest.len());
        let of = |&v: &u32| {
            let v = v as usize;
            angle(v, vector(given_deltas[theirs[v]]), vector(made_deltas[v]))
        };
        morphed.extend(target.vertices.iter().map(of));
    }
    [rest, morphed]
}

fn quantiles(what: &str, mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let quantiles = [0.5, 0.99, 1.0].map(|q| values[((values.len() - 1) as f64 * q) as usize]);
    println!(
        "{what}: median {:.4}, 99 % {:.4}, all {:.4} degrees",
        quantiles[0], quantiles[1], quantiles[2]
    );
    quantiles
}

const BODY: &str = "assets/mh_body_face52/mh_body_face52_skinned.glb";

/// Blender wrote normals and normal deltas of a whole body from its quads. Ours of the same file without them have
/// only its triangles and come close.
#[test]
fn a_body_of_triangles_comes_close_to_blenders_normals() {
    let Some(shared) = shared_or_skip(&[BODY]) else {
        return;
    };
    let glb = std::fs::read(shared.join(BODY)).unwrap();
    let given = load_bytes("model.glb", &glb, &ImportOptions::default()).unwrap();
    let (mut json, binary) = unpack_glb(&glb);
    for primitive in json["meshes"][0]["primitives"].as_array_mut().unwrap() {
        primitive["attributes"].as_object_mut().unwrap().remove("NORMAL");
        for target in primitive["targets"].as_array_mut().unwrap() {
            target.as_object_mut().unwrap().remove("NORMAL");
        }
    }
    let made = load_bytes("model.glb", &pack_glb(&json, &binary), &options()).unwrap();
    check(&made);
    let same: Vec<usize> = (0..made.meshes[0].primitives[0].positions.len()).collect();
    let [rest, morphed] = angles(&given.meshes[0], &made.meshes[0], &same);
    let [median, most, _] = quantiles("at rest", rest);
    assert!(median < 1.0 && most < 12.0);
    let [median, most, _] = quantiles("morphed", morphed);
    assert!(median < 1.5 && most < 15.0);
}

/// The MakeHuman reader has the quads, so its normals are Blender's.
#[test]
fn a_body_of_quads_has_blenders_normals() {
    let Some(shared) = shared_or_skip(&["assets/mh_source against the normals of mh_body_face52"]) else {
        return;
    };
    let given = load(&shared.join(BODY), &ImportOptions::default()).unwrap();
    let source = shared.join("assets/mh_source");
    let options = ImportOptions {
        targets: vec![source.join("targets/faceunits")],
        ..options()
    };
    let made = load(&source.join("base.obj"), &options).unwrap();
    check(&made);
    // Vertices are in another order there, and are found by their positions.
    let key = |position: &[f32; 3]| position.map(|component| (component * 1e5).round() as i64);
    let at: HashMap<_, _> = given.meshes[0].primitives[0]
        .positions
        .iter()
        .enumerate()
        .map(|(v, position)| (key(position), v))
        .collect();
    let nearest = |position: &[f32; 3]| {
        let [x, y, z] = key(position);
        let near = |dx: i64| (-1..=1).flat_map(move |dy| (-1..=1).map(move |dz| [x + dx, y + dy, z + dz]));
        (-1..=1)
            .flat_map(near)
            .find_map(|key| at.get(&key).copied())
            .unwrap()
    };
    let theirs: Vec<usize> = made.meshes[0].primitives[0]
        .positions
        .iter()
        .map(nearest)
        .collect();
    let [rest, morphed] = angles(&given.meshes[0], &made.meshes[0], &theirs);
    let [median, most, _] = quantiles("at rest", rest);
    assert!(median < 0.01 && most < 0.05);
    let [median, most, _] = quantiles("morphed", morphed);
    assert!(median < 0.01 && most < 0.05);
}
