//! Measures import and build: seconds, peak memory, and its ratio to what the file decodes to.
//!
//! `cargo xtask bench-import [FILE ...]` runs it. Without files it makes two models of a million entries, one with dense
//! accessors and one with sparse ones.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a program that prints what it measured"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use morph_core::{BuildOptions, MorphMesh, MorphTarget, Quantization};
use morph_import::{ImportOptions, Model, Primitive, load};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// How often each file is read; the median counts.
const RUNS: usize = 5;
/// What a run may take at most on two cores, and how much memory against what the file decodes to.
const MOST_SECONDS: f64 = 1.0;
const MOST_RATIO: f64 = 3.0;

struct Measured {
    entries: u64,
    file_bytes: u64,
    decoded_bytes: u64,
    import_seconds: f64,
    build_seconds: f64,
    peak_bytes: usize,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench-import: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let own = files.is_empty();
    if own {
        for (name, is_sparse) in [("dense.glb", false), ("sparse.glb", true)] {
            let path = folder.path().join(name);
            std::fs::write(&path, generate(is_sparse))?;
            files.push(path);
        }
    }
    println!(
        "file, entries, file bytes, decoded bytes, import s, build s, total s, peak bytes, peak / decoded"
    );
    let mut all_pass = true;
    for path in &files {
        let mut runs = (0..RUNS).map(|_| measure(path)).collect::<Result<Vec<_>, _>>()?;
        let total = |it: &Measured| it.import_seconds + it.build_seconds;
        runs.sort_by(|a, b| total(a).total_cmp(&total(b)));
        let median = &runs[RUNS / 2];
        let ratio = median.peak_bytes as f64 / median.decoded_bytes.max(1) as f64;
        println!(
            "{}, {}, {}, {}, {:.3}, {:.3}, {:.3}, {}, {ratio:.2}",
            path.file_name().unwrap_or_default().to_string_lossy(),
            median.entries,
            median.file_bytes,
            median.decoded_bytes,
            median.import_seconds,
            median.build_seconds,
            total(median),
            median.peak_bytes,
        );
        if own && (total(median) > MOST_SECONDS || ratio > MOST_RATIO) {
            all_pass = false;
            println!("  too much: {MOST_SECONDS} s and {MOST_RATIO} times the decoded size are allowed");
        }
    }
    Ok(all_pass)
}

fn measure(path: &Path) -> Result<Measured, Box<dyn Error>> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let model = load(path, &ImportOptions::default())?;
    let import_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut entries = 0;
    let mut built = Vec::new();
    for primitive in model.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let vertex_count = u32::try_from(primitive.positions.len())?;
        let options = BuildOptions::new(Quantization::Snorm16);
        let (mesh, _) = MorphMesh::build(vertex_count, &primitive.targets, &options)?;
        entries += mesh.entry_count();
        built.push(mesh);
    }
    let build_seconds = start.elapsed().as_secs_f64();
    let file_bytes = path.metadata()?.len();
    Ok(Measured {
        entries,
        file_bytes,
        decoded_bytes: decoded_bytes(&model, file_bytes),
        import_seconds,
        build_seconds,
        peak_bytes: MEMORY.peak_usage().saturating_sub(before),
    })
}

/// What the file decodes to: every attribute and every delta that is not zero, once; or the file itself where that is
/// more, because dense accessors hold the zeros too.
fn decoded_bytes(model: &Model, file_bytes: u64) -> u64 {
    let primitive = |it: &Primitive| {
        let per_vertex = 12 + it.normals.as_ref().map_or(0, |_| 12) + it.tangents.as_ref().map_or(0, |_| 16);
        let sets = 8 * it.texcoords.len() + 16 * it.colors.len();
        let base = it.positions.len() * (per_vertex + sets) + 4 * it.indices.len();
        base + it.targets.iter().map(target_bytes).sum::<usize>()
    };
    let all = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    all.map(|it| primitive(it) as u64).sum::<u64>().max(file_bytes)
}

fn target_bytes(target: &MorphTarget) -> usize {
    target.vertices.len() * (4 + 12 * target.streams().count() as usize)
}

