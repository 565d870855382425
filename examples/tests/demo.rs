//! The demo at a small size, from start to end: three pictures, and not a bit between device and host.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;
use std::path::{Path, PathBuf};

use image::GenericImageView as _;
use morph_examples::demo::{Arguments, Outcome, makehuman, run};

/// Runs the demo; without a driver this fails with the line that installs one.
fn demo(model: Option<&Path>, out: &Path) -> (Outcome, String) {
    let arguments = Arguments {
        model: model.map(Path::to_owned),
        out: out.to_owned(),
        driver: None,
        size: 96,
    };
    let mut said = Vec::new();
    let outcome = run(&arguments, &mut said).unwrap_or_else(|error| panic!("{error:#}"));
    (outcome, String::from_utf8(said).unwrap())
}

/// The share of pixels of a part of a picture that differ plainly between two places of the same size.
fn difference(picture: &image::DynamicImage, a: (u32, u32), b: (u32, u32), size: (u32, u32)) -> f32 {
    let mut count = 0;
    for y in 0..size.1 {
        for x in 0..size.0 {
            let (left, right) = (
                picture.get_pixel(a.0 + x, a.1 + y).0,
                picture.get_pixel(b.0 + x, b.1 + y).0,
            );
            let distance: i32 = (0..3)
                .map(|channel| (i32::from(left[channel]) - i32::from(right[channel])).abs())
                .sum();
            count += u32::from(distance > 30);
        }
    }
    count as f32 / (size.0 * size.1) as f32
}

#[test]
fn the_generated_head_makes_three_pictures_and_equals_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, said) = demo(None, folder.path());
    assert_eq!(outcome.difference, 0);
    assert!(outcome.compared_instances >= 30, "{outcome:?}");
    for kernel in ["gather X8Y16", "gather X32Y1", "scatter"] {
        let row = said
            .lines()
            .find(|line| line.trim_start().starts_with(kernel))
            .unwrap_or_else(|| panic!("{said}"));
        assert!(row.ends_with("0 bits"), "{row}");
    }

    let sheet = image::open(folder.path().join("expressions.png")).unwrap();
    assert!(
        sheet.width() > 5 * 76 && sheet.height() > 3 * 96,
        "{:?}",
        sheet.dimensions()
    );
    // The faces of the first two columns, below the heading.
    let (tile, step) = ((76, 90), 78);
    let faces = difference(&sheet, (2, 44), (2 + step, 44), tile);
    assert!(
        faces > 0.005 && faces < 0.5,
        "neutral and smile differ in {faces} of their pixels"
    );

    let passes = image::open(folder.path().join("passes.png")).unwrap();
    assert!(
        passes.width() > 2 * 120 && passes.height() > 2 * 150,
        "{:?}",
        passes.dimensions()
    );

    let bytes = std::fs::read(folder.path().join("animation.gif")).unwrap();
    assert!(bytes.len() < 4 << 20);
    let mut decoder = gif::DecodeOptions::new().read_info(bytes.as_slice()).unwrap();
    let (mut frames, mut hundredths) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames += 1;
        hundredths += u32::from(frame.delay);
    }
    assert!(
        frames >= 40 && (150..=300).contains(&hundredths),
        "{frames} frames, {hundredths} hundredths of a second"
    );

    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "nothing unfinished is left: {left:?}");
}

#[test]
fn a_model_that_is_not_there_is_an_error_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let arguments = Arguments {
        model: Some("no/such/head.obj".into()),
        out: out.clone(),
        driver: None,
        size: 96,
    };
    let error = run(&arguments, &mut Vec::new()).unwrap_err();
    assert!(format!("{error:#}").contains("no/such/head.obj"), "{error:#}");
    assert!(!out.exists());
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = Arguments {
        model: None,
        out: folder.path().join("out"),
        driver: Some("no such device".to_owned()),
        size: 96,
    };
    let error = run(&arguments, &mut Vec::new()).unwrap_err();
    assert!(format!("{error:#}").contains("no such device"), "{error:#}");
}

#[test]
fn a_base_mesh_without_eyes_is_shown_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("plain.obj");
    std::fs::write(
        &model,
        "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\ng body\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let targets = folder.path().join("targets");
    std::fs::create_dir(&targets).unwrap();
    std::fs::write(targets.join("grow.target"), "3 0 0 5\n").unwrap();
    let (outcome, said) = demo(Some(&model), &folder.path().join("out"));
    assert_eq!(outcome.difference, 0);
    assert!(
        said.contains("faces: at rest, grow, grow x 0.5, grow x -0.5, "),
        "{said}"
    );
}

/// The folder of models that is not part of the project: the variable `MORPH_SHARED`, or `../shared` beside it.
fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("MORPH_SHARED").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    // Straight to the stream: what `eprintln!` says in a test that passes is kept from whoever runs it.
    let _ = writeln!(
        std::io::stderr(),
        "skipped 1 case: the dressed MakeHuman head; neither MORPH_SHARED nor ../shared is a folder"
    );
    None
}

#[test]
fn the_makehuman_head_is_dressed_and_equals_the_host() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("base.obj");
    let source = shared.join("assets/mh_source");
    std::fs::copy(source.join("base.obj"), &model).unwrap();
    std::fs::create_dir(folder.path().join("targets")).unwrap();
    for target in std::fs::read_dir(source.join("targets/faceunits")).unwrap() {
        let target = target.unwrap();
        std::fs::copy(
            target.path(),
            folder.path().join("targets").join(target.file_name()),
        )
        .unwrap();
    }

    let figure = makehuman::load(&model).unwrap();
    for name in [
        "body",
        "lips",
        "inside of the mouth",
        "scalp",
        "helper-upper-teeth",
        "helper-tongue",
        "iris",
        "brows",
        "lashes",
        "hair",
    ] {
        assert!(
            figure.part(name).is_some_and(|part| part.indices.len() >= 90),
            "{name}"
        );
    }
    for vertex in &figure.vertices {
        assert!((vertex.normal.length() - 1.0).abs() < 1.0e-3, "{vertex:?}");
        assert!(
            vertex.deltas.is_sorted_by(|a, b| a.target < b.target),
            "{vertex:?}"
        );
    }
    // The iris follows the targets that turn the eye.
    let slot = figure
        .target_names
        .iter()
        .position(|name| name == "eyeLookDownLeft")
        .unwrap() as u32;
    let iris = figure.part("iris").unwrap();
    let fall = figure
        .triangles(iris)
        .flatten()
        .flat_map(|vertex| &vertex.deltas)
        .filter(|delta| delta.target == slot)
        .map(|delta| delta.position.y)
        .sum::<f32>();
    assert!(fall < 0.0, "{fall}");

    let (outcome, said) = demo(Some(&model), &folder.path().join("out"));
    assert_eq!(outcome.difference, 0);
    assert!(
        !said.contains("left out") && !said.contains("shown without"),
        "{said}"
    );
}
