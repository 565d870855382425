//! `morph eval` and `morph render` on Vulkan devices, run as a person runs them.
//!
//! They need a driver; where none is installed they fail with the line that installs one.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{
    Gltf, SQUARE, SQUARE_INDICES, avatar, boned_square, folder, has_swiftshader, morph, names_in, square,
    two_meshes, write, write_makehuman,
};
use serde_json::json;

/// The software drivers that are here.
fn drivers() -> Vec<&'static str> {
    let mut drivers = vec!["lavapipe"];
    if has_swiftshader() {
        drivers.push("swiftshader");
    } else {
        eprintln!(
            "skipped: the cases on SwiftShader (1 of 2 drivers); it comes with Debian's package chromium"
        );
    }
    drivers
}

#[test]
fn every_device_gives_the_bits_of_the_host_in_every_instance() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let eval = |more: &[&str]| {
        let args = ["eval", "square.gltf", "--preset", "mixed", "--json"];
        morph(folder.path(), &[&args[..], more].concat()).ok().json()
    };
    // One and four instances reach both shapes of the gather.
    let runs = [
        ("f32", "scatter", "1"),
        ("f32", "gather", "1"),
        ("half", "gather", "4"),
        ("half", "scatter", "3"),
        ("snorm16", "gather", "1"),
        ("snorm16", "gather", "4"),
        ("snorm16", "scatter", "1"),
    ];
    for (quantization, backend, instances) in runs {
        let host = eval(&["--quantization", quantization]);
        for driver in drivers() {
            let device = [
                "--quantization",
                quantization,
                "--backend",
                backend,
                "--instances",
                instances,
                "--driver",
                driver,
            ];
            let result = eval(&device);
            assert_eq!(result["max_ulp_vs_host"], 0, "{device:?}");
            assert_eq!(result["backend"], backend);
            assert!(result["device"].is_string(), "{result}");
            for member in ["weights", "positions", "normals", "tangents", "worst_error"] {
                assert_eq!(result[member], host[member], "{member} with {device:?}");
            }
        }
    }
}

#[test]
fn a_summary_says_what_was_compared() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let args = [
        "eval",
        "square.gltf",
        "--preset",
        "last-2",
        "--backend",
        "gather",
        "--instances",
        "5",
    ];
    let run = morph(folder.path(), &[&args[..], &["--out", "x.obj"]].concat()).ok();
    assert!(run.out.contains("5 instances, every bit the same"), "{}", run.out);
    assert_eq!(names_in(folder.path()), ["square.gltf", "x.obj"]);
    let run = morph(folder.path(), &["eval", "square.gltf", "--instances", "5"]);
    assert_eq!(run.code, 0);
    assert!(
        run.notes.starts_with("warning: the host runs one instance"),
        "{}",
        run.notes
    );
}

#[test]
fn more_instances_than_a_device_can_take_are_refused() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let args = [
        "eval",
        "square.gltf",
        "--backend",
        "gather",
        "--instances",
        "4294967295",
        "--out",
        "x.json",
    ];
    morph(folder.path(), &args).refused(&["--instances 4294967295 is more than", "give at most "]);
    assert_eq!(names_in(folder.path()), ["square.gltf"]);
}

#[test]
fn streams_that_a_primitive_lacks_are_no_matter() {
    let folder = folder();
    let mut gltf = Gltf::default();
    let positions = gltf.vectors(&SQUARE);
    let tangents = gltf.vectors(&[[1.0, 0.0, 0.0, -1.0]; 4]);
    let indices = gltf.indices(&SQUARE_INDICES);
    let turn = gltf.vectors(&[[-0.5, 0.25, 0.0]; 4]);
    let mesh = json!({
        "primitives": [{
            "attributes": {"POSITION": positions, "TANGENT": tangents}, "indices": indices,
            "targets": [{"TANGENT": turn}, {"POSITION": positions}],
        }],
    });
    write(folder.path(), "tangents.gltf", gltf.text(&[mesh]));
    write(folder.path(), "two.gltf", two_meshes());
    for args in [
        &["eval", "tangents.gltf", "--preset", "all-half"][..],
        &["eval", "two.gltf", "--mesh", "1", "--preset", "all-half"],
        &["eval", "two.gltf", "--preset", "rest"],
    ] {
        let host = morph(folder.path(), &[args, &["--json"]].concat()).json();
        for backend in ["scatter", "gather"] {
            let result = morph(folder.path(), &[args, &["--backend", backend, "--json"]].concat()).json();
            assert_eq!(result["max_ulp_vs_host"], 0, "{args:?} {backend}");
            assert_eq!(
                (&result["positions"], &result["tangents"]),
                (&host["positions"], &host["tangents"])
            );
        }
    }
}

