//! Building a mesh: authored targets are checked, thinned, sorted, quantized, and measured against what was
//! authored.

pub(crate) mod check;
mod measure;
mod sets;
mod thresholds;
mod validate;

pub use thresholds::Thresholds;
pub use validate::validate;

use crate::deltas::{DeltaPool, DeltaSlice};
use crate::domain::{to_domain3, zeroed_components};
use crate::error::{BuildError, Limit};
use crate::layout::{scatter, vertex_major};
use crate::mesh::{MorphMesh, StoredTarget};
use crate::names::NameTable;
use crate::quantization::Quantization;
use crate::report::{BuildReport, TargetReport};
use crate::rest::RestStreams;
use crate::rounding::length_up;
use crate::sets::SetPool;
use crate::streams::{Stream, Streams};
use crate::target::MorphTarget;
use measure::{DirectionMeter, ErrorMeter};

/// How to build a mesh.
#[derive(Clone, Copy, Debug)]
pub struct BuildOptions<'a> {
    /// How deltas are stored.
    pub quantization: Quantization,
    /// A vertex stays in a target if its position delta is longer than this, in model units.
    pub position_threshold: f32,
    /// A vertex stays in a target if its normal or tangent delta is longer than this, against a unit base.
    pub direction_threshold: f32,
    /// The largest position error that is acceptable, in model units; the build fails where it is not met.
    pub position_tolerance: Option<f32>,
    /// The largest direction error that is acceptable, in degrees; the build fails where it is not met.
    /// Needs rest normals in [`rest`](Self::rest).
    pub direction_tolerance_degrees: Option<f32>,
    /// The rest pose, whose normals direction errors are measured against.
    pub rest: Option<&'a RestStreams>,
}

impl BuildOptions<'_> {
    /// Zero thresholds, no tolerance, no rest pose.
    pub fn new(quantization: Quantization) -> Self {
        BuildOptions {
            quantization,
            position_threshold: 0.0,
            direction_threshold: 0.0,
            position_tolerance: None,
            direction_tolerance_degrees: None,
            rest: None,
        }
    }
}

impl MorphMesh {
    /// Builds the stored form of a mesh's targets, and reports what it cost.
    ///
    /// Every target keeps its slot and name, also where it moves nothing.
    /// A vertex stays in a target if its position delta is longer than the position threshold or its normal
    /// or tangent delta is longer than the direction threshold, after the [domain rule](crate::to_domain);
    /// with zero thresholds everything that moves stays.
    /// Deltas of texture coordinates and colors are kept as 32-bit floats where they are not zero, whatever the
    /// quantization and the thresholds.
    /// The order of a target's vertices does not matter: entries are sorted by vertex.
    ///
    /// Errors are measured in double precision against the authored deltas, over every vertex, what was
    /// dropped included.
    /// Takes time linear in the authored entries (n log n where vertices do not rise).
    ///
    /// # Errors
    ///
    /// See [`BuildError`]: whatever is malformed, not finite, beyond the quantization's range, too large for
    /// 32-bit word offsets, or worse than the tolerance asked for.
    pub fn build(
        vertex_count: u32,
        targets: &[MorphTarget],
        options: &BuildOptions<'_>,
    ) -> Result<(MorphMesh, BuildReport), BuildError> {
        if let Some(problem) = check::options(options, vertex_count, targets).into_iter().next() {
            return Err(problem);
        }
        let names = check::names(targets)?;
        let mut builder = Builder::new(vertex_count, options);
        let reports = targets
            .iter()
            .enumerate()
            .map(|(slot, target)| builder.add(slot, target))
            .collect::<Result<Vec<_>, _>>()?;
        Ok((builder.finish(names)?, BuildReport::new(reports)))
    }
}

/// A mesh under construction, and scratch memory that all targets share.
struct Builder<'a> {
    vertex_count: u32,
    options: &'a BuildOptions<'a>,
    directions: Option<DirectionMeter<'a>>,
    targets: Vec<StoredTarget>,
    vertices: Vec<u32>,
    deltas: DeltaPool,
    texcoords: SetPool<2>,
    colors: SetPool<4>,
    /// For each kept entry of the current target, where it was authored.
    kept: Vec<usize>,
    /// The kept deltas of the current target, one list per stream, in the domain.
    streams: [Vec<[f32; 3]>; 3],
}

