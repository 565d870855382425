//! `morph eval` on the host, run as a person runs it.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use serde_json::json;

use common::{
    Gltf, SQUARE, SQUARE_INDICES, folder, morph, names_in, plain_square, square, two_meshes, vectors, write,
    write_makehuman,
};

#[test]
fn the_json_has_exactly_the_promised_members() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let args = ["eval", "square.gltf", "--weights", "grow=1,liftTop=-0.3"];
    morph(folder.path(), &[&args[..], &["--out", "x.json"]].concat()).ok();
    let text = std::fs::read_to_string(folder.path().join("x.json")).unwrap();
    let result: serde_json::Value = serde_json::from_str(&text).unwrap();
    // The order of the text too, which a map does not keep.
    let members = [
        "file",
        "mesh",
        "primitive",
        "backend",
        "quantization",
        "device",
        "weights",
        "positions",
        "normals",
        "tangents",
        "max_ulp_vs_host",
        "worst_error",
    ];
    let places: Vec<usize> = members
        .iter()
        .map(|name| text.find(&format!("\"{name}\":")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{text}");
    assert_eq!(result.as_object().unwrap().len(), members.len());

    assert_eq!(
        (&result["file"], &result["mesh"], &result["primitive"]),
        (&json!("square.gltf"), &json!(0), &json!(0))
    );
    assert_eq!(
        (&result["backend"], &result["quantization"]),
        (&json!("host"), &json!("f32"))
    );
    assert_eq!(
        (&result["device"], &result["tangents"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(result["max_ulp_vs_host"], 0);
    assert_eq!(result["weights"], json!([1.0, -0.3, 0.0]));
    let positions: Vec<[f32; 3]> = SQUARE
        .iter()
        .map(|&[x, y, z]| {
            [
                x + 1.0 * (x * 0.3),
                y + 1.0 * (y * 0.3),
                if y > 0.0 { z + -0.3 * 0.7 } else { z },
            ]
        })
        .collect();
    assert_eq!(vectors(&result["positions"]), positions);
    assert_eq!(
        vectors(&result["normals"]),
        [[0.1, 0.0, 1.0]; 4],
        "sums, not made unit"
    );
    let error = &result["worst_error"];
    assert!(error["position"].as_f64().unwrap() < 1.0e-7, "{error}");
    assert!(error["direction_degrees"].as_f64().unwrap() < 1.0e-5, "{error}");
    // Without --out the whole of it is printed.
    assert_eq!(
        morph(folder.path(), &[&args[..], &["--json"]].concat())
            .ok()
            .json(),
        result
    );
}

#[test]
fn floats_read_back_as_the_same_bits() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    for preset in ["rest", "mixed", "all-half", "first-minus-1", "last-2", "only:1"] {
        for out in ["x.json", "x.f32", "x.obj"] {
            morph(
                folder.path(),
                &["eval", "square.gltf", "--preset", preset, "--out", out],
            )
            .ok();
        }
        let text = std::fs::read_to_string(folder.path().join("x.json")).unwrap();
        let result: serde_json::Value = serde_json::from_str(&text).unwrap();
        let raw = std::fs::read(folder.path().join("x.f32")).unwrap();
        let from_json: Vec<u8> = vectors(&result["positions"])
            .as_flattened()
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        assert_eq!(raw, from_json, "{preset}");
        let obj = std::fs::read_to_string(folder.path().join("x.obj")).unwrap();
        let from_obj: Vec<u8> = obj
            .lines()
            .filter_map(|line| line.strip_prefix("v "))
            .flat_map(|line| {
                line.split(' ')
                    .flat_map(|x| x.parse::<f32>().unwrap().to_le_bytes())
                    .collect::<Vec<u8>>()
            })
            .collect();
        assert_eq!(raw, from_obj, "{preset}");
        assert!(obj.contains("\nf 1//1 2//2 3//3\nf 1//1 3//3 4//4\n"), "{obj}");
        assert_eq!(obj.lines().filter(|line| line.starts_with("vn ")).count(), 4);
    }
    assert_eq!(
        names_in(folder.path()),
        ["square.gltf", "x.f32", "x.json", "x.obj"]
    );
}

#[test]
fn without_weights_the_file_decides() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let result = morph(folder.path(), &["eval", "square.gltf", "--json"])
        .ok()
        .json();
    assert_eq!(result["weights"], json!([0.0, 0.25, 0.0]));
    let result = morph(
        folder.path(),
        &["eval", "square.gltf", "--preset", "rest", "--json"],
    )
    .ok()
    .json();
    assert_eq!(result["weights"], json!([0.0, 0.0, 0.0]));
    assert_eq!(vectors(&result["positions"]), SQUARE);
    assert_eq!(
        result["worst_error"],
        json!({"position": 0.0, "direction_degrees": 0.0})
    );
    let empty = morph(folder.path(), &["eval", "square.gltf", "--weights", "", "--json"])
        .ok()
        .json();
    assert_eq!(empty["positions"], result["positions"]);
}

#[test]
fn a_weights_file_may_be_short_and_is_cut_where_it_is_long() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    write(folder.path(), "short.json", "[1]");
    write(folder.path(), "long.json", "[0, 0, 0.5, 9, 9]");
    let eval = |file: &str| {
        morph(
            folder.path(),
            &["eval", "square.gltf", "--weights-file", file, "--json"],
        )
    };
    assert_eq!(eval("short.json").ok().json()["weights"], json!([1.0, 0.0, 0.0]));
    let run = eval("long.json");
    assert_eq!(run.code, 0);
    assert_eq!(run.json()["weights"], json!([0.0, 0.0, 0.5]));
    let expected =
        "warning: long.json has 5 weights for the 3 targets of mesh 0 \"Square\"; the last 2 are ignored\n";
    assert_eq!(run.notes, expected);
}

#[test]
fn a_person_gets_a_summary() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let run = morph(
        folder.path(),
        &["eval", "square.gltf", "--weights", "liftTop=2", "--out", "x.f32"],
    )
    .ok();
    for part in [
        "mesh 0 \"Square\", primitive 0: 4 vertices, 3 targets",
        "1 active: liftTop=2",
        "f32, 6 entries",
        "2 vertices, the farthest (vertex 2) by 1.4",
        "this is the host",
        "x.f32",
    ] {
        assert!(run.out.contains(part), "no {part:?} in\n{}", run.out);
    }
    let short = morph(
        folder.path(),
        &["eval", "square.gltf", "--out", "x.f32", "--json"],
    )
    .ok()
    .json();
    assert_eq!(short["out"], "x.f32");
    assert!(
        short.get("positions").is_none() && short["worst_error"]["position"].is_f64(),
        "{short}"
    );
}