/// The picture's size and pixels.
fn picture(folder: &std::path::Path, name: &str) -> image::RgbaImage {
    image::open(folder.join(name)).unwrap().to_rgba8()
}

/// How many pixels of two pictures are not the same.
fn differing(a: &image::RgbaImage, b: &image::RgbaImage) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

#[test]
fn every_pass_becomes_a_picture_that_shows_the_weights() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    for pass in ["color", "depth", "shadow", "motion", "normal"] {
        // The camera frames what it sees, so its view is fixed by a rest pose that both have in common: the front.
        let args = [
            "render",
            "square.gltf",
            "--pass",
            pass,
            "--size",
            "96x64",
            "--camera",
            "front",
        ];
        morph(
            folder.path(),
            &[&args[..], &["--preset", "rest", "--out", "rest.png"]].concat(),
        );
        let run = morph(
            folder.path(),
            &[&args[..], &["--weights", "liftTop=-1", "--out", "top.png"]].concat(),
        )
        .ok();
        assert!(run.out.contains(&format!("top.png ({pass}, ")), "{}", run.out);
        let (rest, top) = (
            picture(folder.path(), "rest.png"),
            picture(folder.path(), "top.png"),
        );
        assert_eq!(rest.dimensions(), top.dimensions());
        if pass != "shadow" {
            assert_eq!(top.dimensions(), (96, 64));
        }
        let different = differing(&rest, &top);
        assert!(different > 50, "{pass}: {different} pixels differ");
    }
    assert_eq!(names_in(folder.path()), ["rest.png", "square.gltf", "top.png"]);
}

#[test]
fn a_render_tells_a_program_what_it_drew() {
    let folder = folder();
    write(folder.path(), "two.gltf", two_meshes());
    let args = [
        "render",
        "two.gltf",
        "--weights",
        "only=0.5",
        "--size",
        "64x64",
        "--out",
        "x.png",
        "--json",
    ];
    let report = morph(folder.path(), &args).ok().json();
    assert_eq!((&report["pass"], &report["width"]), (&json!("color"), &json!(64)));
    assert_eq!(
        (&report["instances"], &report["vertices"]),
        (&json!(3), &json!(12))
    );
    assert_eq!(
        (&report["active_targets"], &report["active_entries"]),
        (&json!(2), &json!(8))
    );
    let one = [&args[..], &["--mesh", "1", "--primitive", "0"]].concat();
    assert_eq!(morph(folder.path(), &one).ok().json()["triangles"], 2);
    let none = ["render", "two.gltf", "--primitive", "0", "--out", "x.png"];
    assert_eq!(
        morph(folder.path(), &none).code,
        2,
        "a primitive without its mesh"
    );
}

#[test]
fn a_motion_without_movement_is_told() {
    let folder = folder();
    write(folder.path(), "square.gltf", square());
    let args = [
        "render",
        "square.gltf",
        "--pass",
        "motion",
        "--size",
        "32x32",
        "--out",
        "x.png",
    ];
    let run = morph(
        folder.path(),
        &[&args[..], &["--weights", "liftTop=0.25"]].concat(),
    );
    assert_eq!(run.code, 0);
    assert!(run.notes.contains("nothing moves"), "{}", run.notes);
    // The file's own weights differ from the rest pose, so without any others there is a motion.
    morph(folder.path(), &args).ok();
}

