//! What `check` finds, against what the Khronos glTF validator says of the same files.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they compared"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::{Builder, shared_or_skip};
use morph_import::check::{Problem, Report, Severity, check};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What the validator tells of files and we do not, because it is about how surfaces look, or about how tidy a file is.
const OUT_OF_SCOPE: [&str; 10] = [
    // A file beside the model that is missing: in the shared files only images are.
    "IO_ERROR",
    "IMAGE_NPOT_DIMENSIONS",
    "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE",
    "MESH_PRIMITIVE_NO_TANGENT_SPACE",
    "MESH_PRIMITIVE_TOO_FEW_TEXCOORDS",
    "UNUSED_MESH_TANGENT",
    "UNUSED_OBJECT",
    "BUFFER_VIEW_TARGET_MISSING",
    "INCOMPLETE_EXTENSION_SUPPORT",
    "UNSUPPORTED_EXTENSION",
];

fn severity_number(severity: Severity) -> u64 {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info => 2,
    }
}

fn is_in_scope(code: &str) -> bool {
    !OUT_OF_SCOPE.contains(&code) && !code.starts_with("MORPH_")
}

/// The problems that the validator knows as well.
fn in_scope(report: &Report) -> impl Iterator<Item = &Problem> {
    report.problems.iter().filter(|problem| is_in_scope(problem.code))
}

/// Every code in a file with how often it occurs, as the oracle has it: `0:ACCESSOR_INDEX_OOB`.
type Counts = BTreeMap<String, u64>;

fn counts_of_report(report: &Report, severity: u64) -> Counts {
    let mut counts = Counts::new();
    for problem in in_scope(report).filter(|problem| severity_number(problem.severity) == severity) {
        *counts.entry(problem.code.to_owned()).or_default() += problem.count;
    }
    counts
}

fn counts_of_oracle(entry: &Value, severity: u64) -> Counts {
    let codes = entry["codes"].as_object().unwrap();
    let split = |(code, count): (&String, &Value)| {
        let (number, code) = code.split_once(':')?;
        (number == severity.to_string() && is_in_scope(code))
            .then(|| (code.to_owned(), count.as_u64().unwrap()))
    };
    codes.iter().filter_map(split).collect()
}

#[test]
fn check_agrees_with_the_khronos_validator() {
    let Some(shared) = shared_or_skip(&["check_agrees_with_the_khronos_validator"]) else {
        return;
    };
    let oracle = std::fs::read(shared.join("oracle/gltf_validator.json")).unwrap();
    let oracle: BTreeMap<String, Value> = serde_json::from_slice(&oracle).unwrap();
    assert!(oracle.len() > 100);
    let mut table: BTreeMap<(u64, String), (u64, u64)> = BTreeMap::new();
    let mut differences = Vec::new();
    for (file, entry) in &oracle {
        let path = shared.join("assets").join(file);
        let report = check(&path, &std::fs::read(&path).unwrap());
        assert_eq!(report.left_out, 0, "{file}");
        for severity in 0..=2 {
            let (ours, theirs) = (
                counts_of_report(&report, severity),
                counts_of_oracle(entry, severity),
            );
            for (code, count) in &theirs {
                let (files, occurrences) = table.entry((severity, code.clone())).or_default();
                *files += 1;
                *occurrences += count;
            }
            if ours != theirs {
                differences.push(format!("{file}: ours {ours:?}, the validator's {theirs:?}"));
            }
        }
        // The oracle keeps the first three places, without their codes.
        let places: BTreeSet<&str> = report.problems.iter().map(|it| it.pointer.as_str()).collect();
        let all_in_scope = entry["codes"]
            .as_object()
            .unwrap()
            .keys()
            .all(|code| is_in_scope(&code[2..]));
        for first in entry["first"].as_array().unwrap() {
            let place = first.as_str().unwrap().split(' ').next().unwrap();
            if all_in_scope && place.starts_with('/') && !places.contains(place) {
                differences.push(format!("{file}: the validator tells of {place}, we do not"));
            }
        }
    }
    println!("severity  code  files  occurrences, in {} files", oracle.len());
    for ((severity, code), (files, occurrences)) in &table {
        println!("{severity}  {code}  {files}  {occurrences}");
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// One file with everything in it, and single edits of it with the errors and warnings that the validator (2.0.0-dev.3.10)
/// found, recorded as (code, pointer).
#[test]
fn every_edit_has_the_verdict_of_the_khronos_validator() {
    let recorded: Value = serde_json::from_str(include_str!("data/khronos_verdicts.json")).unwrap();
    let data = bytes_of_hex(recorded["data"].as_str().unwrap());
    let cases = recorded["cases"].as_array().unwrap();
    let mut codes = BTreeSet::new();
    for case in cases {
        let file = edited(&recorded["base"], &data, case["edits"].as_array().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let report = check(
            &folder.path().join("edited.gltf"),
            &serde_json::to_vec(&file).unwrap(),
        );
        // Here IO_ERROR is about a buffer.
        let found: BTreeSet<(String, String)> = report
            .problems
            .iter()
            .filter(|problem| problem.severity > Severity::Info && !problem.code.starts_with("MORPH_"))
            .map(|problem| (problem.code.to_owned(), problem.pointer.clone()))
            .collect();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let expected: BTreeSet<(String, String)> = case["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|problem| (text(&problem[0]), text(&problem[1])))
            .collect();
        assert_eq!(found, expected, "{}", case["name"]);
        codes.extend(expected.into_iter().map(|(code, _)| code));
    }
    println!("{} edits, {} codes", cases.len(), codes.len());
    assert!(
        codes.len() > 90,
        "the edits are meant to cover nearly all codes: {codes:?}"
    );
}

fn bytes_of_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|byte| u8::from_str_radix(&text[2 * byte..2 * byte + 2], 16).unwrap())
        .collect()
}

/// Base64 as in RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| -> String {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let letter = |position: usize| {
            let is_padding = position > group.len();
            let sextet = bits >> (18 - 6 * position) & 63;
            if is_padding {
                '='
            } else {
                char::from(LETTERS[sextet as usize])
            }
        };
        (0..4).map(letter).collect()
    };
    bytes.chunks(3).map(group).collect()
}

