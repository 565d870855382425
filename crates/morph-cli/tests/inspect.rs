//! `morph inspect`, run as a person runs it.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use serde_json::json;

use common::{folder, morph, plain_square, square, square_named, two_meshes, write, write_makehuman};

#[test]
fn a_person_reads_meshes_targets_costs_and_problems() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let run = morph(folder.path(), &["inspect", "square.gltf"]).ok();
    for part in [
        "square.gltf: glTF 2.0, 1 mesh, 1 node, 0 clips",
        "mesh 0 \"Square\": 1 primitive, 3 targets",
        "primitive 0: 4 vertices, 2 triangles, normals",
        "from (-1, -1, 0) to (1, 1, 0)",
        "stored as",
        "snorm16",
        "liftTop",
        "node 0 \"n0\" shows mesh 0",
        "1 target moves nothing: idle",
    ] {
        assert!(run.out.contains(part), "no {part:?} in\n{}", run.out);
    }
}

#[test]
fn a_program_reads_the_same_as_json() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let report = morph(folder.path(), &["inspect", "square.gltf", "--json"])
        .ok()
        .json();
    assert_eq!(report["file"], "square.gltf");
    assert_eq!(report["format"], "gltf");
    assert_eq!(report["nodes"][0]["mesh"], 0);
    assert_eq!(report["clips"], json!([]));
    assert_eq!(report["problems"][0]["problem"], "1 target moves nothing: idle");

    let mesh = &report["meshes"][0];
    assert_eq!(mesh["target_names"], json!(["grow", "liftTop", "idle"]));
    assert_eq!(mesh["default_weights"], json!([0.0, 0.25, 0.0]));
    let primitive = &mesh["primitives"][0];
    assert_eq!(
        (&primitive["vertices"], &primitive["triangles"]),
        (&json!(4), &json!(2))
    );
    assert_eq!(
        (&primitive["normals"], &primitive["tangents"]),
        (&json!(true), &json!(false))
    );

    let formats = primitive["formats"].as_array().unwrap();
    let names: Vec<_> = formats
        .iter()
        .map(|format| format["quantization"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["f32", "half", "snorm16"]);
    // Four entries with positions and normals, two with positions alone: 4 + 12 bytes per attribute in f32.
    assert_eq!(formats[0]["bytes"]["scatter"], 4 * 28 + 2 * 16);
    // Five first entries, and six entries of seven words.
    assert_eq!(formats[0]["bytes"]["vertex_major"], 4 * (5 + 6 * 7));
    assert_eq!(
        formats[0]["worst_error"],
        json!({"position": 0.0, "direction_degrees": 0.0})
    );
    let half_error = formats[1]["worst_error"]["position"].as_f64().unwrap();
    assert!(half_error > 0.0 && half_error < 1.0e-3, "{half_error}");

    let targets = primitive["targets"].as_array().unwrap();
    let entries: Vec<_> = targets
        .iter()
        .map(|target| target["entries"].as_u64().unwrap())
        .collect();
    assert_eq!(entries, [4, 2, 0]);
    assert_eq!(targets[1]["reach"].as_f64().unwrap() as f32, 0.7);
    assert_eq!(targets[0]["streams"], json!(["position", "normal"]));
    assert_eq!(targets[1]["streams"], json!(["position"]));
    assert_eq!(targets[1]["default_weight"], 0.25);
    assert_eq!(targets[1]["formats"][2]["quantization"], "snorm16");
}

#[test]
fn a_model_with_many_targets_stays_a_table() {
    use common::{Gltf, SQUARE, SQUARE_INDICES};
    let mut gltf = Gltf::default();
    let (positions, indices) = (gltf.vectors(&SQUARE), gltf.indices(&SQUARE_INDICES));
    let lift = gltf.vectors(&[[0.0, 0.0, 0.25]; 4]);
    let names: Vec<String> = (0..150).map(|slot| format!("expression{slot}")).collect();
    let mesh = json!({
        "primitives": [{
            "attributes": {"POSITION": positions}, "indices": indices, "targets": vec![json!({"POSITION": lift}); 150],
        }],
        "extras": {"targetNames": names},
    });
    let folder = folder();
    write(folder.path(), "many.gltf", gltf.text(&[mesh]));
    let run = morph(folder.path(), &["inspect", "many.gltf"]).ok();
    assert!(
        run.out.contains("… and 110 more; --full lists all"),
        "{}",
        run.out
    );
    assert!(
        run.out.lines().all(|line| line.chars().count() <= 120),
        "{}",
        run.out
    );
    let full = morph(folder.path(), &["inspect", "many.gltf", "--full"]).ok();
    assert!(full.out.contains("expression149") && !full.out.contains("more; --full"));
    // Every row of the table is as wide as the first.
    let rows: Vec<usize> = full
        .out
        .lines()
        .filter(|line| line.contains(" expression"))
        .map(|line| line.chars().count())
        .collect();
    assert_eq!(rows.len(), 150);
    assert!(rows.iter().all(|width| *width == rows[0]), "{}", full.out);
}

