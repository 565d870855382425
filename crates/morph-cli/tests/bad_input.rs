//! Everything that is refused: with exit code 1, a reason, and nothing written.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use serde_json::json;

use common::{
    Gltf, SQUARE, SQUARE_INDICES, folder, morph, names_in, plain_square, square, write, write_makehuman,
};

/// The three commands on a file, each with an output where it has one.
fn commands(file: &str) -> [Vec<&str>; 4] {
    [
        vec!["inspect", file],
        vec!["inspect", file, "--json"],
        vec!["eval", file, "--preset", "mixed", "--out", "out.json"],
        vec!["render", file, "--preset", "mixed", "--out", "out.png"],
    ]
}

fn all_refuse(folder: &std::path::Path, file: &str, parts: &[&str]) {
    let before = names_in(folder);
    for command in commands(file) {
        morph(folder, &command).refused(parts);
        assert_eq!(names_in(folder), before, "{command:?} wrote something");
    }
}

#[test]
fn files_that_are_not_there_or_no_files() {
    let folder = folder();
    all_refuse(folder.path(), "missing.glb", &["missing.glb", "No such file"]);
    std::fs::create_dir(folder.path().join("folder.glb")).unwrap();
    all_refuse(folder.path(), "folder.glb", &["folder.glb", "not a file"]);
}

#[test]
fn empty_truncated_and_lying_files() {
    let folder = folder();
    for name in ["empty.gltf", "empty.glb", "empty.obj", "empty.fbx"] {
        write(folder.path(), name, "");
    }
    for name in ["empty.gltf", "empty.glb", "empty.obj", "empty.fbx"] {
        all_refuse(folder.path(), name, &["is empty"]);
    }
    let text = square();
    for length in [1, 20, text.len() / 2, text.len() - 1] {
        write(folder.path(), "cut.gltf", &text[..length]);
        all_refuse(folder.path(), "cut.gltf", &["cut.gltf"]);
    }
    let glb = [
        b"glTF".as_slice(),
        &2_u32.to_le_bytes(),
        &1000_u32.to_le_bytes(),
        b"\x10\0\0\0JSON{}",
    ]
    .concat();
    write(folder.path(), "cut.glb", glb);
    all_refuse(folder.path(), "cut.glb", &["cut.glb"]);
    // Counts that the buffer does not hold, and indices past the last vertex.
    write(
        folder.path(),
        "count.gltf",
        text.replace("\"count\":4", "\"count\":4000000"),
    );
    all_refuse(folder.path(), "count.gltf", &["count.gltf", "accessor"]);
    write(
        folder.path(),
        "length.gltf",
        text.replace("\"byteLength\":48", "\"byteLength\":4800"),
    );
    all_refuse(folder.path(), "length.gltf", &["length.gltf"]);
    let mut gltf = Gltf::default();
    let (positions, indices) = (gltf.vectors(&SQUARE), gltf.indices(&[0, 1, 4]));
    let mesh = json!({"primitives": [{"attributes": {"POSITION": positions}, "indices": indices}]});
    write(folder.path(), "index.gltf", gltf.text(&[mesh]));
    all_refuse(folder.path(), "index.gltf", &["index 4", "4 vertices"]);
}

#[test]
fn formats_that_are_not_read() {
    let folder = folder();
    write(folder.path(), "face.fbx", "Kaydara FBX Binary  \0");
    all_refuse(folder.path(), "face.fbx", &["face.fbx", "cut off"]);
    write(folder.path(), "face.xyz", "hello");
    all_refuse(folder.path(), "face.xyz", &["face.xyz", ".gltf, .glb", ".obj"]);
    write(folder.path(), "smile.target", "0 1 0 0\n");
    all_refuse(folder.path(), "smile.target", &["smile.target", ".obj"]);
}

#[test]
fn makehuman_files_that_do_not_fit_each_other() {
    let folder = folder();
    write_makehuman(folder.path());
    write(folder.path(), "targets/far.target", "99 1 0 0\n");
    all_refuse(folder.path(), "base.obj", &["far.target", "99"]);
    let run = morph(folder.path(), &["inspect", "base.obj", "--targets", "none"]);
    run.refused(&["none"]);
    let run = morph(
        folder.path(),
        &[
            "inspect",
            "base.obj",
            "--targets",
            "targets/wide.target",
            "--groups",
            "hair",
        ],
    );
    run.refused(&["hair", "body, helper"]);
}

