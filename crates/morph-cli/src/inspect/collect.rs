//! Builds every target in every quantization and gathers what that shows; a cooked file is shown as it is stored.

use std::collections::HashSet;
use std::sync::Arc;

use morph_anim::{Channel, Clip, Track};
use morph_core::{
    Aabb, BuildOptions, BuildReport, Layout, MorphMesh, Quantization, RestStreams, TargetReport, Thresholds,
};
use morph_import::cooked::CookedModel;
use morph_import::{Primitive, Topology};

use super::report::{
    Bounds, Bytes, ClipReport, CookedReport, Cost, FormatReport, MeshReport, NodeReport, PrimitiveReport,
    Problem, Report, SectionReport, TargetFormat, TargetInfo, WorstError,
};
use super::{expressions, problems};
use crate::model::{Loaded, rest_streams};

/// Everything that `morph inspect` shows.
pub(super) fn collect(loaded: &Loaded, thresholds: Thresholds) -> Report {
    let model = &loaded.model;
    let mut problems: Vec<Problem> = model
        .warnings
        .iter()
        .map(|warning| Problem {
            place: warning.place.clone(),
            problem: warning.kind.to_string(),
        })
        .collect();
    let mut meshes = Vec::with_capacity(model.meshes.len());
    for (index, mesh) in model.meshes.iter().enumerate() {
        let primitives: Vec<PrimitiveReport> = (0..mesh.primitives.len())
            .map(|primitive| collect_primitive(loaded, (index, primitive), thresholds, &mut problems))
            .collect();
        let report = MeshReport {
            mesh: index,
            name: mesh.name.clone(),
            target_names: mesh.target_names.clone(),
            default_weights: mesh.default_weights.clone(),
            primitives,
        };
        problems.extend(problems::idle_targets(&loaded.mesh_place(index), &report));
        meshes.push(report);
    }
    problems.extend(problems::unused_meshes(loaded));
    problems.extend(problems::undrawable(loaded));
    Report {
        file: loaded.path.display().to_string(),
        format: loaded.format_name(),
        cooked: loaded.cooked.as_ref().map(collect_cooked),
        meshes,
        nodes: collect_nodes(loaded),
        clips: collect_clips(loaded),
        expressions: expressions::collect(&loaded.model),
        problems,
    }
}

fn collect_cooked(cooked: &CookedModel) -> CookedReport {
    let container = cooked.cooked().container();
    let sections = container.sections().iter().map(|section| {
        let id = section.id();
        SectionReport {
            kind: id.kind.to_string(),
            primitive: id.kind.is_of_primitive().then_some(id.index),
            part: id.part,
            offset: section.offset(),
            bytes: section.bytes().len() as u64,
        }
    });
    CookedReport {
        version: container.version(),
        bytes: cooked.file_bytes(),
        sections: sections.collect(),
    }
}

fn collect_nodes(loaded: &Loaded) -> Vec<NodeReport> {
    let nodes = loaded.model.nodes.iter().enumerate();
    nodes
        .map(|(index, node)| NodeReport {
            node: index,
            name: node.name.clone(),
            parent: node.parent,
            mesh: node.mesh,
            weights: node.weights.clone(),
            skinned: node.skin.is_some(),
        })
        .collect()
}

fn collect_clips(loaded: &Loaded) -> Vec<ClipReport> {
    let clips = loaded.model.clips.iter().enumerate();
    let report = |(index, clip): (usize, &Clip)| {
        // A file has one channel for all weights of a node.
        let is_weight = |track: &&Track| matches!(track.channel, Channel::Weight { .. });
        let weights = clip.tracks.iter().filter(is_weight);
        let weight_tracks = weights.clone().count();
        let weighted_nodes: HashSet<&str> = weights.map(|track| track.node.as_str()).collect();
        let weight_channels = weighted_nodes.len();
        ClipReport {
            clip: index,
            name: (!clip.name.is_empty()).then(|| clip.name.clone()),
            duration_seconds: clip.duration(),
            channels: clip.tracks.len() - weight_tracks + weight_channels,
            weight_channels,
        }
    };
    clips.map(report).collect()
}