#[test]
fn names_in_a_file_cannot_command_the_terminal() {
    let folder = folder();
    write(folder.path(), "odd.gltf", square_named(["\u{1b}[2J", "ok", "ok"]));
    let run = morph(folder.path(), &["inspect", "odd.gltf"]).ok();
    assert!(!run.out.contains('\u{1b}'), "{}", run.out);
    assert!(run.out.contains("\\u{1b}[2J"), "{}", run.out);
    assert!(
        run.out.contains("ok_2"),
        "the name given twice is told apart: {}",
        run.out
    );
}

#[test]
fn a_mesh_without_targets_is_no_error_here() {
    let folder = folder();
    write(folder.path(), "plain.gltf", plain_square());
    write(folder.path(), "two.gltf", two_meshes());
    let run = morph(folder.path(), &["inspect", "plain.gltf"]).ok();
    assert!(run.out.contains("mesh 0: 1 primitive, 0 targets"), "{}", run.out);
    assert!(run.out.contains("no problems found"), "{}", run.out);
    let report = morph(folder.path(), &["inspect", "two.gltf", "--json"])
        .ok()
        .json();
    assert_eq!(report["meshes"][1]["primitives"].as_array().unwrap().len(), 2);
}

#[test]
fn makehuman_targets_and_groups_are_read() {
    let folder = folder();
    write_makehuman(folder.path());
    let report = morph(folder.path(), &["inspect", "base.obj", "--json"])
        .ok()
        .json();
    assert_eq!(report["format"], "makehuman");
    assert_eq!(report["meshes"][0]["target_names"], json!(["wide"]));
    assert_eq!(report["meshes"][0]["primitives"][0]["normals"], false);
    let args = [
        "inspect",
        "base.obj",
        "--targets",
        "targets/wide.target",
        "--groups",
        "body,helper",
        "--json",
    ];
    let report = morph(folder.path(), &[&args[..], &["--generate-normals"]].concat())
        .ok()
        .json();
    assert_eq!(report["meshes"][0]["primitives"].as_array().unwrap().len(), 2);
    assert_eq!(report["meshes"][0]["primitives"][0]["normals"], true);
}

#[test]
fn deltas_beyond_a_half_are_a_problem_and_no_end() {
    use common::{Gltf, SQUARE, SQUARE_INDICES};
    let mut gltf = Gltf::default();
    let (positions, indices) = (gltf.vectors(&SQUARE), gltf.indices(&SQUARE_INDICES));
    let far = gltf.vectors(&[[0.0, 0.0, 70_000.0]; 4]);
    let mesh = json!({
        "primitives": [{"attributes": {"POSITION": positions}, "indices": indices, "targets": [{"POSITION": far}]}],
    });
    let folder = folder();
    write(folder.path(), "far.gltf", gltf.text(&[mesh]));
    let run = morph(folder.path(), &["inspect", "far.gltf"]).ok();
    assert!(run.out.contains("refused: "), "{}", run.out);
    assert!(run.out.contains("1 problem:"), "{}", run.out);
    let report = morph(folder.path(), &["inspect", "far.gltf", "--json"])
        .ok()
        .json();
    let formats = &report["meshes"][0]["primitives"][0]["formats"];
    assert!(
        formats[1]["refused"].as_str().unwrap().contains("70000"),
        "{formats}"
    );
    assert!(
        formats[1].get("bytes").is_none() && formats[2]["bytes"]["scatter"].is_u64(),
        "{formats}"
    );
}

#[test]
fn help_teaches_and_the_version_is_told() {
    let folder = folder();
    let help = morph(folder.path(), &["--help"]).ok();
    for part in [
        "inspect",
        "eval",
        "render",
        "Examples:",
        "Exit codes:",
        "VK_ADD_DRIVER_FILES",
    ] {
        assert!(help.out.contains(part), "no {part:?} in\n{}", help.out);
    }
    for command in ["inspect", "eval", "render"] {
        let help = morph(folder.path(), &[command, "--help"]).ok();
        assert!(
            help.out.contains(&format!("morph {command} face.glb")),
            "{}",
            help.out
        );
    }
    let version = morph(folder.path(), &["--version"]).ok();
    assert_eq!(version.out, format!("morph {}\n", env!("CARGO_PKG_VERSION")));
}
