//! Against the C library ufbx: FBX files in their own units and axes, with in-betweens, clips and skins.

use std::path::Path;

use morph_anim::Pose;
use morph_import::{ImportOptions, Mesh, Space};
use serde::Deserialize;

use super::measure::{ALLOWED, ALLOWED_IN_WORLD, Quantity, Row, size_of};
use super::points::{Corner, corners};
use super::subject::{Subject, driven_names, target_weights};
use super::{ConformanceError, files};

#[derive(Deserialize)]
struct Answer {
    file: String,
    channel_names: Vec<String>,
    meshes: Vec<Head>,
    settings: Vec<Setting>,
    animations: Vec<Animation>,
}

#[derive(Deserialize)]
struct Head {
    num_vertices: usize,
    num_triangles: usize,
    /// Answers are given for every so many control points.
    sample_step: usize,
    rest: Vec<[f64; 3]>,
    /// The control points of the corners of all faces; not there for large meshes.
    vertex_indices: Option<Vec<usize>>,
    skins: Vec<serde_json::Value>,
    blend_deformers: Vec<Deformer>,
}

#[derive(Deserialize)]
struct Deformer {
    channels: Vec<SavedChannel>,
}

#[derive(Deserialize)]
struct SavedChannel {
    /// Where 1 is 100 percent.
    weight: f64,
}

#[derive(Deserialize)]
struct Setting {
    deform_percent: Vec<f64>,
    effective_weights: Vec<Vec<f64>>,
    meshes: Vec<Points>,
}

#[derive(Deserialize)]
struct Points {
    positions: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct Animation {
    stack: String,
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    time: f64,
    weights: Vec<f64>,
    /// Some samples are of weights alone.
    meshes: Option<Vec<Points>>,
}

pub(super) fn rows(shared: &Path) -> Result<Vec<Row>, ConformanceError> {
    files::rows(shared, "ufbx", row)
}

fn row(shared: &Path, path: &Path) -> Result<Row, ConformanceError> {
    let answer: Answer = files::read(path)?;
    let mut row = Row::new(files::model_of(path, &answer.file));
    let options = ImportOptions {
        space: Space::File,
        ..ImportOptions::default()
    };
    let subject = Subject::load(&shared.join("assets").join(&row.model), &options)?;
    let ([head], [mesh]) = (&answer.meshes[..], &subject.model.meshes[..]) else {
        row.fault("only files with one mesh are compared");
        return Ok(row);
    };
    let Some(node) = subject.model.nodes.iter().position(|node| node.mesh == Some(0)) else {
        row.fault("no node shows the mesh");
        return Ok(row);
    };
    check_head(mesh, head, &answer.channel_names, &mut row);
    let comparison = Comparison {
        subject: &subject,
        node,
        head,
        points: corners(mesh, head.num_vertices),
    };
    comparison.note_loose_points(&mut row);
    comparison.run(&answer, &mut row);
    Ok(row)
}

fn check_head(mesh: &Mesh, head: &Head, channel_names: &[String], row: &mut Row) {
    let index_count: usize = mesh
        .primitives
        .iter()
        .map(|primitive| primitive.indices.len())
        .sum();
    row.expect_equal("triangles", &(index_count / 3), &head.num_triangles);
    // A channel is called by its name alone, without that of its deformer.
    let short = |name: &String| {
        name.rsplit_once('.')
            .map_or(name.clone(), |(_, short)| short.to_owned())
    };
    let theirs: Vec<String> = channel_names.iter().map(short).collect();
    match driven_names(mesh) {
        Ok(names) => row.expect_equal("channels", &names.iter().map(str::to_owned).collect(), &theirs),
        Err(error) => row.fault(error.to_string()),
    }
}

struct Comparison<'a> {
    subject: &'a Subject,
    node: usize,
    head: &'a Head,
    points: Vec<Option<Corner>>,
}

