//! The bounded run: every reader over its corpus and seeds, and over mutations of them and of real files.
//!
//! One test, because memory is counted for the whole program.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may panic, and says what it did"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use morph_fuzz::mutate::{Random, mutate};
use morph_fuzz::{TARGETS, Target};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// How long each target is mutated, after everything was run as it is.
const TIME_PER_TARGET: Duration = Duration::from_secs(3);
/// Real files larger than this are run as they are elsewhere; mutating them would take the time of many small ones.
const LARGEST_FILE_BYTES: u64 = 300_000;
/// No input may take longer, however it is damaged.
const LONGEST: Duration = Duration::from_secs(5);

#[test]
fn no_reader_panics_hangs_or_takes_memory_out_of_proportion() {
    let shared =
        std::env::var_os("MORPH_SHARED").map_or_else(|| PathBuf::from("../../shared"), PathBuf::from);
    if !shared.join("assets").is_dir() {
        println!("skipped: mutations of the real files, because MORPH_SHARED names no folder with assets");
    }
    let mut real = Vec::new();
    collect(&shared.join("assets"), &mut real);
    for target in TARGETS {
        let mut inputs = (target.seeds)();
        assert!(!inputs.is_empty(), "{} has no seeds", target.name);
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(target.name);
        let mut kept = Vec::new();
        collect(&corpus, &mut kept);
        let of_this_kind = real.iter().filter(|path| is_input_of(target, path));
        inputs.extend(
            kept.iter()
                .chain(of_this_kind)
                .map(|path| std::fs::read(path).unwrap()),
        );
        let unchanged = inputs.len();
        for input in &inputs {
            run(target, input);
        }
        let (start, mut random, mut mutated) = (Instant::now(), Random::new(0x006d_6f72_7068), 0);
        while start.elapsed() < TIME_PER_TARGET {
            let input = &inputs[random.below(inputs.len())];
            run(target, &mutate(input, &mut random));
            mutated += 1;
        }
        println!(
            "{}: {unchanged} files as they are, {mutated} mutations",
            target.name
        );
        assert!(
            mutated > 100,
            "{}: only {mutated} mutations were run in {TIME_PER_TARGET:?}",
            target.name
        );
    }
}

fn is_input_of(target: &Target, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = match target.name {
        "makehuman_obj" => ".obj",
        "makehuman_target" => ".target",
        "gltf" => ".gltf",
        // The real rig is over 100 kB, and its base mesh far more than a run should take.
        "makehuman_rig" | "makehuman_weights" => return false,
        "fbx" => ".fbx",
        "cooked" => ".morph",
        "glb" => ".glb",
        "clip_yaml" => ".clip.yaml",
        other => panic!("say which files are inputs of {other}"),
    };
    name.ends_with(ending) && path.metadata().is_ok_and(|it| it.len() <= LARGEST_FILE_BYTES)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = folder.read_dir() else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Runs one input, and says in full what it was where it fails.
fn run(target: &Target, input: &[u8]) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let outcome = std::panic::catch_unwind(|| (target.run)(input));
    let took = start.elapsed();
    let taken = MEMORY.peak_usage().saturating_sub(before);
    let limit = (512 << 20) + 64 * input.len();
    let problem = match outcome {
        Err(_) => "panicked".to_owned(),
        Ok(()) if took > LONGEST => format!("took {took:?}"),
        Ok(()) if taken > limit => format!("took {taken} bytes of memory; {limit} are allowed"),
        Ok(()) => return,
    };
    let file = std::env::temp_dir().join(format!("morph-fuzz-{}", target.name));
    std::fs::write(&file, input).unwrap();
    panic!(
        "{}: an input of {} bytes {problem}; it was written to {}",
        target.name,
        input.len(),
        file.display()
    );
}