#[test]
fn mesh_and_primitive_are_those_of_the_file() {
    let folder = folder();
    write(folder.path(), "two.gltf", two_meshes());
    let args = [
        "eval",
        "two.gltf",
        "--mesh",
        "1",
        "--primitive",
        "1",
        "--weights",
        "only=0.5",
        "--json",
    ];
    let result = morph(folder.path(), &args).ok().json();
    assert_eq!((&result["mesh"], &result["primitive"]), (&json!(1), &json!(1)));
    assert_eq!(
        vectors(&result["positions"]),
        SQUARE.map(|[x, y, z]| [x, y, z + 0.5])
    );
    assert_eq!(
        (&result["normals"], &result["worst_error"]["direction_degrees"]),
        (&json!(null), &json!(null))
    );
    let run = morph(folder.path(), &["eval", "two.gltf", "--preset", "mixed"]);
    run.refused(&[
        "mesh 0 has no morph targets",
        "(mesh 1 has some: --mesh 1)",
        "--preset rest",
    ]);
    morph(folder.path(), &["eval", "two.gltf", "--mesh", "2"])
        .refused(&["there is no mesh 2", "has 2, counted from 0"]);
    let args = ["eval", "two.gltf", "--mesh", "1", "--primitive", "2"];
    morph(folder.path(), &args).refused(&["there is no primitive 2", "mesh 1 has 2"]);
}