/// Puts bytes into the data (`["data", offset, hex]`), sets a member, appends to a list, or deletes (`"delete"`).
fn edited(base: &Value, data: &[u8], edits: &[Value]) -> Value {
    let (mut file, mut data) = (base.clone(), data.to_vec());
    for edit in edits.iter().filter(|edit| edit[0] == "data") {
        let bytes = bytes_of_hex(edit[2].as_str().unwrap());
        let offset = usize::try_from(edit[1].as_u64().unwrap()).unwrap();
        data[offset..offset + bytes.len()].copy_from_slice(&bytes);
    }
    let uri = format!("data:application/octet-stream;base64,{}", base64(&data));
    file["buffers"] = json!([{ "byteLength": data.len(), "uri": uri }]);
    for edit in edits.iter().filter(|edit| edit[0] != "data") {
        let (parent, name) = edit[0].as_str().unwrap().rsplit_once('/').unwrap();
        let is_deleted = edit[1] == "delete";
        match file.pointer_mut(parent).unwrap() {
            Value::Array(list) => {
                let index: usize = name.parse().unwrap();
                if index == list.len() {
                    list.push(edit[1].clone());
                } else {
                    list[index] = edit[1].clone();
                }
            }
            Value::Object(members) if is_deleted => drop(members.remove(name)),
            other => other[name] = edit[1].clone(),
        }
    }
    file
}

fn problems_of(builder: &Builder) -> Report {
    check(Path::new("built.glb"), &builder.glb())
}

fn has(report: &Report, severity: Severity, code: &str, pointer: &str) -> bool {
    let same = |it: &&Problem| it.severity == severity && it.code == code && it.pointer == pointer;
    report.problems.iter().any(|problem| same(&problem))
}

/// Two primitives, of which the one at `plain` has no targets.
fn with_plain_primitive(plain: usize) -> Builder {
    let mut builder = Builder::new();
    let delta = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let mut primitives = vec![builder.quad(json!([{ "POSITION": delta }, { "POSITION": delta }]))];
    let quad = builder.quad(json!([]));
    primitives.insert(plain, quad);
    builder.mesh(json!({ "primitives": primitives, "extras": { "targetNames": ["a", "b"] } }));
    builder
}

#[test]
fn b027_targets_only_on_a_later_primitive_are_an_error() {
    let report = problems_of(&with_plain_primitive(0));
    let place = "/meshes/0/primitives/1/targets";
    assert!(
        has(
            &report,
            Severity::Error,
            "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT",
            place
        ),
        "{report:?}"
    );
}