impl Comparison<'_> {
    fn note_loose_points(&self, row: &mut Row) {
        if let Some(corners) = &self.head.vertex_indices {
            let mut is_used = vec![false; self.points.len()];
            for &point in corners {
                is_used[point] = true;
            }
            let ours: Vec<bool> = self.points.iter().map(Option::is_some).collect();
            row.expect_equal("control points that faces use", &ours, &is_used);
        }
        let sampled = self.points.iter().step_by(self.head.sample_step);
        let loose = sampled.filter(|corner| corner.is_none()).count();
        if loose > 0 {
            row.left_out.push(format!(
                "{loose} control points that are corners of no face, and so no vertices"
            ));
        }
    }

    fn run(&self, answer: &Answer, row: &mut Row) {
        self.compare_points(&self.subject.rest(), true, &self.head.rest, row);
        for setting in &answer.settings {
            let percents = &setting.deform_percent;
            let controls: Vec<f32> = percents.iter().map(|percent| (percent / 100.0) as f32).collect();
            let mesh = &self.subject.model.meshes[0];
            let ours: Vec<f64> = target_weights(mesh, &controls)
                .iter()
                .map(|&it| it.into())
                .collect();
            compare_weights(&ours, &setting.effective_weights.concat(), row);
            let pose = self.pose_with(&controls, row);
            self.compare_meshes(&pose, &setting.meshes, row);
        }
        let clips = &self.subject.model.clips;
        row.expect_equal("clips", &clips.len(), &answer.animations.len());
        // What a clip does not drive stays for ufbx at what the file saves.
        let deformers = &self.head.blend_deformers;
        let channels = deformers.iter().flat_map(|deformer| &deformer.channels);
        let saved: Vec<f32> = channels.map(|channel| channel.weight as f32).collect();
        for (number, (clip, animation)) in clips.iter().zip(&answer.animations).enumerate() {
            row.expect_equal("clip", &clip.name, &animation.stack);
            for sample in &animation.samples {
                let mut pose = self.pose_with(&saved, row);
                self.subject.play(number, sample.time, &mut pose);
                let ours: Vec<f64> = pose.weights(self.node).iter().map(|&it| it.into()).collect();
                compare_weights(&ours, &sample.weights, row);
                if let Some(meshes) = &sample.meshes {
                    self.compare_meshes(&pose, meshes, row);
                }
            }
        }
    }

    fn pose_with(&self, controls: &[f32], row: &mut Row) -> Pose {
        let mut pose = self.subject.rest();
        for (slot, &weight) in controls.iter().enumerate() {
            if let Err(error) = pose.set_weight(self.node, slot, weight) {
                row.fault(error.to_string());
            }
        }
        pose
    }

    fn compare_meshes(&self, pose: &Pose, meshes: &[Points], row: &mut Row) {
        let is_local = self.head.skins.is_empty();
        for points in meshes {
            self.compare_points(pose, is_local, &points.positions, row);
        }
    }

    /// Compares control points in the mesh's own space, or in the world.
    fn compare_points(&self, pose: &Pose, is_local: bool, theirs: &[[f64; 3]], row: &mut Row) {
        let subject = self.subject;
        let mesh = &subject.model.meshes[0];
        let primitives = 0..mesh.primitives.len();
        let ours: Vec<Vec<[f32; 3]>> = if is_local {
            let weights = target_weights(mesh, pose.weights(self.node));
            primitives
                .map(|primitive| subject.morphed(0, primitive, &weights).positions)
                .collect()
        } else {
            let worlds = subject.worlds(pose);
            primitives
                .map(|primitive| subject.in_world(pose, &worlds, self.node, primitive))
                .collect()
        };
        let (quantity, allowed) = if is_local {
            (Quantity::Positions, ALLOWED)
        } else {
            (Quantity::World, ALLOWED_IN_WORLD)
        };
        let allowed = allowed * size_of(theirs.as_flattened());
        let corners = self.points.iter().step_by(self.head.sample_step);
        row.expect_equal("control points", &corners.len(), &theirs.len());
        for (corner, theirs) in corners.zip(theirs) {
            if let Some((primitive, vertex)) = *corner {
                row.compare_vectors(quantity, &[ours[primitive][vertex]], &[*theirs], allowed);
            }
        }
    }
}

fn compare_weights(ours: &[f64], theirs: &[f64], row: &mut Row) {
    row.compare(Quantity::Weights, ours, theirs, ALLOWED * size_of(theirs));
}
