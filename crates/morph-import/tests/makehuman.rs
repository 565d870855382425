//! MakeHuman base meshes and targets, small ones and damaged ones.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::{check, warning_kinds};
use flate2::Compression;
use flate2::write::GzEncoder;
use morph_import::{Format, ImportError, ImportOptions, MakeHumanError, Model, Topology, WarningKind, load};
use proptest::prelude::*;
use tempfile::TempDir;

/// Two quads side by side with a texture seam at their common edge, and one triangle of a helper.
const BASE: &str = "# comment
v 0 0 0
v 10 0 0
v 10 10 0
v 0 10 0
v 20 0 0
v 20 10 0
v 0 0 50
vt 0 0
vt 0.5 0
vt 0.5 1
vt 0 1
vt 0.6 0
vt 0.6 1
s off
g body
f 1/1 2/2 3/3 4/4
f 2/5 5/2 6/3 3/6
g helper
f 1 2 7
g joint
";

struct Folder(TempDir);

impl Folder {
    fn new(base: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("base.obj"), base).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn load_with(&self, options: &ImportOptions) -> Result<Model, ImportError> {
        let model = load(&self.path("base.obj"), options)?;
        check(&model);
        Ok(model)
    }

    fn load(&self) -> Result<Model, ImportError> {
        self.load_with(&ImportOptions::default())
    }
}

fn gz(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn refused(result: Result<Model, ImportError>) -> (PathBuf, Option<u64>, MakeHumanError) {
    match result {
        Err(ImportError::MakeHuman { path, line, reason }) => (path, line, *reason),
        other => panic!("expected an error of MakeHuman, got {other:?}"),
    }
}

#[test]
fn corners_split_at_the_seam_and_each_copy_gets_the_offset() {
    let folder = Folder::new(BASE);
    folder.write(
        "targets/up.target",
        b"# a comment\n\n1 0 0 10\n2 .5 -1e1 0 # after it\r\n6 1 1 1\n0 0 0 0\n",
    );
    let model = folder.load().unwrap();
    assert_eq!(model.format, Format::MakeHuman);
    assert!(model.warnings.is_empty());
    let mesh = &model.meshes[0];
    assert_eq!(mesh.name.as_deref(), Some("base"));
    assert_eq!(mesh.target_names, ["up"]);
    let primitive = &mesh.primitives[0];
    assert_eq!(primitive.name.as_deref(), Some("body"));
    assert_eq!(primitive.topology, Topology::Triangles);
    // By control point, then by texture coordinate: points 1 and 2 have two each. Decimeters become meters.
    let x: Vec<f32> = primitive.positions.iter().map(|position| position[0]).collect();
    assert_eq!(x, [0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 2.0, 2.0]);
    assert_eq!(primitive.indices, [0, 1, 3, 0, 3, 5, 2, 6, 7, 2, 7, 4]);
    let texcoords = &primitive.texcoords[0];
    assert_eq!((texcoords[1], texcoords[2]), ([0.5, 1.0], [0.6, 1.0]));
    assert_eq!(texcoords[5], [0.0, 0.0]);
    // Point 6 is only in the helper, and a line of zeros moves nothing.
    let target = &primitive.targets[0];
    assert_eq!(target.vertices, [1, 2, 3, 4]);
    let [up, aside] = [[0.0, 0.0, 1.0], [0.05, -1.0, 0.0]];
    assert_eq!(target.positions.as_deref(), Some(&[up, up, aside, aside][..]));
    assert_eq!((&target.normals, &target.tangents), (&None, &None));
}

#[test]
fn groups_become_primitives_with_one_list_of_targets() {
    let folder = Folder::new(BASE);
    folder.write("targets/a.target", b"4 0 0 1\n");
    folder.write("targets/b.target.gz", &gz(b"6 0 0 1\n"));
    let groups = vec!["helper".to_owned(), "body".to_owned()];
    let model = folder
        .load_with(&ImportOptions {
            groups,
            ..ImportOptions::default()
        })
        .unwrap();
    let [helper, body] = &model.meshes[0].primitives[..] else {
        panic!("two primitives")
    };
    assert_eq!(
        (helper.name.as_deref(), body.name.as_deref()),
        (Some("helper"), Some("body"))
    );
    assert!(helper.texcoords.is_empty());
    assert_eq!(helper.positions.len(), 3);
    assert_eq!(model.meshes[0].target_names, ["a", "b"]);
    let moved =
        |targets: &[morph_core::MorphTarget]| targets.iter().map(|t| t.vertices.clone()).collect::<Vec<_>>();
    assert_eq!(moved(&helper.targets), [vec![], vec![2]]);
    assert_eq!(moved(&body.targets), [vec![6], vec![]]);

    let groups = vec!["joint".to_owned()];
    let error = folder.load_with(&ImportOptions {
        groups,
        ..ImportOptions::default()
    });
    let (_, _, error) = refused(error);
    assert_eq!(
        error.to_string(),
        "there is no group \"joint\" with faces; the file has body, helper: name those to read as groups (--groups)"
    );
}

#[test]
fn targets_are_found_in_sorted_order_and_named_apart() {
    let folder = Folder::new(BASE);
    for name in [
        "z/smile.target",
        "a/smile.target",
        "a/deep/frown.target",
        "b.TARGET",
        "z/readme.txt",
    ] {
        folder.write(&format!("targets/{name}"), b"0 1 0 0\n");
    }
    folder.write("targets/a/packed.target.gz", &gz(b"0 1 0 0\n"));
    let names = |options: ImportOptions| folder.load_with(&options).unwrap().meshes.remove(0).target_names;
    assert_eq!(
        names(ImportOptions::default()),
        ["frown", "packed", "a/smile", "b", "z/smile"]
    );
    // Files and folders that the caller names stand in the caller's order.
    let targets = vec![folder.path("targets/z/smile.target"), folder.path("targets/a")];
    assert_eq!(
        names(ImportOptions {
            targets,
            ..ImportOptions::default()
        }),
        ["z/smile", "frown", "packed", "a/smile"]
    );
    // One file twice: no folder tells them apart.
    let targets = vec![folder.path("targets/b.TARGET"); 2];
    assert_eq!(
        names(ImportOptions {
            targets,
            ..ImportOptions::default()
        }),
        ["targets/b", "targets/b_2"]
    );
    assert_eq!(
        names(ImportOptions {
            morphs: false,
            ..ImportOptions::default()
        }),
        [""; 0]
    );
}

#[test]
fn a_base_without_targets_loads_and_says_so() {
    let folder = Folder::new(BASE);
    let model = folder.load().unwrap();
    assert_eq!(warning_kinds(&model), [&WarningKind::NoTargets]);
    assert!(model.meshes[0].target_names.is_empty());
}

#[test]
fn the_last_line_for_a_vertex_stands() {
    let folder = Folder::new(BASE);
    folder.write("targets/a.target", b"3 1 0 0\n0 5 0 0\n3 2 0 0\n");
    let model = folder.load().unwrap();
    let target = &model.meshes[0].primitives[0].targets[0];
    assert_eq!(target.vertices, [0, 5]);
    assert_eq!(
        target.positions.as_deref(),
        Some(&[[0.5, 0.0, 0.0], [0.2, 0.0, 0.0]][..])
    );
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::TargetLinesRepeated { lines: 1 }]
    );
}

