//! Finds all problems of a glTF or GLB file at once, where the importer stops at the first that it cannot live with.
//!
//! Codes and pointers are those of the Khronos glTF validator, for all errors that touch geometry, morph targets, skins
//! and animation: a file has one of them here exactly where it has one there. What only matters to materials, textures,
//! images and cameras is not looked at. Beyond that there are findings about morph targets, whose codes begin with
//! `MORPH_`.
//!
//! The way of a file: `container` finds the JSON, `asset` its version, `lists` reads every list with the checks that
//! need no other list, `primitives`, `hierarchy`, `skins` and `animations` follow the references, `data` fetches the
//! bytes, and `values` with `uses`, `influences` and `morphs` look at every number.
//!
//! The values of an accessor are looked at one element after the other and never held, problems have a limit, and so has
//! the work that a file can ask for: what a check takes is bounded by the size of the file.

mod accessors;
mod animations;
mod asset;
mod buffers;
mod container;
mod data;
mod elements;
mod format;
mod hierarchy;
mod influences;
mod json;
mod lists;
mod meshes;
mod morphs;
mod nodes;
mod object;
mod primitives;
mod report;
mod skins;
mod uses;
mod values;
mod work;

use std::path::Path;

pub use report::{Problem, Report, Severity};

use data::{Binary, Data, Source};
use hierarchy::Hierarchy;
use json::{Json, Members};
use lists::Lists;
use object::{Object, Reading};
use values::Checks;
use work::Work;

use crate::glb::MAGIC;

/// Checks the bytes of a `.gltf` or `.glb`, as the content of the file `path`.
///
/// Buffers in files of their own are looked for beside `path`, and have to lie in its folder. Any bytes may be given: what
/// is no glTF at all has a report that says so.
pub fn check(path: &Path, bytes: &[u8]) -> Report {
    let mut reading = Reading::default();
    let is_named_glb = path.extension().is_some_and(|extension| {
        ["glb", "vrm"]
            .iter()
            .any(|&it| extension.eq_ignore_ascii_case(it))
    });
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let is_container = is_named_glb || bytes.starts_with(&MAGIC);
    let mut source = Source {
        folder,
        file: bytes,
        is_container,
        binary: Binary::Absent,
    };
    if is_container {
        let container = container::read(bytes, &mut reading.findings);
        source.binary = match container.binary {
            _ if !container.is_whole => Binary::CutOff,
            Some(range) => Binary::Chunk(range),
            None => Binary::Absent,
        };
        if let Some(json) = container.json {
            check_document(&bytes[json], &source, &mut reading);
        }
    } else {
        check_document(bytes, &source, &mut reading);
    }
    reading.findings.finish()
}

/// Checks the JSON, and what lies in buffers.
fn check_document(text: &[u8], source: &Source<'_>, reading: &mut Reading) {
    let text = text.strip_prefix(b"\xef\xbb\xbf").map_or(text, |rest| {
        let message = "the text begins with a byte order mark, which JSON does not allow";
        reading.findings.error("INVALID_JSON", "", message);
        rest
    });
    let json: Json = match serde_json::from_slice(text) {
        Ok(json) => json,
        Err(error) => {
            reading
                .findings
                .error("INVALID_JSON", "", format!("this is not JSON: {error}"));
            return;
        }
    };
    let Some(members) = json.object() else {
        let message = format!("the file is {}, it has to be an object", json.kind());
        reading.findings.error("TYPE_MISMATCH", "", message);
        return;
    };
    check_lists(members, source, reading);
    reading.findings.name_places(members);
}

/// Checks the root object, and what lies in buffers.
fn check_lists(members: &Members, source: &Source<'_>, reading: &mut Reading) {
    let mut root = Object {
        members,
        pointer: String::new(),
        reading,
    };
    let Some(mut lists) = read_lists(&mut root) else {
        return;
    };
    let findings = &mut reading.findings;
    let mut checks = Checks::default();
    let mut work = Work::for_bytes(source.file.len() as u64);
    buffers::link(&lists, findings);
    accessors::link(&mut lists, findings);
    primitives::link(&mut lists, &mut checks, findings);
    let mut hierarchy = Hierarchy::link(&lists, findings);
    skins::link(&mut lists, &mut hierarchy, &mut work, &mut checks, findings);
    animations::link(&mut lists, &mut checks, findings);
    hierarchy.check(&lists, &mut work, findings);
    hierarchy::unused_weights(&lists, findings);
    morphs::check_names(&lists, findings);
    if source.binary != Binary::CutOff {
        let data = Data::fetch(&lists, source, findings);
        work.allow_bytes(data.bytes_read - source.file.len() as u64);
        values::check(&lists, &data, &checks, &mut work, findings);
        influences::check(&lists, &data, &mut work, findings);
        morphs::check_deltas(&lists, &data, &mut work, findings);
    }
    work.tell(findings);
}

/// Reads the root object; `None` where its version is not one that this is about.
fn read_lists<'j>(root: &mut Object<'j, '_>) -> Option<Lists<'j>> {
    const MEMBERS: [&str; 17] = [
        "extensionsUsed",
        "extensionsRequired",
        "accessors",
        "animations",
        "asset",
        "buffers",
        "bufferViews",
        "cameras",
        "images",
        "materials",
        "meshes",
        "nodes",
        "samplers",
        "scene",
        "scenes",
        "skins",
        "textures",
    ];
    let extensions = asset::check_extensions(root);
    root.begin(&MEMBERS);
    if !asset::check_version(root) {
        return None;
    }
    let lists = Lists::read(root, extensions);
    if let Some(scene) = root.index("scene", object::Need::Optional)
        && lists.scenes.get(scene as usize).is_none_or(Option::is_none)
    {
        let count = lists.scenes.len();
        root.reading.findings.unresolved("/scene", "scene", scene, count);
    }
    Some(lists)
}
