//! What a build refuses before it stores anything.

use std::cmp::Ordering;

use crate::build::BuildOptions;
use crate::error::{BuildError, Limit};
use crate::mesh::MorphMesh;
use crate::names::{NameError, NameTable};
use crate::quantization::{HALF_MAX, Quantization};
use crate::streams::Stream;
use crate::target::MorphTarget;

/// Checks the options by themselves, and against the mesh that they are for.
pub(super) fn options(
    options: &BuildOptions<'_>,
    vertex_count: u32,
    targets: &[MorphTarget],
) -> Result<(), BuildError> {
    limits(
        Limit::Position,
        options.position_threshold,
        options.position_tolerance,
        |threshold| threshold,
    )?;
    limits(
        Limit::Direction,
        options.direction_threshold,
        options.direction_tolerance_degrees,
        dropped_degrees,
    )?;
    if let Some(rest) = options.rest {
        let lengths = [
            (Stream::Position, Some(rest.positions.len())),
            (Stream::Normal, rest.normals.as_ref().map(Vec::len)),
            (Stream::Tangent, rest.tangents.as_ref().map(Vec::len)),
        ];
        for (stream, found) in lengths {
            if let Some(found) = found.filter(|&found| found != vertex_count as usize) {
                return Err(BuildError::RestLength {
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
        if let Some((slot, target)) = with_normals {
            return Err(BuildError::NoRestNormals {
                target: slot,
                name: target.name.clone(),
            });
        }
    }
    Ok(())
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
    let usable = |value: f32| value.is_finite() && value >= 0.0;
    if !usable(threshold) {
        return Err(BuildError::Threshold {
            limit,
            value: threshold,
        });
    }
    let Some(tolerance) = tolerance else { return Ok(()) };
    if !usable(tolerance) {
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

/// Checks the number of targets, and that each has its own name.
pub(super) fn names(targets: &[MorphTarget]) -> Result<NameTable, BuildError> {
    if targets.len() > MorphMesh::MAX_TARGET_COUNT {
        return Err(BuildError::TooManyTargets {
            given: targets.len(),
            limit: MorphMesh::MAX_TARGET_COUNT,
        });
    }
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
    let name = || target.name.clone();
    let vertices = &target.vertices;
    for stream in Stream::ALL {
        if let Some(deltas) = target
            .stream(stream)
            .filter(|deltas| deltas.len() != vertices.len())
        {
            return Err(BuildError::StreamLength {
                target: slot,
                name: name(),
                stream,
                expected: vertices.len(),
                found: deltas.len(),
            });
        }
    }
    if vertex_count == 0 && !vertices.is_empty() {
        return Err(BuildError::NoVertices {
            target: slot,
            name: name(),
            moved: vertices.len(),
        });
    }
    if let Some(entry) = vertices.iter().position(|&vertex| vertex >= vertex_count) {
        let vertex = vertices[entry];
        return Err(BuildError::VertexOutOfRange {
            target: slot,
            name: name(),
            entry,
            vertex,
            vertex_count,
        });
    }
    if vertices.windows(2).all(|pair| pair[0] < pair[1]) {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    order.sort_unstable_by_key(|&i| vertices[i]);
    match order
        .windows(2)
        .find(|pair| vertices[pair[0]] == vertices[pair[1]])
    {
        Some(pair) => Err(BuildError::DuplicateVertex {
            target: slot,
            name: name(),
            vertex: vertices[pair[0]],
        }),
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
