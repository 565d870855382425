//! Fuzzing of every reader: what a stranger's file can do at most is to be refused.
//!
//! Each function of [`readers`] takes bytes as the content of a file, reads them as far as they go, and uses what came
//! of it: it builds the meshes and morphs them. It must neither panic nor hang, nor take memory out of proportion.
//! The same functions are run in two ways:
//!
//! - `cargo +nightly fuzz run TARGET --features libfuzzer` (from crate `cargo-fuzz`), guided by coverage and without
//!   end; what it finds worth keeping lies in `fuzz/corpus/TARGET`, made small by `cargo +nightly fuzz cmin`.
//! - `cargo test -p morph-fuzz`, bounded: the corpus, the seeds and, where `MORPH_SHARED` is set, real files, each as
//!   it is and [mutated](mutate::mutate) many times by a fixed seed.

#![forbid(unsafe_code)]

pub mod mutate;
pub mod readers;
pub mod repair;
pub mod seeds;

/// A reader and its name, which is that of the fuzz target and of the folder of its corpus.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Reads bytes.
    pub run: fn(&[u8]),
    /// The files to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All fuzz targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "gltf",
        run: readers::gltf,
        seeds: seeds::gltf,
    },
    Target {
        name: "glb",
        run: readers::glb,
        seeds: seeds::glb,
    },
    Target {
        name: "fbx",
        run: readers::fbx,
        seeds: seeds::fbx,
    },
    Target {
        name: "cooked",
        run: readers::cooked,
        seeds: seeds::cooked,
    },
    Target {
        name: "makehuman_obj",
        run: readers::makehuman_obj,
        seeds: seeds::makehuman_obj,
    },
    Target {
        name: "makehuman_target",
        run: readers::makehuman_target,
        seeds: seeds::makehuman_target,
    },
    Target {
        name: "makehuman_rig",
        run: readers::makehuman_rig,
        seeds: seeds::makehuman_rig,
    },
    Target {
        name: "makehuman_weights",
        run: readers::makehuman_weights,
        seeds: seeds::makehuman_weights,
    },
    Target {
        name: "clip_yaml",
        run: readers::clip_yaml,
        seeds: seeds::clip_yaml,
    },
];
