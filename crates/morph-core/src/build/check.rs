//! What a build refuses before it stores anything.

use std::cmp::Ordering;

use crate::build::BuildOptions;
use crate::build::thresholds::is_usable;
use crate::error::{BuildError, Limit};
use crate::mesh::MorphMesh;
use crate::names::{NameError, NameTable};
use crate::quantization::{HALF_MAX, Quantization};
use crate::streams::Stream;
use crate::target::MorphTarget;

/// What is wrong with the options, by themselves and against the mesh that they are for.
pub(super) fn options(
    options: &BuildOptions<'_>,
    vertex_count: u32,
    targets: &[MorphTarget],
) -> Vec<BuildError> {
    let mut problems = Vec::new();
    let limits = [
        limits(
            Limit::Position,
            options.position_threshold,
            options.position_tolerance,
            |threshold| threshold,
        ),
        limits(
            Limit::Direction,
            options.direction_threshold,
            options.direction_tolerance_degrees,
            dropped_degrees,
        ),
    ];
    problems.extend(limits.into_iter().filter_map(Result::err));
    if let Some(rest) = options.rest {
        let lengths = [
            (Stream::Position, Some(rest.positions.len())),
            (Stream::Normal, rest.normals.as_ref().map(Vec::len)),
            (Stream::Tangent, rest.tangents.as_ref().map(Vec::len)),
        ];
        for (stream, found) in lengths {
            if let Some(found) = found.filter(|&found| found != vertex_count as usize) {
                problems.push(BuildError::RestLength {
                    stream,
                    found,
                    vertex_count,
                });
            }
        }
    }
    let has_rest_normals = options.rest.is_some_and(|rest| rest.normals.is_some());
    if options.direction_tolerance_degrees.is_some() && !has_rest_normals {
        let with_normals = targets
            .iter()
            .enumerate()
            .find(|(_, target)| target.normals.is_some());
        problems.extend(with_normals.map(|(slot, target)| BuildError::NoRestNormals {
            target: slot,
            name: target.name.clone(),
        }));
    }
    problems
}

/// The largest angle by which dropping a delta of this length can turn a unit normal, in degrees.
///
/// A delta at a right angle to the result turns most: by the arc sine of its length, and by anything from
/// length 1 on.
fn dropped_degrees(threshold: f64) -> f64 {
    if threshold < 1.0 {
        threshold.asin().to_degrees()
    } else {
        180.0
    }
}

fn limits(
    limit: Limit,
    threshold: f32,
    tolerance: Option<f32>,
    cost: impl Fn(f64) -> f64,
) -> Result<(), BuildError> {
    if !is_usable(threshold) {
        return Err(BuildError::Threshold {
            limit,
            value: threshold,
        });
    }
    let Some(tolerance) = tolerance else { return Ok(()) };
    if !is_usable(tolerance) {
        return Err(BuildError::Tolerance {
            limit,
            value: tolerance,
        });
    }
    let worst = cost(f64::from(threshold));
    if worst > f64::from(tolerance) {
        return Err(BuildError::ThresholdAboveTolerance {
            limit,
            threshold,
            worst: worst as f32,
            tolerance,
        });
    }
    Ok(())
}

/// Whether there are more targets than can be told apart.
pub(super) fn target_count(targets: &[MorphTarget]) -> Result<(), BuildError> {
    if targets.len() > MorphMesh::MAX_TARGET_COUNT {
        return Err(BuildError::TooManyTargets {
            given: targets.len(),
            limit: MorphMesh::MAX_TARGET_COUNT,
        });
    }
    Ok(())
}

/// Checks the number of targets, and that each has its own name.
pub(super) fn names(targets: &[MorphTarget]) -> Result<NameTable, BuildError> {
    target_count(targets)?;
    NameTable::new(targets.iter().map(|target| target.name.as_str())).map_err(|error| match error {
        NameError::Duplicate { name, first, second } => BuildError::DuplicateName { name, first, second },
    })
}