#[test]
fn a_target_of_another_base_mesh_is_refused_with_file_and_line() {
    let folder = Folder::new(BASE);
    let file = folder.write("targets/a.target", b"0 1 0 0\n\n7 1 0 0\n");
    let error = folder.load().unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("a.target, line 3: the target moves vertex 7; the base mesh has 7"),
        "{text}"
    );
    let (path, line, error) = refused(Err(error));
    assert_eq!((path, line), (file, Some(3)));
    assert!(matches!(
        error,
        MakeHumanError::TargetIndex {
            index: 7,
            vertex_count: 7
        }
    ));
}

#[test]
fn damaged_targets_are_refused() {
    let cases: [(&[u8], &str); 9] = [
        (b"0 1 0", "the line needs index dx dy dz"),
        (b"0 1 0 0 0", "the line needs index dx dy dz"),
        (b"0", "the line needs index dx dy dz"),
        (b"-1 1 0 0", "\"-1\" is not a vertex number"),
        (b"a 1 0 0", "\"a\" is not a vertex number"),
        (b"0 1 x 0", "\"x\" is not a number of 32 bits"),
        (b"0 1 nan 0", "\"nan\" is not a number of 32 bits"),
        (b"0 1 1e60 0", "\"1e60\" is not a number of 32 bits"),
        (b"0 1 \xff 0", "the file is not text"),
    ];
    for (content, expected) in cases {
        let folder = Folder::new(BASE);
        folder.write("targets/a.target", content);
        let (_, _, error) = refused(folder.load());
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[test]
fn what_is_packed_is_unpacked_up_to_what_the_base_can_justify() {
    // Fifty megabytes of line ends pack into fifty kilobytes.
    let bomb = gz(&vec![b'\n'; 50 << 20]);
    assert!(bomb.len() < 60 << 10);
    let folder = Folder::new(BASE);
    folder.write("targets/a.target.gz", &bomb);
    assert!(matches!(
        refused(folder.load()).2,
        MakeHumanError::TargetTooLong { .. }
    ));
    // The same limit holds for plain files.
    let folder = Folder::new(BASE);
    folder.write("targets/a.target", &vec![b'\n'; 1 << 20]);
    assert!(matches!(
        refused(folder.load()).2,
        MakeHumanError::TargetTooLong { .. }
    ));

    let packed = gz(b"0 1 0 0\n1 1 0 0\n");
    for length in 0..packed.len() {
        let folder = Folder::new(BASE);
        folder.write("targets/a.target.gz", &packed[..length]);
        // Nothing at all unpacks to nothing; anything else that is cut off is an error.
        match folder.load() {
            Err(ImportError::Read { .. }) => {}
            other => assert!(length == 0 && other.is_ok(), "{length} bytes: {other:?}"),
        }
    }
}

#[test]
fn paths_that_hold_no_targets_are_refused() {
    let folder = Folder::new(BASE);
    let with = |path: &Path| {
        folder.load_with(&ImportOptions {
            targets: vec![path.to_owned()],
            ..ImportOptions::default()
        })
    };
    let (path, _, error) = refused(with(&folder.path("base.obj")));
    assert_eq!(path, folder.path("base.obj"));
    assert!(matches!(error, MakeHumanError::NotATarget));
    assert!(matches!(
        with(&folder.path("missing.target")),
        Err(ImportError::Read { .. })
    ));
}

#[test]
fn damaged_base_meshes_are_refused_with_their_line() {
    let case = |text: &str| {
        let (_, line, error) = refused(Folder::new(text).load());
        (line, error)
    };
    assert!(matches!(case("# nothing\n"), (None, MakeHumanError::NoVertices)));
    assert!(matches!(
        case("v 0 0 0\n"),
        (None, MakeHumanError::NoGroup { .. })
    ));
    assert!(matches!(case("v 0 0\n"), (Some(1), MakeHumanError::Line { .. })));
    assert!(matches!(
        case("v 0 0 z\n"),
        (Some(1), MakeHumanError::Number { .. })
    ));
    assert!(matches!(
        case("v 0 0 inf\n"),
        (Some(1), MakeHumanError::Number { .. })
    ));
    assert!(matches!(
        case("v 0 0 0\nvt\n"),
        (Some(2), MakeHumanError::Line { .. })
    ));
    assert!(matches!(
        case("v 0 0 0\ng body\nf 1 1\n"),
        (Some(3), MakeHumanError::Line { .. })
    ));
    let missing = |line: Option<u64>, error: MakeHumanError, wanted: i64| {
        assert_eq!(line, Some(3));
        assert!(
            matches!(error, MakeHumanError::FaceIndex { kind: "vertex", index, count: 1 } if index == wanted)
        );
    };
    for wanted in [2, 0, -2, i64::MIN, i64::MAX] {
        let (line, error) = case(&format!("v 0 0 0\ng body\nf 1 1 {wanted}\n"));
        missing(line, error, wanted);
    }
    let (line, error) = case("v 0 0 0\ng body\nf 1/1 1/1 1/1\n");
    assert_eq!(line, Some(3));
    assert!(matches!(
        error,
        MakeHumanError::FaceIndex {
            kind: "texture coordinate",
            index: 1,
            count: 0
        }
    ));
    let text = Folder::new("v 0 0 0\ng body\nf 1 1 2\n")
        .load()
        .unwrap_err()
        .to_string();
    assert!(
        text.ends_with("base.obj, line 3: the face names vertex 2; 1 came before it"),
        "{text}"
    );
}

#[test]
fn other_dialects_of_obj_read_alike() {
    let plain = Folder::new("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 2 0\ng body\nf 1 2 3 4 5\n")
        .load()
        .unwrap();
    let primitive = &plain.meshes[0].primitives[0];
    assert_eq!(primitive.indices, [0, 1, 2, 0, 2, 3, 0, 3, 4]);
    let relative = "v 0 0 0 1\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nv 0 2 0\r\nvn 0 0 1\r\ng body skin\r\nf -5//1 -4//1 -3//1 -2//1 -1//1 # five\r\n";
    let relative = Folder::new(relative).load().unwrap();
    assert_eq!(relative.meshes[0].primitives[0].indices, primitive.indices);
    assert_eq!(relative.meshes[0].primitives[0].positions, primitive.positions);
    assert_eq!(
        warning_kinds(&relative),
        [&WarningKind::NormalsIgnored, &WarningKind::NoTargets]
    );

    let folder = Folder::new("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nf 1 1 2\n");
    let options = ImportOptions {
        groups: vec!["default".to_owned()],
        ..ImportOptions::default()
    };
    let model = folder.load_with(&options).unwrap();
    assert_eq!(model.meshes[0].primitives[0].indices, [0, 1, 2]);
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::FacesLeftOut { faces: 1 }, &WarningKind::NoTargets]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_target in any::<bool>(),
    ) {
        let mut base = BASE.as_bytes().to_vec();
        let mut target = b"1 0 0 10\n2 .5 -1e1 0\n6 1 1 1\n".to_vec();
        let edited = if in_target { &mut target } else { &mut base };
        for (at, byte) in flips {
            let at = at.index(edited.len());
            edited[at] = byte;
        }
        let folder = Folder::new("");
        folder.write("base.obj", &base);
        folder.write("targets/a.target", &target);
        let _ = folder.load_with(&ImportOptions { generate_normals: true, ..ImportOptions::default() });
    }
}