#[test]
fn quantized_results_stay_within_the_error_that_is_told() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let exact = morph(
        folder.path(),
        &["eval", "square.gltf", "--preset", "mixed", "--json"],
    )
    .ok()
    .json();
    let exact = vectors(&exact["positions"]);
    for quantization in ["half", "snorm16"] {
        let args = [
            "eval",
            "square.gltf",
            "--preset",
            "mixed",
            "--quantization",
            quantization,
            "--json",
        ];
        let result = morph(folder.path(), &args).ok().json();
        let told = result["worst_error"]["position"].as_f64().unwrap();
        let worst = vectors(&result["positions"])
            .iter()
            .zip(&exact)
            .map(|(a, b)| {
                (0..3)
                    .map(|axis| (f64::from(a[axis]) - f64::from(b[axis])).powi(2))
                    .sum::<f64>()
                    .sqrt()
            })
            .fold(0.0, f64::max);
        assert!(
            told > 0.0 && worst <= told + 2.0e-7,
            "{quantization}: {worst} against {told}"
        );
    }
}

#[test]
fn thresholds_drop_entries_and_the_error_says_so() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let args = [
        "eval",
        "square.gltf",
        "--weights",
        "liftTop=1",
        "--position-threshold",
        "0.8",
    ];
    let run = morph(
        folder.path(),
        &[&args[..], &["--direction-threshold", "0.5"]].concat(),
    )
    .ok();
    assert!(run.out.contains("(6 dropped as too small)"), "{}", run.out);
    let run = morph(folder.path(), &[&args[..], &["--json"]].concat());
    assert!(
        run.notes.contains("drops 2 of 6 entries; 4 more stay"),
        "{}",
        run.notes
    );
    let result = run.json();
    let told = result["worst_error"]["position"].as_f64().unwrap();
    assert!((told - f64::from(0.7_f32)).abs() < 1.0e-9, "{told}");
    let run = morph(
        folder.path(),
        &["eval", "square.gltf", "--position-threshold", "-1"],
    );
    run.refused(&["mesh 0 \"Square\", primitive 0", "-1"]);
    morph(
        folder.path(),
        &["eval", "square.gltf", "--direction-threshold", "nan"],
    )
    .refused(&["threshold"]);
}

#[test]
fn makehuman_is_evaluated_with_made_normals() {
    let folder = folder();
    write_makehuman(folder.path());
    let args = [
        "eval",
        "base.obj",
        "--weights",
        "wide=1",
        "--generate-normals",
        "--json",
    ];
    let result = morph(folder.path(), &args).ok().json();
    let positions = vectors(&result["positions"]);
    // MakeHuman counts in decimetres, and its targets from zero.
    assert!((positions[1][0] - 0.2).abs() < 1.0e-6, "{positions:?}");
    assert_eq!(vectors(&result["normals"])[0], [0.0, 0.0, 1.0]);
}

#[test]
fn a_mesh_without_targets_has_a_rest_pose_and_nothing_else() {
    let folder = folder();
    write(folder.path(), "plain.gltf", plain_square());
    let result = morph(
        folder.path(),
        &["eval", "plain.gltf", "--preset", "rest", "--json"],
    )
    .ok()
    .json();
    assert_eq!(vectors(&result["positions"]), SQUARE);
    for args in [
        &["eval", "plain.gltf"][..],
        &["eval", "plain.gltf", "--preset", "all-half"],
    ] {
        morph(folder.path(), args).refused(&["mesh 0 has no morph targets", "(no mesh of the file has any)"]);
    }
}