#[test]
fn weights_that_no_target_can_take() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    write(folder.path(), "nan.json", "[0,\n 0.5, NaN]");
    write(folder.path(), "text.json", "[0, \"a\"]");
    write(folder.path(), "object.json", "{\"grow\": 1, \"grow\": 2}");
    write(folder.path(), "unknown.json", "{\"grwo\": 1}");
    write(folder.path(), "empty.json", "");
    std::fs::create_dir(folder.path().join("folder.json")).unwrap();
    let before = names_in(folder.path());
    let cases: [(&[&str], &[&str]); 17] = [
        (
            &["--weights", "grow=1,grow=2"],
            &["`grow` is in --weights more than once"],
        ),
        (
            &["--weights", "grow=1e39"],
            &["`grow=1e39`", "does not fit 32 bits"],
        ),
        (&["--weights", "a,b=1"], &["`a`", "--weights-file", "comma"]),
        (&["--weights-file", "unknown.json"], &["`grwo`", "`grow`"]),
        (
            &["--weights", "grwo=1"],
            &["mesh 0 \"Square\"", "`grwo`", "`grow`"],
        ),
        (&["--weights", "lift=1"], &["`lift`", "`liftTop`"]),
        (&["--weights", "grow=nan"], &["target 0 `grow` is NaN", "finite"]),
        (&["--weights", "grow=1,idle=-inf"], &["target 2 `idle` is -inf"]),
        (
            &["--weights", "grow"],
            &["`grow`", "has no weight", "name=number"],
        ),
        (&["--weights", "grow=much"], &["`grow=much`", "not a number"]),
        (
            &["--weights-file", "nan.json"],
            &["nan.json, line 2, column 7", "target 2 `idle` is NaN"],
        ),
        (
            &["--weights-file", "text.json"],
            &["text.json, line 1", "string \"a\"", "target 1"],
        ),
        (
            &["--weights-file", "object.json"],
            &[
                "object.json, line 1",
                "`grow` is there more than once",
                "array of numbers",
            ],
        ),
        (&["--weights-file", "empty.json"], &["empty.json, line 1", "EOF"]),
        (&["--weights-file", "folder.json"], &["folder.json", "not a file"]),
        (
            &["--weights-file", "missing.json"],
            &["missing.json", "No such file"],
        ),
        (&["--preset", "only:3"], &["only:3", "has 3, counted from 0"]),
    ];
    for (weights, parts) in cases {
        for command in [
            &["eval", "square.gltf", "--out", "out.obj"],
            &["render", "square.gltf", "--out", "out.png"],
        ] {
            morph(folder.path(), &[command, weights].concat()).refused(parts);
            assert_eq!(
                names_in(folder.path()),
                before,
                "{command:?} {weights:?} wrote something"
            );
        }
    }
    morph(folder.path(), &["eval", "square.gltf", "--preset", "happy"])
        .refused(&["no preset `happy`", "all-half"]);
    let run = morph(
        folder.path(),
        &[
            "eval",
            "square.gltf",
            "--weights",
            "grow=3e38,liftTop=1",
            "--out",
            "x.json",
        ],
    );
    assert_eq!(run.code, 0, "large but finite: {}", run.notes);
    let run = morph(
        folder.path(),
        &[
            "eval",
            "square.gltf",
            "--weights",
            "grow=-3e38",
            "--position-threshold",
            "inf",
        ],
    );
    run.refused(&["threshold"]);
}

#[test]
fn what_lies_where_nothing_can_be_drawn() {
    let folder = folder();
    let node = |members: &str| square().replace("\"mesh\":0,", &format!("\"mesh\":0,{members},"));
    for (file, text, parts) in [
        (
            "matrix.gltf",
            node("\"scale\":[1e38,1e38,1e38]"),
            &["mesh 0 \"Square\"", "node 0 \"n0\"", "1e38"][..],
        ),
        (
            "far.gltf",
            node("\"translation\":[0,2e9,0]"),
            &["mesh 0 \"Square\"", "node 0 \"n0\"", "2.00e9", "1e9"][..],
        ),
        (
            "small.gltf",
            node("\"scale\":[1e-12,1e-12,1e-12]"),
            &["2e-12 across", "1e-9"][..],
        ),
    ] {
        write(folder.path(), file, &text);
        let before = names_in(folder.path());
        let run = morph(folder.path(), &["inspect", file]).ok();
        assert!(run.out.contains("it cannot be drawn: "), "{}", run.out);
        for part in parts {
            assert!(run.out.contains(part), "no {part:?} in {}", run.out);
        }
        morph(folder.path(), &["render", file, "--out", "x.png"]).refused(parts);
        assert_eq!(names_in(folder.path()), before);
    }
    write(folder.path(), "square.gltf", square());
    let run = morph(folder.path(), &["inspect", "square.gltf"]).ok();
    assert!(!run.out.contains("cannot be drawn"), "{}", run.out);
    let far = [
        "render",
        "square.gltf",
        "--weights",
        "grow=1e10",
        "--out",
        "x.png",
    ];
    morph(folder.path(), &far).refused(&["with these weights, vertex 0", "1e9"]);
}

