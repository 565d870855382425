//! Looks at every value of accessors: sparse indices that rise, bounds that are true, and what each use of them asks for.

use std::collections::HashMap;

use super::accessors::Accessor;
use super::data::Data;
use super::elements::{Elements, MOST_COMPONENTS, index_at, sparse_indices};
use super::format::Component;
use super::json::child;
use super::lists::{Lists, present};
use super::report::{Findings, Severity};
use super::uses::{Check, Fault, State, count};
use super::work::Work;

/// The checks that were asked for, each once for all places that asked.
#[derive(Debug, Default)]
pub(super) struct Checks {
    places: Vec<(u64, Check, Vec<String>)>,
    known: HashMap<(u64, Check), usize>,
}

impl Checks {
    pub(super) fn add(&mut self, accessor: u64, check: Check, pointer: &str) {
        let next = self.places.len();
        let place = *self.known.entry((accessor, check)).or_insert(next);
        if place == next {
            self.places.push((accessor, check, Vec::new()));
        }
        self.places[place].2.push(pointer.to_owned());
    }
}

/// Checks sparse indices, bounds, and what was asked for.
pub(super) fn check(
    lists: &Lists<'_>,
    data: &Data<'_>,
    checks: &Checks,
    work: &mut Work,
    findings: &mut Findings,
) {
    for (index, accessor) in present(&lists.accessors) {
        let place = child("/accessors", index);
        check_sparse_indices(accessor, lists, data, &place, work, findings);
        check_bounds(accessor, lists, data, &place, work, findings);
    }
    for (accessor, check, pointers) in &checks.places {
        let Some(accessor) = lists.accessor(*accessor) else {
            continue;
        };
        let mut faults = Vec::new();
        let mut state = State::new(*check, accessor);
        walk(accessor, lists, data, work, |element, values| {
            state.look(element, values, &mut faults);
        });
        state.finish(&mut faults);
        for pointer in pointers {
            for fault in &faults {
                let Fault {
                    severity,
                    code,
                    count,
                    message,
                } = fault;
                findings.add(*severity, code, pointer.as_str(), *count, message.as_str());
            }
        }
    }
}

/// Shows all elements of an accessor that can be read.
pub(super) fn walk(
    accessor: &Accessor,
    lists: &Lists<'_>,
    data: &Data<'_>,
    work: &mut Work,
    mut look: impl FnMut(u64, &[f64]),
) -> bool {
    let Some(mut elements) = Elements::of(accessor, lists, data) else {
        return false;
    };
    let components = elements.components();
    if components == 0 || !may_walk(&elements, work) {
        return false;
    }
    let mut values = [0.0; MOST_COMPONENTS];
    let mut element = 0;
    while elements.next(&mut values) {
        look(element, &values[..components]);
        element += 1;
    }
    true
}

/// Takes the steps of a walk, where the file justifies it. Zeros that take no bytes take steps like all others.
pub(super) fn may_walk(elements: &Elements<'_>, work: &mut Work) -> bool {
    work.take(elements.count().saturating_mul(elements.components() as u64))
}

fn check_sparse_indices(
    accessor: &Accessor,
    lists: &Lists<'_>,
    data: &Data<'_>,
    place: &str,
    work: &mut Work,
    findings: &mut Findings,
) {
    let (Some(element_count), Some(_), true) = (accessor.count, accessor.shape, accessor.is_readable())
    else {
        return;
    };
    let Some((component, bytes)) = sparse_indices(accessor, lists, data) else {
        return;
    };
    let index_count = bytes.len() / component.bytes() as usize;
    if !work.take(index_count as u64) {
        return;
    }
    let mut faults = Vec::new();
    let mut previous = None;
    for position in 0..index_count {
        let index = index_at(bytes, component, position);
        if let Some(previous) = previous
            && index <= previous
        {
            count(
                &mut faults,
                Severity::Error,
                "ACCESSOR_SPARSE_INDICES_NON_INCREASING",
                || {
                    format!(
                        "sparse index {index} at position {position} follows {previous}; indices have to rise"
                    )
                },
            );
        }
        if index >= element_count {
            count(&mut faults, Severity::Error, "ACCESSOR_SPARSE_INDEX_OOB", || {
                format!(
                    "sparse index {index} at position {position} is past the last of {element_count} elements"
                )
            });
        }
        previous = Some(index);
    }
    for fault in faults {
        findings.add(
            fault.severity,
            fault.code,
            child(place, "sparse"),
            fault.count,
            fault.message,
        );
    }
}

/// The smallest or the largest of each component, against what the file says.
struct Bound<'a> {
    is_min: bool,
    stated: &'a [f64],
    found: [f64; MOST_COMPONENTS],
    outside: [u64; MOST_COMPONENTS],
}

impl Bound<'_> {
    fn look(&mut self, element: u64, values: &[f64]) {
        for (index, &value) in values.iter().enumerate() {
            let Some(&stated) = self.stated.get(index) else {
                return;
            };
            let found = &mut self.found[index];
            let (replaces, is_outside) = if self.is_min {
                (*found > value, value < stated)
            } else {
                (*found < value, value > stated)
            };
            if element == 0 || replaces {
                *found = value;
            }
            self.outside[index] += u64::from(is_outside);
        }
    }

    fn tell(&self, place: &str, findings: &mut Findings) {
        let (name, mismatch, outside, relation) = if self.is_min {
            (
                "min",
                "ACCESSOR_MIN_MISMATCH",
                "ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND",
                "below",
            )
        } else {
            (
                "max",
                "ACCESSOR_MAX_MISMATCH",
                "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND",
                "above",
            )
        };
        let place = child(place, name);
        for (index, (&stated, &found)) in self.stated.iter().zip(&self.found).enumerate() {
            // Also where the values are no numbers, which no bound is equal to.
            if stated == found {
                continue;
            }
            let pointer = child(&place, index);
            let message = format!("`{name}` says {stated}, the values say {found}");
            findings.error(mismatch, pointer.as_str(), message);
            if self.outside[index] > 0 {
                let message = format!(
                    "{} values are {relation} the stated {stated}",
                    self.outside[index]
                );
                findings.error(outside, pointer, message);
            }
        }
    }
}

fn check_bounds(
    accessor: &Accessor,
    lists: &Lists<'_>,
    data: &Data<'_>,
    place: &str,
    work: &mut Work,
    findings: &mut Findings,
) {
    let is_float = accessor.component == Component::F32;
    if !is_float && accessor.min.is_none() && accessor.max.is_none() {
        return;
    }
    let bound = |stated, is_min| Bound {
        is_min,
        stated,
        found: [0.0; MOST_COMPONENTS],
        outside: [0; MOST_COMPONENTS],
    };
    let mut bounds: Vec<Bound<'_>> = [(&accessor.min, true), (&accessor.max, false)]
        .into_iter()
        .filter_map(|(stated, is_min)| Some(bound(stated.as_deref()?, is_min)))
        .collect();
    let mut faults = Vec::new();
    let was_walked = walk(accessor, lists, data, work, |element, values| {
        for (index, value) in values.iter().enumerate() {
            if !value.is_finite() {
                count(&mut faults, Severity::Error, "ACCESSOR_INVALID_FLOAT", || {
                    format!("component {index} of element {element} is {value}")
                });
            }
        }
        for bound in &mut bounds {
            bound.look(element, values);
        }
    });
    for fault in faults {
        findings.add(fault.severity, fault.code, place, fault.count, fault.message);
    }
    if was_walked {
        for bound in bounds {
            bound.tell(place, findings);
        }
    }
}