/// Checks that streams run parallel to the vertices, and that vertices are in range and distinct.
///
/// Returns the order of rising vertices, or `None` where they rise already.
pub(super) fn vertices(
    slot: usize,
    target: &MorphTarget,
    vertex_count: u32,
) -> Result<Option<Vec<usize>>, BuildError> {
    for stream in Stream::ALL {
        length(slot, target, stream)?;
    }
    range(slot, target, vertex_count)?;
    order(slot, target)
}

/// Checks that a stream runs parallel to the target's vertices.
pub(crate) fn length(slot: usize, target: &MorphTarget, stream: Stream) -> Result<(), BuildError> {
    let expected = target.vertices.len();
    match target.stream(stream) {
        Some(deltas) if deltas.len() != expected => Err(BuildError::StreamLength {
            target: slot,
            name: target.name.clone(),
            stream,
            expected,
            found: deltas.len(),
        }),
        _ => Ok(()),
    }
}

/// Checks that the mesh has the vertices.
pub(crate) fn range(slot: usize, target: &MorphTarget, vertex_count: u32) -> Result<(), BuildError> {
    let vertices = &target.vertices;
    if vertex_count == 0 && !vertices.is_empty() {
        return Err(BuildError::NoVertices {
            target: slot,
            name: target.name.clone(),
            moved: vertices.len(),
        });
    }
    match first_past(vertices, vertex_count) {
        Some((entry, vertex)) => Err(BuildError::VertexOutOfRange {
            target: slot,
            name: target.name.clone(),
            entry,
            vertex,
            vertex_count,
        }),
        None => Ok(()),
    }
}

/// Checks that vertices are distinct, and returns their rising order, or `None` where they rise already.
pub(super) fn order(slot: usize, target: &MorphTarget) -> Result<Option<Vec<usize>>, BuildError> {
    rising(&target.vertices).map_err(|vertex| BuildError::DuplicateVertex {
        target: slot,
        name: target.name.clone(),
        vertex,
    })
}

/// The first vertex that the mesh does not have, and where it stands in the list.
pub(crate) fn first_past(vertices: &[u32], vertex_count: u32) -> Option<(usize, u32)> {
    let entry = vertices.iter().position(|&vertex| vertex >= vertex_count)?;
    Some((entry, vertices[entry]))
}

/// The order in which vertices rise, or `None` where they rise already; an error is a vertex that comes twice.
pub(super) fn rising(vertices: &[u32]) -> Result<Option<Vec<usize>>, u32> {
    if vertices.windows(2).all(|pair| pair[0] < pair[1]) {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    order.sort_unstable_by_key(|&i| vertices[i]);
    match order
        .windows(2)
        .find(|pair| vertices[pair[0]] == vertices[pair[1]])
    {
        Some(pair) => Err(vertices[pair[0]]),
        None => Ok(Some(order)),
    }
}

/// Checks that a delta is finite and fits the quantization.
pub(super) fn delta(
    quantization: Quantization,
    slot: usize,
    target: &MorphTarget,
    vertex: u32,
    stream: Stream,
    delta: [f32; 3],
) -> Result<(), BuildError> {
    let limit = match quantization {
        Quantization::Half => HALF_MAX,
        Quantization::F32 | Quantization::Snorm16 => f32::MAX,
    };
    // One comparison covers NaN, which compares with nothing, infinity, and the quantization's range.
    let Some(value) = delta
        .into_iter()
        .find(|x| x.abs().partial_cmp(&limit).is_none_or(Ordering::is_gt))
    else {
        return Ok(());
    };
    let name = target.name.clone();
    Err(if value.is_finite() {
        BuildError::BeyondHalf {
            target: slot,
            name,
            vertex,
            stream,
            value,
        }
    } else {
        BuildError::NotFinite {
            target: slot,
            name,
            vertex,
            stream,
            value,
        }
    })
}