#[test]
fn a_mesh_without_normals_gets_flat_ones_after_the_morph() {
    let folder = folder();
    write(folder.path(), "plain.gltf", plain_square());
    let result = morph(
        folder.path(),
        &["eval", "plain.gltf", "--preset", "rest", "--json"],
    )
    .ok()
    .json();
    assert_eq!(result["normals"], json!(null));
    assert_eq!(result["flat_normals"], json!([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]));
    morph(
        folder.path(),
        &["eval", "plain.gltf", "--preset", "rest", "--out", "plain.obj"],
    )
    .ok();
    let text = std::fs::read_to_string(folder.path().join("plain.obj")).unwrap();
    let faces: Vec<&str> = text.lines().filter(|line| line.starts_with("f ")).collect();
    assert_eq!(faces, ["f 1//1 2//1 3//1", "f 1//2 3//2 4//2"]);
}

/// A square whose one target moves a corner, its texture coordinates, and the colors of two corners.
fn colored() -> String {
    let mut gltf = Gltf::default();
    let positions = gltf.vectors(&SQUARE);
    let indices = gltf.indices(&SQUARE_INDICES);
    let texcoords = gltf.vectors(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    let colors = gltf.vectors(&[[0.5, 0.5, 0.5, 1.0]; 4]);
    let moved = gltf.vectors(&[[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]]);
    let shifted = gltf.vectors(&[[0.0; 2], [0.0; 2], [0.25, -0.5], [0.0; 2]]);
    let tinted = gltf.vectors(&[[1.0, 0.0, -0.25, 0.0], [0.0; 4], [0.0, 0.25, 0.0, -0.5], [0.0; 4]]);
    gltf.text(&[json!({
        "primitives": [{
            "attributes": {"POSITION": positions, "TEXCOORD_0": texcoords, "COLOR_0": colors},
            "indices": indices,
            "targets": [{"POSITION": moved, "TEXCOORD_0": shifted, "COLOR_0": tinted}],
        }],
        "extras": {"targetNames": ["blush"]},
    })])
}

#[test]
fn texture_coordinates_and_colors_are_morphed_in_every_output() {
    let folder = folder();
    write(folder.path(), "colored.gltf", colored());
    morph(folder.path(), &["pack", "colored.gltf", "-o", "colored.morph"]).ok();
    for file in ["colored.gltf", "colored.morph"] {
        let result = morph(folder.path(), &["eval", file, "--weights", "blush=1", "--json"])
            .ok()
            .json();
        assert_eq!(
            result["texcoords"],
            json!({ "TEXCOORD_0": [[0.0, 0.0], [1.0, 0.0], [1.25, 0.5], [0.0, 1.0]] })
        );
        // Clamped after the target: 0.5 + 1 is 1.
        assert_eq!(
            result["colors"],
            json!({ "COLOR_0": [
                [1.0, 0.5, 0.25, 1.0], [0.5, 0.5, 0.5, 1.0], [0.5, 0.75, 0.5, 0.5], [0.5, 0.5, 0.5, 1.0],
            ] })
        );
    }
    let eval = |more: &[&str]| {
        morph(
            folder.path(),
            &[&["eval", "colored.gltf", "--weights", "blush=1"], more].concat(),
        )
    };
    let text = eval(&[]).ok().out;
    assert!(
        text.contains("changed       TEXCOORD_0: 1 vertex, by up to 0.5"),
        "{text}"
    );
    assert!(
        text.contains("changed       COLOR_0: 2 vertices, by up to 0.5"),
        "{text}"
    );
    eval(&["--out", "x.json"]).ok();
    let whole: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("x.json")).unwrap()).unwrap();
    assert_eq!(whole["colors"]["COLOR_0"][2], json!([0.5, 0.75, 0.5, 0.5]));
    eval(&["--out", "x.obj"]).ok();
    let obj = std::fs::read_to_string(folder.path().join("x.obj")).unwrap();
    assert!(obj.contains("\nv 1 1 1 0.5 0.75 0.5\n"), "{obj}");
    assert!(obj.contains("\nvt 1.25 0.5\n"), "{obj}");
}
