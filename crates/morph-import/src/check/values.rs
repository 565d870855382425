//! Looks at every value of accessors: bounds that are true, directions of length 1, indices of vertices that exist.

use std::collections::HashMap;

use super::accessors::Accessor;
use super::data::Data;
use super::elements::{Elements, MOST_COMPONENTS, index_at, sparse_indices};
use super::format::Component;
use super::json::child;
use super::lists::{Lists, present};
use super::nodes::UNIT_QUATERNION_TOLERANCE;
use super::report::{Findings, Severity};
use super::work::Work;

/// How far from 1 a direction's length may be: slightly more than the rounding of signed 8-bit components.
const UNIT_VECTOR_TOLERANCE: f64 = 0.00674;

/// What values have to be for a use of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Check {
    UnitNormal,
    UnitTangent,
    Clamped,
    Indices {
        vertex_count: Option<u64>,
        is_triangles: bool,
    },
    KeyTimes,
    Rotations {
        is_cubic: bool,
    },
    InverseBindMatrix,
}

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

/// One kind of fault in the values of an accessor: how often, and what the first one is.
#[derive(Debug)]
struct Fault {
    severity: Severity,
    code: &'static str,
    count: u64,
    message: String,
}

/// Counts a fault; the first one is described.
fn count(faults: &mut Vec<Fault>, severity: Severity, code: &'static str, message: impl FnOnce() -> String) {
    match faults.iter_mut().find(|fault| fault.code == code) {
        Some(fault) => fault.count += 1,
        None => faults.push(Fault {
            severity,
            code,
            count: 1,
            message: message(),
        }),
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

/// A check on its way through the values.
struct State {
    check: Check,
    component: Component,
    normalized: bool,
    /// The last key time that is not negative.
    last_time: f64,
    /// The corners of the triangle that has begun.
    corners: [u64; 3],
    corner_count: usize,
    degenerate: u64,
    index_count: u64,
}

impl State {
    fn new(check: Check, accessor: &Accessor) -> Self {
        State {
            check,
            component: accessor.component,
            normalized: accessor.normalized,
            last_time: 0.0,
            corners: [0; 3],
            corner_count: 0,
            degenerate: 0,
            index_count: 0,
        }
    }

    /// The length of a vector whose components may be fractions.
    fn length(&self, values: &[f64]) -> f64 {
        let square = |&value: &f64| {
            let value = if self.normalized {
                self.component.fraction(value)
            } else {
                value
            };
            value * value
        };
        values.iter().map(square).sum::<f64>().sqrt()
    }

    fn look(&mut self, element: u64, values: &[f64], faults: &mut Vec<Fault>) {
        let error = Severity::Error;
        match self.check {
            Check::UnitNormal => self.unit(element, values, faults),
            Check::UnitTangent => {
                if let [direction @ .., sign] = values {
                    self.unit(element, direction, faults);
                    let sign = if self.normalized {
                        self.component.fraction(*sign)
                    } else {
                        *sign
                    };
                    if sign != 1.0 && sign != -1.0 {
                        count(faults, error, "ACCESSOR_INVALID_SIGN", || {
                            format!("w of element {element} is {sign}, it has to be 1 or -1")
                        });
                    }
                }
            }
            Check::Clamped => {
                for &value in values {
                    if !(0.0..=1.0).contains(&value) && !value.is_nan() {
                        count(faults, error, "ACCESSOR_NON_CLAMPED", || {
                            format!("element {element} has a component of {value}; colors are from 0 to 1")
                        });
                    }
                }
            }
            Check::Indices {
                vertex_count,
                is_triangles,
            } => self.index(element, values[0] as u64, vertex_count, is_triangles, faults),
            Check::KeyTimes => {
                let (time, last) = (values[0], self.last_time);
                if time < 0.0 {
                    count(faults, error, "ACCESSOR_ANIMATION_INPUT_NEGATIVE", || {
                        format!("key {element} is at {time} s; times are not negative")
                    });
                } else {
                    if element != 0 && time <= last {
                        count(faults, error, "ACCESSOR_ANIMATION_INPUT_NON_INCREASING", || {
                            format!("key {element} at {time} s follows one at {last} s; times have to rise")
                        });
                    }
                    self.last_time = time;
                }
            }
            Check::Rotations { is_cubic } => {
                let is_value = !is_cubic || element % 3 == 1;
                let length = self.length(values);
                if is_value && (length - 1.0).abs() > UNIT_QUATERNION_TOLERANCE {
                    count(
                        faults,
                        error,
                        "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
                        || {
                            format!(
                                "the rotation in element {element} has length {length:.4}, it has to be 1"
                            )
                        },
                    );
                }
            }
            Check::InverseBindMatrix => {
                for (index, right) in [(3, 0.0), (7, 0.0), (11, 0.0), (15, 1.0)] {
                    let value = values[index];
                    if value != right {
                        count(faults, error, "ACCESSOR_INVALID_IBM", || {
                            format!("component {index} of matrix {element} is {value}, it has to be {right}")
                        });
                    }
                }
            }
        }
    }

    fn unit(&self, element: u64, values: &[f64], faults: &mut Vec<Fault>) {
        let length = self.length(values);
        if (length - 1.0).abs() > UNIT_VECTOR_TOLERANCE {
            count(faults, Severity::Error, "ACCESSOR_VECTOR3_NON_UNIT", || {
                format!("the direction in element {element} has length {length:.4}, it has to be 1")
            });
        }
    }

    fn index(
        &mut self,
        position: u64,
        index: u64,
        vertex_count: Option<u64>,
        is_triangles: bool,
        faults: &mut Vec<Fault>,
    ) {
        self.index_count += 1;
        let available = vertex_count.unwrap_or(0);
        if index >= available {
            count(faults, Severity::Error, "ACCESSOR_INDEX_OOB", || {
                format!("index {index} at position {position} is past the last of {available} vertices")
            });
        }
        if index as i64 == self.component.range().1 {
            count(
                faults,
                Severity::Error,
                "ACCESSOR_INDEX_PRIMITIVE_RESTART",
                || {
                    format!(
                        "index {index} at position {position} would begin a new strip, which glTF does not have"
                    )
                },
            );
        }
        if is_triangles {
            self.corners[self.corner_count] = index;
            self.corner_count += 1;
            if self.corner_count == 3 {
                self.corner_count = 0;
                let [a, b, c] = self.corners;
                self.degenerate += u64::from(a == b || b == c || c == a);
            }
        }
    }

    fn finish(&self, faults: &mut Vec<Fault>) {
        if self.degenerate > 0 {
            let message = format!(
                "{} of {} triangles have a corner twice",
                self.degenerate,
                self.index_count / 3
            );
            count(
                faults,
                Severity::Info,
                "ACCESSOR_INDEX_TRIANGLE_DEGENERATE",
                || message,
            );
        }
    }
}
