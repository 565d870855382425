//! What values have to be for a use of them, such as directions of length 1 or indices of vertices that exist.

use super::accessors::Accessor;
use super::format::Component;
use super::nodes::UNIT_QUATERNION_TOLERANCE;
use super::report::Severity;

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

/// One kind of fault in the values of an accessor: how often, and what the first one is.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) count: u64,
    pub(super) message: String,
}

/// Counts a fault; the first one is described.
pub(super) fn count(
    faults: &mut Vec<Fault>,
    severity: Severity,
    code: &'static str,
    message: impl FnOnce() -> String,
) {
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

/// A check on its way through the values.
#[derive(Debug)]
pub(super) struct State {
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
    pub(super) fn new(check: Check, accessor: &Accessor) -> Self {
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

    pub(super) fn look(&mut self, element: u64, values: &[f64], faults: &mut Vec<Fault>) {
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

    pub(super) fn finish(&self, faults: &mut Vec<Fault>) {
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