#[test]
fn b033_a_plain_primitive_among_morphed_ones_is_an_error_in_both_orders() {
    for (plain, place) in [
        (0, "/meshes/0/primitives/1/targets"),
        (1, "/meshes/0/primitives/1"),
    ] {
        let report = problems_of(&with_plain_primitive(plain));
        let code = "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT";
        assert!(has(&report, Severity::Error, code, place), "{report:?}");
    }
}

#[test]
fn names_of_targets_and_targets_that_move_nothing() {
    let mut builder = Builder::new();
    let moves = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let rests = builder.floats(&[[0.0_f32; 3]; 4]);
    let zeros = builder.accessor(json!({ "componentType": 5126, "count": 4, "type": "VEC3" }));
    let targets = json!([{ "POSITION": moves }, { "POSITION": rests }, { "POSITION": zeros }]);
    let quad = builder.quad(targets);
    let names = json!({ "targetNames": ["smile", "smile", "", "more"] });
    builder.mesh(json!({ "name": "Face", "primitives": [quad], "extras": names }));
    let mut bare = builder.quad(json!([{ "POSITION": moves }]));
    builder.mesh(json!({ "primitives": [bare.clone()] }));
    bare["extras"] = json!({ "targetNames": [7] });
    builder.mesh(json!({ "primitives": [bare] }));
    let report = problems_of(&builder);
    let found: Vec<(&str, &str, Severity)> = report
        .problems
        .iter()
        .filter(|problem| problem.code.starts_with("MORPH_"))
        .map(|problem| (problem.code, problem.pointer.as_str(), problem.severity))
        .collect();
    let names = "/meshes/0/extras/targetNames";
    let (repeated, empty) = (format!("{names}/1"), format!("{names}/2"));
    let of_primitive = "/meshes/2/primitives/0/extras/targetNames";
    let number = format!("{of_primitive}/0");
    assert_eq!(
        found,
        [
            ("MORPH_TARGET_NAME_COUNT", names, Severity::Warning),
            ("MORPH_TARGET_NAME_REPEATED", &repeated, Severity::Warning),
            ("MORPH_TARGET_NAME_INVALID", &empty, Severity::Warning),
            ("MORPH_TARGET_NAMES_MISSING", "/meshes/1", Severity::Info),
            ("MORPH_TARGET_NAMES_ON_PRIMITIVE", of_primitive, Severity::Info),
            ("MORPH_TARGET_NAME_INVALID", &number, Severity::Warning),
            (
                "MORPH_TARGET_MOVES_NOTHING",
                "/meshes/0/primitives/0/targets/1",
                Severity::Info
            ),
            (
                "MORPH_TARGET_MOVES_NOTHING",
                "/meshes/0/primitives/0/targets/2",
                Severity::Info
            ),
        ]
    );
    let named = report
        .problems
        .iter()
        .find(|problem| problem.code == "MORPH_TARGET_MOVES_NOTHING");
    assert_eq!(named.unwrap().name.as_deref(), Some("Face"));
    assert!(
        named.unwrap().message.contains("\"smile\""),
        "{:?}",
        named.unwrap().message
    );
}

#[test]
fn a_target_that_rests_in_one_primitive_and_moves_another_is_no_problem() {
    let mut builder = Builder::new();
    let moves = builder.sparse_vec3(4, 2, [0.0, 0.0, 1.0]);
    let rests = builder.floats(&[[0.0_f32; 3]; 4]);
    let primitives = [
        builder.quad(json!([{ "POSITION": rests }])),
        builder.quad(json!([{ "POSITION": moves }])),
    ];
    builder.mesh(json!({ "primitives": primitives, "extras": { "targetNames": ["a"] } }));
    let report = problems_of(&builder);
    assert!(
        report
            .problems
            .iter()
            .all(|problem| !problem.code.starts_with("MORPH_"))
    );
}

#[test]
fn a_container_that_is_cut_off_is_told_with_its_place() {
    let whole = with_plain_primitive(0).glb();
    let cut = &whole[..whole.len() - 4];
    let report = check(Path::new("cut.glb"), cut);
    let codes: Vec<(&str, Option<u64>)> = report
        .problems
        .iter()
        .filter(|problem| problem.offset.is_some())
        .map(|problem| (problem.code, problem.offset))
        .collect();
    assert_eq!(
        codes,
        [("GLB_UNEXPECTED_END_OF_CHUNK_DATA", Some(cut.len() as u64))]
    );
    // The JSON is there, so what is wrong with it is told too.
    let code = "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT";
    assert!(has(
        &report,
        Severity::Error,
        code,
        "/meshes/0/primitives/1/targets"
    ));
}