/// What thinning a target gave.
#[derive(Default)]
struct Thinned {
    dropped_entry_count: u64,
    zeroed_component_count: u64,
    /// The worst error of each stream so far, from dropped entries.
    errors: [ErrorMeter; 3],
}

impl<'a> Builder<'a> {
    fn new(vertex_count: u32, options: &'a BuildOptions<'a>) -> Self {
        Builder {
            vertex_count,
            options,
            directions: options
                .rest
                .and_then(|rest| rest.normals.as_deref())
                .map(DirectionMeter::new),
            targets: Vec::new(),
            vertices: Vec::new(),
            deltas: DeltaPool::new(options.quantization),
            texcoords: SetPool::default(),
            colors: SetPool::default(),
            kept: Vec::new(),
            streams: [Vec::new(), Vec::new(), Vec::new()],
        }
    }

    fn add(&mut self, slot: usize, target: &MorphTarget) -> Result<TargetReport, BuildError> {
        let order = check::vertices(slot, target, self.vertex_count)?;
        if let Some(meter) = &mut self.directions {
            meter.start_target();
        }
        let first_entry = self.vertices.len();
        let mut thinned = self.thin(slot, target, order.as_deref())?;

        let mut stored = StoredTarget {
            first_entry,
            entry_count: self.kept.len() as u32,
            first_delta: [None; 3],
            steps: [if self.options.quantization == Quantization::Snorm16 {
                0.0
            } else {
                1.0
            }; 3],
            reach: 0.0,
            minimum: [0.0; 3],
            maximum: [0.0; 3],
        };
        for stream in Stream::ALL {
            let Some(authored) = target.stream(stream).filter(|_| !self.kept.is_empty()) else {
                continue;
            };
            let s = stream.index();
            let pushed = self.deltas.push_stream(&self.streams[s]);
            stored.first_delta[s] = Some(pushed.first);
            stored.steps[s] = pushed.step;
            thinned.zeroed_component_count += pushed.zeroed_component_count;
            self.measure(&stored, stream, authored, &mut thinned.errors[s]);
        }
        if let Some(first) = stored.first_delta[Stream::Position.index()] {
            let step = stored.steps[Stream::Position.index()];
            let deltas = self.deltas.slice(first..first + self.kept.len(), step);
            set_extremes(&mut stored, deltas, self.vertex_count);
        }
        let texcoords = sets::texcoords(slot, target).store(self.vertex_count, &mut self.texcoords)?;
        let colors = sets::colors(slot, target).store(self.vertex_count, &mut self.colors)?;

        let [position, normal, tangent] = thinned.errors.map(ErrorMeter::worst);
        let report = TargetReport {
            name: target.name.clone(),
            entry_count: stored.entry_count,
            texcoord_entry_count: texcoords.entries,
            color_entry_count: colors.entries,
            dropped_entry_count: thinned.dropped_entry_count
                + texcoords.dropped_entries
                + colors.dropped_entries,
            zeroed_component_count: thinned.zeroed_component_count
                + texcoords.zeroed_components
                + colors.zeroed_components,
            worst_position_error: position,
            worst_normal_error: normal,
            worst_tangent_error: tangent,
            worst_direction_error_degrees: self.directions.as_ref().map(DirectionMeter::worst_degrees),
            uncounted_direction_vertices: self.directions.as_ref().map_or(0, DirectionMeter::uncounted),
            reach: stored.reach,
        };
        self.targets.push(stored);
        self.check_tolerances(slot, &report)?;
        Ok(report)
    }