/// A grid of 40,000 vertices whose 100 targets each move a quarter of it, with normals.
fn generate(is_sparse: bool) -> Vec<u8> {
    const SIDE: usize = 200;
    const TARGETS: usize = 100;
    let mut file = Glb::default();
    let point = |v: usize| [(v % SIDE) as f32 / 100.0, (v / SIDE) as f32 / 100.0, 0.0];
    let vertex_count = SIDE * SIDE;
    let positions: Vec<[f32; 3]> = (0..vertex_count).map(point).collect();
    let position = file.vec3(&positions);
    let normal = file.vec3(&vec![[0.0, 0.0, 1.0]; vertex_count]);
    let quads = (0..SIDE - 1).flat_map(|y| (0..SIDE - 1).map(move |x| (y * SIDE + x) as u32));
    let side = SIDE as u32;
    let corners = quads.flat_map(|v| [v, v + 1, v + side + 1, v, v + side + 1, v + side]);
    let indices = file.scalars(&corners.collect::<Vec<_>>());
    let targets: Vec<String> = (0..TARGETS)
        .map(|target| {
            let first = target * (vertex_count * 3 / 4) / TARGETS;
            let moved: Vec<u32> = (first as u32..).take(vertex_count / 4).collect();
            let delta = |v: u32, at: f32| {
                let phase = (v as f32).mul_add(0.37, target as f32);
                [0.1 * phase.sin() + at, 0.1 * phase.cos(), 0.05]
            };
            let [position, normal] = [0.2, 0.4].map(|at| {
                let deltas: Vec<[f32; 3]> = moved.iter().map(|&v| delta(v, at)).collect();
                if is_sparse {
                    file.sparse(vertex_count, &moved, &deltas)
                } else {
                    let mut dense = vec![[0.0; 3]; vertex_count];
                    moved
                        .iter()
                        .zip(deltas)
                        .for_each(|(&v, delta)| dense[v as usize] = delta);
                    file.vec3(&dense)
                }
            });
            format!(r#"{{"POSITION":{position},"NORMAL":{normal}}}"#)
        })
        .collect();
    file.finish(&format!(
        r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":{position},"NORMAL":{normal}}},"indices":{indices},"targets":[{}]}}]}}],"nodes":[{{"mesh":0}}]"#,
        targets.join(",")
    ))
}

/// A binary glTF in the making.
#[derive(Default)]
struct Glb {
    binary: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Glb {
    fn view(&mut self, words: impl Iterator<Item = [u8; 4]>) -> usize {
        let start = self.binary.len();
        self.binary.extend(words.flatten());
        let length = self.binary.len() - start;
        self.views.push(format!(
            r#"{{"buffer":0,"byteOffset":{start},"byteLength":{length}}}"#
        ));
        self.views.len() - 1
    }

    fn accessor(&mut self, text: String) -> usize {
        self.accessors.push(text);
        self.accessors.len() - 1
    }

    fn vec3(&mut self, values: &[[f32; 3]]) -> usize {
        let view = self.view(values.iter().flatten().map(|value| value.to_le_bytes()));
        let count = values.len();
        self.accessor(format!(
            r#"{{"bufferView":{view},"componentType":5126,"count":{count},"type":"VEC3"}}"#
        ))
    }

    fn scalars(&mut self, values: &[u32]) -> usize {
        let view = self.view(values.iter().map(|value| value.to_le_bytes()));
        let count = values.len();
        self.accessor(format!(
            r#"{{"bufferView":{view},"componentType":5125,"count":{count},"type":"SCALAR"}}"#
        ))
    }

    fn sparse(&mut self, count: usize, vertices: &[u32], deltas: &[[f32; 3]]) -> usize {
        let indices = self.view(vertices.iter().map(|value| value.to_le_bytes()));
        let values = self.view(deltas.iter().flatten().map(|value| value.to_le_bytes()));
        let moved = vertices.len();
        self.accessor(format!(
            r#"{{"componentType":5126,"count":{count},"type":"VEC3","sparse":{{"count":{moved},"indices":{{"bufferView":{indices},"componentType":5125}},"values":{{"bufferView":{values}}}}}}}"#
        ))
    }

    fn finish(self, scene: &str) -> Vec<u8> {
        let mut json = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{}}}],"bufferViews":[{}],"accessors":[{}],{scene}}}"#,
            self.binary.len(),
            self.views.join(","),
            self.accessors.join(",")
        )
        .into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let total = 28 + json.len() + self.binary.len();
        let mut glb = b"glTF".to_vec();
        for word in [2, total as u32, json.len() as u32, 0x4e4f_534a] {
            glb.extend_from_slice(&word.to_le_bytes());
        }
        glb.extend_from_slice(&json);
        for word in [self.binary.len() as u32, 0x004e_4942] {
            glb.extend_from_slice(&word.to_le_bytes());
        }
        glb.extend_from_slice(&self.binary);
        glb
    }
}