#[test]
fn names_that_nobody_reads_to_their_end() {
    let folder = folder();
    let long = "n".repeat(100_000);
    write(
        folder.path(),
        "long.gltf",
        common::square_named([&long, "liftTop", "idle"]),
    );
    let set = format!("{{\"{long}\": 1}}");
    write(folder.path(), "w.json", &set);
    for args in [
        &["inspect", "long.gltf"][..],
        &["eval", "long.gltf", "--weights-file", "w.json"],
        &["eval", "long.gltf", "--weights", "nnnn=1"],
    ] {
        let run = morph(folder.path(), args);
        let text = run.out + &run.notes;
        assert!(text.contains(&format!("{}…", "n".repeat(80))), "{args:?}: {text}");
        assert!(text.len() < 5000, "{args:?}: {}", text.len());
    }
    let run = morph(folder.path(), &["eval", "long.gltf", "--camera", &long]);
    assert!(run.code == 2 && run.notes.len() < 5000, "{}", run.notes.len());
    let run = morph(folder.path(), &["eval", "long.gltf", "--backend", &long]);
    assert!(run.code == 1 && run.notes.len() < 5000, "{}", run.notes.len());
    let run = morph(
        folder.path(),
        &["eval", "long.gltf", "--clip-file", "w.yaml", "--clip", &long],
    );
    assert!(run.code == 1 && run.notes.len() < 5000, "{}", run.notes.len());
    let json = morph(folder.path(), &["inspect", "long.gltf", "--json"])
        .ok()
        .json();
    assert_eq!(json["meshes"][0]["target_names"][0], json!(long));
}

#[test]
fn names_with_commas_can_be_set_by_a_file() {
    let folder = folder();
    let names = ["grow, wide=1", "liftTop", "idle"];
    write(folder.path(), "comma.gltf", common::square_named(names));
    write(folder.path(), "w.json", "{\"grow, wide=1\": 0.5}");
    let run = morph(
        folder.path(),
        &["eval", "comma.gltf", "--weights-file", "w.json", "--json"],
    );
    assert_eq!(run.ok().json()["weights"], json!([0.5, 0.0, 0.0]));
}

#[test]
fn results_that_overflow() {
    let mut gltf = Gltf::default();
    let (positions, indices) = (gltf.vectors(&SQUARE), gltf.indices(&SQUARE_INDICES));
    let far = gltf.vectors(&[[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0e8], [0.0; 3]]);
    let mesh = json!({
        "primitives": [{"attributes": {"POSITION": positions}, "indices": indices, "targets": [{"POSITION": far}]}],
    });
    let folder = folder();
    write(folder.path(), "far.gltf", gltf.text(&[mesh]));
    for command in commands("far.gltf").into_iter().skip(2) {
        let command: Vec<&str> = command
            .into_iter()
            .map(|it| if it == "mixed" { "only:0" } else { it })
            .collect();
        assert_eq!(morph(folder.path(), &command).code, 0, "{command:?}");
    }
    let args = [
        "eval",
        "far.gltf",
        "--weights",
        "target_0=1e31",
        "--out",
        "x.json",
    ];
    morph(folder.path(), &args).refused(&["position of vertex 2", "smaller weights"]);
    let args = [
        "render",
        "far.gltf",
        "--weights",
        "target_0=1e31",
        "--out",
        "x.png",
    ];
    morph(folder.path(), &args).refused(&["position of vertex 2", "smaller weights"]);
    assert_eq!(names_in(folder.path()), ["far.gltf", "out.json", "out.png"]);
}

#[test]
fn rest_poses_and_deltas_that_are_not_numbers() {
    for (place, positions, delta) in [
        (
            "position of vertex 1",
            [[0.0; 3], [0.0, f32::NAN, 0.0], [1.0; 3], [0.0; 3]],
            [0.0; 3],
        ),
        ("target_0", SQUARE, [f32::INFINITY, 0.0, 0.0]),
    ] {
        let mut gltf = Gltf::default();
        let base = gltf.vectors(&positions);
        let indices = gltf.indices(&SQUARE_INDICES);
        let target = gltf.vectors(&[[0.0; 3], delta, [0.0; 3], [0.0; 3]]);
        let mesh = json!({
            "primitives": [{"attributes": {"POSITION": base}, "indices": indices, "targets": [{"POSITION": target}]}],
        });
        let folder = folder();
        write(folder.path(), "nan.gltf", gltf.text(&[mesh]));
        let run = morph(folder.path(), &["eval", "nan.gltf", "--out", "x.json"]).refused(&[]);
        assert!(
            run.notes.contains(place) || run.notes.contains("accessor"),
            "{}",
            run.notes
        );
        assert_eq!(names_in(folder.path()), ["nan.gltf"]);
    }
}