#[test]
fn every_camera_sees_makehuman() {
    let folder = folder();
    write_makehuman(folder.path());
    for camera in ["auto", "all", "head", "front", "left", "right", "back", "top"] {
        let args = [
            "render", "base.obj", "--camera", camera, "--size", "48x48", "--out", "x.png",
        ];
        morph(folder.path(), &args).ok();
        assert_eq!(picture(folder.path(), "x.png").dimensions(), (48, 48));
    }
}

/// A clip that turns a node by a quarter around z and stands it three to the right.
fn turn(node: &str) -> String {
    format!(
        "version: 2\ntracks:\n\
         - {{node: {node}, property: rotation, interpolation: step, times: [0], values: [[0, 0, 0.38268343, 0.92387953]]}}\n\
         - {{node: {node}, property: translation, interpolation: step, times: [0], values: [[3, 0, 0]]}}\n\
         - {{node: n0, property: weight, target: lift, interpolation: step, times: [0], values: [1]}}\n"
    )
}

#[test]
fn bones_carry_what_the_pre_pass_morphed() {
    let folder = folder();
    write(folder.path(), "boned.gltf", boned_square());
    write(folder.path(), "bone.yaml", turn("bone"));
    let plain = boned_square()
        .replace("\"skin\":0,", "")
        .replace(",\"skin\":0", "");
    write(folder.path(), "plain.gltf", plain);
    write(folder.path(), "node.yaml", turn("n0"));
    for pass in ["color", "motion", "normal"] {
        let render = |file: &str, clip: &str, out: &str, more: &[&str]| {
            let common = [
                "--camera",
                "left",
                "--size",
                "64x64",
                "--pass",
                pass,
                "--clip-file",
                clip,
                "--out",
                out,
            ];
            morph(
                folder.path(),
                &[&["render", file, "--json"], &common[..], more].concat(),
            )
        };
        let skinned = render("boned.gltf", "bone.yaml", "skinned.png", &["--skin"])
            .ok()
            .json();
        assert_eq!(
            (&skinned["skinned"], &skinned["clip"]),
            (&json!(1), &json!(0)),
            "{skinned}"
        );
        assert_eq!(skinned["active_targets"], 1);
        // A bone and a node that stand alike give one picture.
        render("plain.gltf", "node.yaml", "placed.png", &[]).ok();
        let (skinned, placed) = (
            picture(folder.path(), "skinned.png"),
            picture(folder.path(), "placed.png"),
        );
        assert_eq!(differing(&skinned, &placed), 0, "{pass}");
        // Without the bones it is drawn where it was bound, and that is told.
        let still = render("boned.gltf", "bone.yaml", "still.png", &[]);
        assert!(still.notes.contains("only with --skin"), "{}", still.notes);
        if pass == "motion" {
            assert!(differing(&skinned, &picture(folder.path(), "still.png")) > 50);
        }
    }
    let none = ["render", "plain.gltf", "--skin", "--out", "x.png"];
    morph(folder.path(), &none).refused(&["plain.gltf has no skin", "leave --skin out"]);
}

#[test]
fn expressions_are_drawn_as_the_weights_that_they_are() {
    let folder = folder();
    write(folder.path(), "avatar.gltf", avatar());
    let render = |out: &str, more: &[&str]| {
        let common = [
            "render",
            "avatar.gltf",
            "--size",
            "64x64",
            "--pass",
            "depth",
            "--out",
            out,
        ];
        morph(folder.path(), &[&common[..], more].concat())
    };
    render("expressed.png", &["--expression", "blink=1,happy=0.25"]).ok();
    render(
        "weighted.png",
        &["--weights", "grow=0.75,liftTop=0.25,idle=0.125"],
    )
    .ok();
    render("own.png", &[]).ok();
    let picture = |name| picture(folder.path(), name);
    assert_eq!(differing(&picture("expressed.png"), &picture("weighted.png")), 0);
    assert!(differing(&picture("expressed.png"), &picture("own.png")) > 0);
    render("x.png", &["--expression", "blin=1"]).refused(&["has no expression `blin`"]);
}