    /// Checks every delta of a target, applies the domain rule, and keeps the entries that exceed a
    /// threshold.
    fn thin(
        &mut self,
        slot: usize,
        target: &MorphTarget,
        order: Option<&[usize]>,
    ) -> Result<Thinned, BuildError> {
        self.kept.clear();
        self.streams.iter_mut().for_each(Vec::clear);
        let authored = Stream::ALL.map(|stream| target.stream(stream));
        let mut thinned = Thinned::default();
        let thresholds = Thresholds {
            position: self.options.position_threshold,
            direction: self.options.direction_threshold,
        };
        for k in 0..target.vertices.len() {
            let i = order.map_or(k, |order| order[k]);
            let vertex = target.vertices[i];
            let given = authored.map(|stream| stream.map_or([0.0; 3], |deltas| deltas[i]));
            for (stream, &delta) in Stream::ALL.into_iter().zip(&given) {
                check::delta(self.options.quantization, slot, target, vertex, stream, delta)?;
                thinned.zeroed_component_count += u64::from(zeroed_components(delta));
            }
            let deltas = given.map(to_domain3);
            if thresholds.keeps(deltas) {
                self.kept.push(i);
                self.vertices.push(vertex);
                for s in 0..3 {
                    if authored[s].is_some() {
                        self.streams[s].push(deltas[s]);
                    }
                }
                continue;
            }
            thinned.dropped_entry_count += u64::from(given.as_flattened().iter().any(|&x| x != 0.0));
            for (error, delta) in thinned.errors.iter_mut().zip(given) {
                error.add(delta, [0.0; 3]);
            }
            if let (Some(meter), true) = (&mut self.directions, target.normals.is_some()) {
                meter.add(vertex, given[Stream::Normal.index()], [0.0; 3]);
            }
        }
        Ok(thinned)
    }

    /// Compares the stored form of the kept entries with what was authored.
    fn measure(
        &mut self,
        stored: &StoredTarget,
        stream: Stream,
        authored: &[[f32; 3]],
        error: &mut ErrorMeter,
    ) {
        let s = stream.index();
        let Some(first) = stored.first_delta[s] else {
            return;
        };
        let decoded = self.deltas.slice(first..first + self.kept.len(), stored.steps[s]);
        for (entry, &i) in self.kept.iter().enumerate() {
            let delta = decoded.get(entry).unwrap_or_default();
            error.add(authored[i], delta);
            if let (Stream::Normal, Some(meter)) = (stream, &mut self.directions) {
                meter.add(self.vertices[stored.first_entry + entry], authored[i], delta);
            }
        }
    }

    fn check_tolerances(&self, slot: usize, report: &TargetReport) -> Result<(), BuildError> {
        let pairs = [
            (
                Limit::Position,
                Some(report.worst_position_error),
                self.options.position_tolerance,
            ),
            (
                Limit::Direction,
                report.worst_direction_error_degrees,
                self.options.direction_tolerance_degrees,
            ),
        ];
        for (limit, error, tolerance) in pairs {
            if let (Some(error), Some(tolerance)) = (error, tolerance)
                && error > tolerance
            {
                return Err(BuildError::ToleranceNotMet {
                    target: slot,
                    name: report.name.clone(),
                    limit,
                    error,
                    tolerance,
                    quantization: self.options.quantization,
                });
            }
        }
        Ok(())
    }

    fn finish(mut self, names: NameTable) -> Result<MorphMesh, BuildError> {
        self.vertices.shrink_to_fit();
        self.deltas.shrink_to_fit();
        self.texcoords.shrink_to_fit();
        self.colors.shrink_to_fit();
        let streams = self.targets.iter().fold(Streams::default(), |streams, target| {
            streams.union(target.streams())
        });
        let mesh = MorphMesh {
            vertex_count: self.vertex_count,
            quantization: self.options.quantization,
            streams,
            names,
            targets: self.targets,
            vertices: self.vertices,
            deltas: self.deltas,
            texcoords: self.texcoords,
            colors: self.colors,
        };
        let words = vertex_major::word_count(&mesh).max(scatter::word_count(&mesh));
        if words > u64::from(u32::MAX) {
            return Err(BuildError::TooLarge {
                vertex_count: mesh.vertex_count(),
                entry_count: mesh.entry_count(),
                words,
                limit: u32::MAX,
            });
        }
        Ok(mesh)
    }
}

/// Finds reach and extremes of the decoded position deltas of a target over all vertices of the mesh.
pub(crate) fn set_extremes(stored: &mut StoredTarget, deltas: DeltaSlice<'_>, vertex_count: u32) {
    let decoded = (0..stored.entry_count as usize).filter_map(|entry| deltas.get(entry));
    let (mut minimum, mut maximum) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    if stored.entry_count < vertex_count {
        // Some vertex stays where it is.
        (minimum, maximum) = ([0.0; 3], [0.0; 3]);
    }
    for delta in decoded {
        stored.reach = stored.reach.max(length_up(delta));
        for axis in 0..3 {
            minimum[axis] = minimum[axis].min(delta[axis]);
            maximum[axis] = maximum[axis].max(delta[axis]);
        }
    }
    (stored.minimum, stored.maximum) = (minimum, maximum);
}