#[test]
fn nothing_to_work_on() {
    let folder = folder();
    write(folder.path(), "plain.gltf", plain_square());
    write(folder.path(), "square.gltf", square());
    write(
        folder.path(),
        "nothing.gltf",
        "{\"asset\": {\"version\": \"2.0\"}}",
    );
    let mesh = json!({"primitives": [{"attributes": {}}], "extras": {"targetNames": []}});
    write(
        folder.path(),
        "bare.gltf",
        json!({"asset": {"version": "2.0"}, "meshes": [mesh]}).to_string(),
    );
    let run = morph(
        folder.path(),
        &["eval", "square.gltf", "--backend", "gather", "--instances", "0"],
    );
    run.refused(&["--instances 0", "at least 1"]);
    morph(folder.path(), &["eval", "square.gltf", "--instances", "0"]).refused(&["--instances 0"]);
    morph(folder.path(), &["eval", "plain.gltf"]).refused(&["no morph targets"]);
    morph(folder.path(), &["eval", "nothing.gltf"]).refused(&["no meshes"]);
    morph(folder.path(), &["render", "nothing.gltf", "--out", "x.png"]).refused(&["no meshes"]);
    morph(folder.path(), &["eval", "bare.gltf", "--preset", "rest"]).refused(&["no vertices"]);
    morph(folder.path(), &["render", "bare.gltf", "--out", "x.png"]).refused(&["no triangles"]);
    let run = morph(
        folder.path(),
        &["render", "plain.gltf", "--weights", "smile=1", "--out", "x.png"],
    );
    run.refused(&["`smile`", "no targets"]);
    assert_eq!(morph(folder.path(), &["inspect", "nothing.gltf"]).code, 0);
}

#[test]
fn places_that_cannot_be_written() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    std::fs::create_dir(folder.path().join("taken.json")).unwrap();
    for (out, parts) in [
        ("x.ply", &["--out x.ply", ".json, .f32 or .obj"][..]),
        ("x", &["--out x", ".json, .f32 or .obj"]),
        ("no/x.json", &["there is no folder no", "make it first"]),
        ("taken.json", &["taken.json", "folder of this name"]),
    ] {
        morph(folder.path(), &["eval", "square.gltf", "--out", out]).refused(parts);
    }
    let run = morph(folder.path(), &["render", "square.gltf", "--out", "x.jpg"]);
    run.refused(&["--out x.jpg", "the ending has to be .png"]);
    assert_eq!(names_in(folder.path()), ["square.gltf", "taken.json"]);
}

#[test]
fn drivers_that_are_not_there() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let args = [
        "eval",
        "square.gltf",
        "--backend",
        "gather",
        "--driver",
        "voodoo",
        "--out",
        "x.json",
    ];
    morph(folder.path(), &args).refused(&["voodoo", "Devices here: \""]);
    let args = ["render", "square.gltf", "--driver", "voodoo", "--out", "x.png"];
    morph(folder.path(), &args).refused(&["voodoo", "Devices here: \""]);
    assert_eq!(names_in(folder.path()), ["square.gltf"]);
}

#[test]
fn a_wrong_command_line_is_told_apart_from_a_wrong_value() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let code = |args: &[&str]| morph(folder.path(), args).code;
    for args in [
        &[][..],
        &["dance"],
        &["eval"],
        &["eval", "square.gltf", "--loud"],
        &["render", "square.gltf"],
        &["eval", "square.gltf", "--preset", "rest", "--weights", "grow=1"],
    ] {
        assert_eq!(code(args), 2, "{args:?}");
    }
    for args in [
        &["eval", "square.gltf", "--backend", "magic"][..],
        &["eval", "square.gltf", "--quantization", "q8"],
        &["eval", "square.gltf", "--instances", "-1"],
        &["eval", "square.gltf", "--mesh", "first"],
        &["render", "square.gltf", "--out", "x.png", "--size", "big"],
        &["render", "square.gltf", "--out", "x.png", "--pass", "colour"],
        &["render", "square.gltf", "--out", "x.png", "--camera", "inside"],
    ] {
        let run = morph(folder.path(), args);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{args:?}: {}", run.notes);
        assert!(run.notes.starts_with("error: "), "{}", run.notes);
    }
}
