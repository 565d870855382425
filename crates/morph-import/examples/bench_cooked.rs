//! Measures how long cooked files take to open, against import and build, and how much memory.
//!
//! `cargo run --release -p morph-import --example bench_cooked -- FILE ...`
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a program that prints what it measured"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use morph_core::Quantization;
use morph_import::cooked::{CookOptions, CookedModel, cook};
use morph_import::{ImportOptions, load};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// How often each step is done; the median counts.
const RUNS: usize = 9;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench_cooked: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("x.morph");
    println!(
        "file, quantization, cooked bytes, import and build ms, map ms, GB/s, peak bytes, read ms, peak bytes"
    );
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        for quantization in Quantization::ALL {
            let options = CookOptions::new(quantization);
            let (build_ms, _) = measure(|| {
                let model = load(&path, &ImportOptions::default())?;
                cook(&model, &options).map(drop)?;
                Ok(())
            })?;
            let model = load(&path, &ImportOptions::default())?;
            let bytes = cook(&model, &options)?.save(&out)?.file_bytes();
            drop(model);
            let (map_ms, map_peak) = measure(|| {
                // SAFETY: the file lies in a folder of this program, and nobody changes it while it is mapped.
                let cooked = unsafe { CookedModel::map(&out) };
                cooked?;
                Ok(())
            })?;
            let (read_ms, read_peak) = measure(|| {
                CookedModel::read(&out)?;
                Ok(())
            })?;
            println!(
                "{}, {quantization}, {bytes}, {build_ms:.1}, {map_ms:.2}, {:.2}, {map_peak}, {read_ms:.2}, {read_peak}",
                name(&path),
                bytes as f64 / (map_ms * 1.0e6),
            );
        }
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The median of the milliseconds, and the most memory that was taken.
fn measure(step: impl Fn() -> Result<(), Box<dyn Error>>) -> Result<(f64, usize), Box<dyn Error>> {
    let mut times = Vec::with_capacity(RUNS);
    let mut most = 0;
    for _ in 0..RUNS {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        step()?;
        times.push(start.elapsed().as_secs_f64() * 1000.0);
        most = most.max(MEMORY.peak_usage().saturating_sub(before));
    }
    times.sort_by(f64::total_cmp);
    Ok((times[RUNS / 2], most))
}