#[test]
fn files_outside_the_folder_are_refused_by_a_code_of_our_own() {
    let file = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": 4, "uri": "../secret.bin" }, { "byteLength": 4, "uri": "/etc/passwd" }],
    });
    let report = check(Path::new("/tmp/model.gltf"), &serde_json::to_vec(&file).unwrap());
    for place in ["/buffers/0/uri", "/buffers/1/uri"] {
        assert!(
            has(&report, Severity::Error, "MORPH_URI_REFUSED", place),
            "{report:?}"
        );
    }
    assert!(has(
        &report,
        Severity::Warning,
        "NON_RELATIVE_URI",
        "/buffers/1/uri"
    ));
}

#[test]
fn what_a_small_file_can_ask_for_has_a_bound() {
    let mut builder = Builder::new();
    let vertices = vec![[0.5_f32; 3]; 40_000];
    let position = builder.floats(&vertices);
    let index = builder.accessor(json!({ "componentType": 5125, "count": 40_000_000_000_u64, "type": "SCALAR",
        "sparse": { "count": 1, "indices": { "bufferView": 0, "componentType": 5125 }, "values": { "bufferView": 0 } } }));
    let normals = builder.floats(&vertices);
    // Every primitive has its own count, so no check is the same as another.
    let primitives: Vec<Value> = (0..20_000)
        .map(|_| json!({ "attributes": { "POSITION": position, "NORMAL": normals }, "indices": index }))
        .collect();
    builder.mesh(json!({ "primitives": primitives }));
    let start = std::time::Instant::now();
    let report = problems_of(&builder);
    assert!(
        start.elapsed() < std::time::Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    assert!(has(&report, Severity::Info, "MORPH_CHECK_INCOMPLETE", ""));
}

#[test]
fn a_report_has_a_bound() {
    let list = vec![json!("x"); 150_000];
    let file = json!({ "asset": { "version": "2.0" }, "accessors": list });
    let report = check(Path::new("many.gltf"), &serde_json::to_vec(&file).unwrap());
    assert_eq!(report.problems.len() as u64 + report.left_out, 150_000);
    assert_eq!(report.count(Severity::Error), report.problems.len());
    assert!(report.left_out > 0);
}

/// Names that mean something somewhere in a file, so that random objects get past the first check.
const NAMES: [&str; 40] = [
    "asset",
    "version",
    "accessors",
    "bufferViews",
    "buffers",
    "meshes",
    "nodes",
    "skins",
    "animations",
    "scenes",
    "primitives",
    "attributes",
    "POSITION",
    "NORMAL",
    "JOINTS_0",
    "WEIGHTS_0",
    "targets",
    "indices",
    "mode",
    "bufferView",
    "byteOffset",
    "byteLength",
    "byteStride",
    "componentType",
    "count",
    "type",
    "sparse",
    "values",
    "min",
    "buffer",
    "uri",
    "children",
    "mesh",
    "skin",
    "joints",
    "samplers",
    "channels",
    "target",
    "extras",
    "targetNames",
];

fn any_json() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        (0_i64..12).prop_map(|n| json!(n)),
        prop::sample::select(vec![5120, 5121, 5123, 5125, 5126]).prop_map(|n| json!(n)),
        any::<i64>().prop_map(|n| json!(n)),
        any::<f64>().prop_map(|x| json!(x)),
    ];
    let words = vec![
        "2.0",
        "SCALAR",
        "VEC3",
        "MAT4",
        "LINEAR",
        "weights",
        "a/b~c",
        "data:application/octet-stream;base64,AAAAAAAAgD8AAAAA",
    ];
    let text = prop::sample::select(words).prop_map(|text| json!(text));
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(|b| json!(b)),
        number,
        text
    ];
    leaf.prop_recursive(6, 200, 8, |inner| {
        let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((name, inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_json_makes_it_panic(file in any_json()) {
        let mut file = file;
        if let Value::Object(members) = &mut file {
            members.insert("asset".to_owned(), json!({ "version": "2.0" }));
        }
        let report = check(Path::new("random.gltf"), &serde_json::to_vec(&file).unwrap());
        prop_assert!(report.problems.iter().all(|problem| problem.count > 0 && !problem.message.is_empty()));
    }

    #[test]
    fn no_damage_to_a_file_makes_it_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = with_plain_primitive(0).glb();
        for (place, byte) in edits {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let report = check(Path::new("damaged.glb"), &bytes);
        prop_assert!(report.problems.iter().all(|problem| problem.count > 0));
    }
}
