//! Everything that is wrong with authored targets, at once.

use std::collections::HashMap;

use crate::build::{BuildOptions, check, sets};
use crate::error::BuildError;
use crate::streams::Stream;
use crate::target::MorphTarget;

/// Lists what is wrong with targets and options, where [`MorphMesh::build`](crate::MorphMesh::build) stops at the
/// first fault.
///
/// The list is empty exactly where a build gets as far as storing deltas; whether a tolerance is met and whether
/// the result fits 32-bit offsets only the build itself can say.
/// Of each kind of fault the first place in each target and stream or set is listed, so that a file full of
/// NaN gives a list that a person can read.
/// Options come first, then names, then targets by slot.
pub fn validate(vertex_count: u32, targets: &[MorphTarget], options: &BuildOptions<'_>) -> Vec<BuildError> {
    let mut problems = check::options(options, vertex_count, targets);
    problems.extend(check::target_count(targets).err());
    duplicate_names(targets, &mut problems);
    for (slot, target) in targets.iter().enumerate() {
        for stream in Stream::ALL {
            problems.extend(check::length(slot, target, stream).err());
        }
        problems.extend(check::range(slot, target, vertex_count).err());
        problems.extend(check::order(slot, target).err());
        for stream in Stream::ALL {
            let deltas = target.stream(stream).into_iter().flatten();
            let fault = target.vertices.iter().zip(deltas).find_map(|(&vertex, &delta)| {
                check::delta(options.quantization, slot, target, vertex, stream, delta).err()
            });
            problems.extend(fault);
        }
        problems.extend(sets::texcoords(slot, target).problems(vertex_count));
        problems.extend(sets::colors(slot, target).problems(vertex_count));
    }
    problems
}

fn duplicate_names(targets: &[MorphTarget], problems: &mut Vec<BuildError>) {
    let mut first_slots = HashMap::with_capacity(targets.len());
    for (second, target) in targets.iter().enumerate() {
        let first = *first_slots.entry(target.name.as_str()).or_insert(second);
        if first != second {
            problems.push(BuildError::DuplicateName {
                name: target.name.clone(),
                first,
                second,
            });
        }
    }
}