fn collect_primitive(
    loaded: &Loaded,
    (mesh, index): (usize, usize),
    thresholds: Thresholds,
    problems: &mut Vec<Problem>,
) -> PrimitiveReport {
    let primitive = &loaded.model.meshes[mesh].primitives[index];
    let place = loaded.primitive_place(mesh, index);
    problems.extend(problems::of_base(&place, primitive));
    let rest = match rest_streams(primitive) {
        Ok((rest, _)) => Some(rest),
        Err(error) => {
            problems.push(Problem {
                place: place.clone(),
                problem: error.to_string(),
            });
            None
        }
    };

    let mut formats = Vec::with_capacity(Quantization::ALL.len());
    let mut targets: Vec<TargetInfo> = Vec::new();
    let cooked = loaded.cooked_primitive(mesh, index);
    let is_stored =
        |quantization: Quantization| cooked.is_none_or(|cooked| cooked.mesh().quantization() == quantization);
    for quantization in Quantization::ALL.into_iter().filter(|&it| is_stored(it)) {
        let built = match cooked {
            Some(cooked) => Ok((Arc::clone(cooked.mesh()), cooked.report().clone())),
            None => build(primitive, rest.as_ref(), quantization, thresholds),
        };
        match built {
            Ok((built, report)) => {
                formats.push(format_report(&built, &report));
                let defaults = &loaded.model.meshes[mesh].default_weights;
                add_targets(&mut targets, &built, &report, defaults);
                problems.extend(problems::of_build(&place, &built, &report));
            }
            Err(refused) => {
                let problem = Problem {
                    place: place.clone(),
                    problem: refused.clone(),
                };
                // What no quantization can store is one problem, not three.
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
                formats.push(FormatReport {
                    quantization: quantization.as_str(),
                    refused: Some(refused),
                    cost: None,
                    entries: None,
                });
            }
        }
    }

    PrimitiveReport {
        primitive: index,
        name: primitive.name.clone(),
        material: primitive.material.name.clone(),
        topology: match primitive.topology {
            Topology::Points => "points",
            Topology::Lines => "lines",
            Topology::Triangles => "triangles",
        },
        vertices: primitive.positions.len(),
        triangles: match primitive.topology {
            Topology::Triangles => primitive.indices.len() / 3,
            Topology::Points | Topology::Lines => 0,
        },
        normals: primitive.normals.is_some(),
        tangents: primitive.tangents.is_some(),
        texcoords: !primitive.texcoords.is_empty(),
        bounds: rest.filter(|rest| !rest.positions.is_empty()).map(|rest| {
            let bounds = Aabb::of(&rest.positions);
            Bounds {
                min: bounds.min,
                max: bounds.max,
            }
        }),
        formats,
        targets,
    }
}

fn build(
    primitive: &Primitive,
    rest: Option<&RestStreams>,
    quantization: Quantization,
    thresholds: Thresholds,
) -> Result<(Arc<MorphMesh>, BuildReport), String> {
    let options = BuildOptions {
        position_threshold: thresholds.position,
        direction_threshold: thresholds.direction,
        rest,
        ..BuildOptions::new(quantization)
    };
    let vertex_count = u32::try_from(primitive.positions.len())
        .map_err(|_| "there are more than 2^32 vertices".to_owned())?;
    MorphMesh::build(vertex_count, &primitive.targets, &options)
        .map(|(mesh, report)| (Arc::new(mesh), report))
        .map_err(|error| error.to_string())
}

fn format_report(built: &MorphMesh, report: &BuildReport) -> FormatReport {
    FormatReport {
        quantization: built.quantization().as_str(),
        refused: None,
        cost: Some(Cost {
            bytes: Bytes {
                scatter: built.size_bytes(Layout::Scatter),
                vertex_major: built.size_bytes(Layout::VertexMajor),
            },
            worst_error: WorstError {
                position: report.worst_position_error,
                direction_degrees: report.worst_direction_error_degrees,
            },
        }),
        entries: Some(report.entry_count),
    }
}

/// Adds what one quantization makes of each target, and the targets themselves where they are not there yet.
fn add_targets(targets: &mut Vec<TargetInfo>, built: &MorphMesh, report: &BuildReport, defaults: &[f32]) {
    if targets.is_empty() {
        *targets = built
            .targets()
            .map(|target| {
                let streams = target.streams();
                let names = [
                    (streams.positions, "position"),
                    (streams.normals, "normal"),
                    (streams.tangents, "tangent"),
                ];
                TargetInfo {
                    slot: target.slot(),
                    name: target.name().to_owned(),
                    default_weight: defaults.get(target.slot()).copied().unwrap_or(0.0),
                    entries: target.entry_count(),
                    streams: names
                        .into_iter()
                        .filter(|(there, _)| *there)
                        .map(|(_, name)| name)
                        .collect(),
                    reach: target.reach(),
                    formats: Vec::new(),
                }
            })
            .collect();
    }
    for (target, cost) in targets.iter_mut().zip(&report.targets) {
        target.formats.push(TargetFormat {
            quantization: built.quantization().as_str(),
            cost: target_cost(built, target.slot, cost),
        });
    }
}

fn target_cost(built: &MorphMesh, slot: usize, report: &TargetReport) -> Cost {
    Cost {
        bytes: Bytes {
            scatter: built.target_size_bytes(slot, Layout::Scatter),
            vertex_major: built.target_size_bytes(slot, Layout::VertexMajor),
        },
        worst_error: WorstError {
            position: report.worst_position_error,
            direction_degrees: report.worst_direction_error_degrees,
        },
    }
}
