//! `morph check`, run as a person runs it.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use std::io::Write as _;

use serde_json::{Value, json};

use common::{folder, morph, square, write, write_makehuman};

/// The square, changed.
fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut file = serde_json::from_str(&square()).unwrap();
    change(&mut file);
    file.to_string()
}

#[test]
fn the_exit_code_tells_the_worst_problem() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "notes.gltf", square());
    let warned = changed(|file| file["meshes"][0]["extras"]["targetNames"] = json!(["a", "a", "b"]));
    write(folder, "warned.gltf", warned);
    write(
        folder,
        "wrong.gltf",
        changed(|file| file["meshes"][0]["weights"] = json!([1])),
    );
    write(folder, "no.gltf", "{ this is no JSON");
    write(folder, "empty.glb", "");
    for (file, code) in [
        ("notes.gltf", 0),
        ("warned.gltf", 3),
        ("wrong.gltf", 4),
        ("no.gltf", 4),
    ] {
        for args in [&["check", file][..], &["check", file, "--json"]] {
            let run = morph(folder, args);
            assert_eq!(
                (run.code, run.notes.as_str()),
                (code, ""),
                "{args:?}: {}",
                run.out
            );
        }
    }
    morph(folder, &["check", "missing.glb"]).refused(&["missing.glb"]);
    morph(folder, &["check", "empty.glb"]).refused(&["empty.glb is empty"]);
    morph(folder, &["check", "."]).refused(&["not a file"]);
    assert_eq!(morph(folder, &["check"]).code, 2);
    let help = morph(folder, &["check", "--help"]).ok();
    for part in ["3  there are warnings, and no errors", "4  there are errors"] {
        assert!(help.out.contains(part), "{}", help.out);
    }
}

#[test]
fn a_person_reads_the_worst_first_and_what_is_alike_together() {
    let folder = folder();
    let many = changed(|file| {
        file["meshes"][0]["extras"]["targetNames"] = json!(["a", "a", "b"]);
        for index in 0..9 {
            let lost = json!({ "mesh": 40, "name": format!("lost {index}") });
            file["nodes"].as_array_mut().unwrap().push(lost);
        }
    });
    write(
        folder.path(),
        "many.gltf",
        many.replace("\"n0\"", "\"n\\u001b[31m\""),
    );
    let run = morph(folder.path(), &["check", "many.gltf"]);
    assert_eq!(run.code, 4);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(
        &lines[..5],
        [
            "many.gltf: glTF 2.0: 10 errors, 1 warning, 10 notes",
            "",
            "10 errors",
            "  UNRESOLVED_REFERENCE",
            "    /nodes/1/mesh \"lost 0\": there is no mesh 40; there are 1, counted from 0",
        ]
    );
    for part in [
        "    … and 5 more places (--all lists them)\n",
        "  MORPH_PART_NOT_IMPORTED\n",
        "\n1 warning\n  MORPH_TARGET_NAME_REPEATED\n    /meshes/0/extras/targetNames/1 \"Square\": \"a\" is the name of target 0 already\n",
        "\n10 notes\n  NODE_EMPTY\n",
    ] {
        assert!(run.out.contains(part), "no {part:?} in\n{}", run.out);
    }
    assert!(!run.out.contains('\u{1b}'));
    let all = morph(folder.path(), &["check", "many.gltf", "--all"]);
    assert_eq!(all.out.matches("there is no mesh 40").count(), 9);
    assert!(!all.out.contains("more places"));
}

#[test]
fn a_program_reads_json_whose_members_are_always_there() {
    let folder = folder();
    let wrong = changed(|file| file["meshes"][0]["primitives"][0]["indices"] = json!(0));
    write(folder.path(), "wrong.gltf", wrong);
    let report = morph(folder.path(), &["check", "wrong.gltf", "--json"]).json();
    assert_eq!(
        (&report["file"], &report["format"]),
        (&json!("wrong.gltf"), &json!("gltf"))
    );
    let counts = ["errors", "warnings", "infos"].map(|name| report[name].as_u64().unwrap() as usize);
    let problems = report["problems"].as_array().unwrap();
    assert_eq!(counts.iter().sum::<usize>(), problems.len());
    assert_eq!(report["left_out"], 0);
    for problem in problems {
        let members: Vec<&String> = problem.as_object().unwrap().keys().collect();
        assert_eq!(
            members,
            [
                "code", "count", "message", "name", "offset", "pointer", "severity"
            ]
        );
    }
    let found = problems
        .iter()
        .find(|problem| problem["code"] == "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT")
        .unwrap();
    assert_eq!(found["pointer"], "/meshes/0/primitives/0/indices");
    assert_eq!(
        (&found["severity"], &found["name"], &found["count"]),
        (&json!("error"), &json!("Square"), &json!(1))
    );
}

#[test]
fn a_damaged_container_is_told_with_its_place() {
    let folder = folder();
    write(
        folder.path(),
        "cut.glb",
        b"glTF\x02\0\0\0\x40\0\0\0\x20\0\0\0JSON{}",
    );
    let run = morph(folder.path(), &["check", "cut.glb"]);
    assert_eq!(run.code, 4);
    assert!(
        run.out.contains("    byte 22: the chunk at byte 12"),
        "{}",
        run.out
    );
    let report = morph(folder.path(), &["check", "cut.glb", "--json"]).json();
    let problem = &report["problems"][0];
    assert_eq!(
        (&problem["pointer"], &problem["offset"]),
        (&Value::Null, &json!(22))
    );
}

#[test]
fn other_formats_are_read_and_their_warnings_told() {
    let folder = folder();
    write_makehuman(folder.path());
    let run = morph(folder.path(), &["check", "base.obj"]).ok();
    assert_eq!(run.out, "base.obj: MakeHuman: no problems found\n");
    std::fs::write(folder.path().join("targets/twice.target"), "1 1 0 0\n1 2 0 0\n").unwrap();
    let run = morph(folder.path(), &["check", "base.obj"]);
    assert_eq!(run.code, 3);
    assert!(run.out.contains("  MORPH_IMPORT_WARNING\n"), "{}", run.out);
    let report = morph(folder.path(), &["check", "base.obj", "--json"]).json();
    assert_eq!(report["format"], "makehuman");
    let name = report["problems"][0]["name"].as_str().unwrap();
    assert!(name.contains("twice.target"), "{name}");
}

#[test]
fn fbx_files_are_read_and_their_warnings_told() {
    let Some(shared) = common::shared() else {
        let _ = writeln!(
            std::io::stderr(),
            "skipped fbx_files_are_read_and_their_warnings_told: no shared files"
        );
        return;
    };
    let folder = folder();
    let mut count = 0;
    for entry in std::fs::read_dir(shared.join("assets/ufbx_fbx")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "fbx") {
            let run = morph(folder.path(), &["check", path.to_str().unwrap(), "--json"]);
            assert!(matches!(run.code, 0 | 3), "{run:?}");
            let report = run.json();
            assert_eq!(report["format"], "fbx");
            assert_eq!(report["warnings"].as_u64() > Some(0), run.code == 3);
            count += 1;
        }
    }
    assert!(count > 0);
}
