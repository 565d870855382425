//! What an accessor's elements look like, and which looks are allowed for which use.

use std::fmt;

/// A component type. One that does not exist fits no use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
    Unknown,
}

/// The numbers of all component types in a file.
pub(super) const COMPONENTS: [u64; 6] = [5120, 5121, 5122, 5123, 5125, 5126];
/// The numbers of those that sparse indices may have.
pub(super) const INDEX_COMPONENTS: [u64; 3] = [5121, 5123, 5125];

impl Component {
    pub(super) fn from_file(number: u64) -> Self {
        match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => Self::Unknown,
        }
    }

    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 | Self::Unknown => 4,
        }
    }

    pub(super) fn is_float(self) -> bool {
        self == Self::F32
    }

    /// The smallest and the largest value of an integer type; nothing fits a float written as an integer.
    pub(super) fn range(self) -> (i64, i64) {
        match self {
            Self::I8 => (i8::MIN.into(), i8::MAX.into()),
            Self::U8 => (0, u8::MAX.into()),
            Self::I16 => (i16::MIN.into(), i16::MAX.into()),
            Self::U16 => (0, u16::MAX.into()),
            Self::U32 | Self::F32 | Self::Unknown => (0, u32::MAX.into()),
        }
    }

    /// The value of the first bytes, which have to be at least as many as the component has.
    pub(super) fn value(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, &[a, ..]) => f64::from(a as i8),
            (Self::U8, &[a, ..]) => f64::from(a),
            (Self::I16, &[a, b, ..]) => f64::from(i16::from_le_bytes([a, b])),
            (Self::U16, &[a, b, ..]) => f64::from(u16::from_le_bytes([a, b])),
            (Self::U32, &[a, b, c, d, ..]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            (Self::F32, &[a, b, c, d, ..]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            _ => 0.0,
        }
    }

    /// An integer as a fraction of its type's largest value; a float as it is.
    pub(super) fn fraction(self, value: f64) -> f64 {
        match self {
            Self::F32 | Self::Unknown => value,
            Self::I8 | Self::I16 => (value / self.range().1 as f64).max(-1.0),
            Self::U8 | Self::U16 | Self::U32 => value / self.range().1 as f64,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::I8 => "BYTE",
            Self::U8 => "UNSIGNED_BYTE",
            Self::I16 => "SHORT",
            Self::U16 => "UNSIGNED_SHORT",
            Self::U32 => "UNSIGNED_INT",
            Self::F32 => "FLOAT",
            Self::Unknown => "of an unknown component type",
        }
    }
}

/// What `type` says. One that does not exist has no components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
    Unknown,
}

/// All types by name.
pub(super) const SHAPES: [&str; 7] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];

impl Shape {
    pub(super) fn from_file(name: &str) -> Self {
        match name {
            "SCALAR" => Self::Scalar,
            "VEC2" => Self::Vec2,
            "VEC3" => Self::Vec3,
            "VEC4" => Self::Vec4,
            "MAT2" => Self::Mat2,
            "MAT3" => Self::Mat3,
            "MAT4" => Self::Mat4,
            _ => Self::Unknown,
        }
    }

    pub(super) fn components(self) -> usize {
        match self {
            Self::Unknown => 0,
            Self::Scalar => 1,
            Self::Vec2 => 2,
            Self::Vec3 => 3,
            Self::Vec4 | Self::Mat2 => 4,
            Self::Mat3 => 9,
            Self::Mat4 => 16,
        }
    }

    pub(super) fn is_matrix(self) -> bool {
        matches!(self, Self::Mat2 | Self::Mat3 | Self::Mat4)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Vec2 => "VEC2",
            Self::Vec3 => "VEC3",
            Self::Vec4 => "VEC4",
            Self::Mat2 => "MAT2",
            Self::Mat3 => "MAT3",
            Self::Mat4 => "MAT4",
            Self::Unknown => "an unknown shape",
        }
    }
}

/// Shape, component type and normalization together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) shape: Shape,
    pub(super) component: Component,
    pub(super) normalized: bool,
}

impl Format {
    pub(super) const fn float(shape: Shape) -> Self {
        Self {
            shape,
            component: Component::F32,
            normalized: false,
        }
    }

    /// Where the component `index` of an element begins: columns of matrices begin at multiples of four bytes.
    pub(super) fn component_offset(self, index: usize) -> usize {
        let bytes = self.component.bytes() as usize;
        let rows = match self.shape {
            Shape::Mat2 => 2,
            Shape::Mat3 => 3,
            _ => return index * bytes,
        };
        let column_bytes = (rows * bytes).next_multiple_of(4);
        index / rows * column_bytes + index % rows * bytes
    }

    /// The bytes from the first component's begin to the last one's end.
    pub(super) fn element_bytes(self) -> u64 {
        match self.shape.components() {
            0 => 0,
            count => self.component_offset(count - 1) as u64 + self.component.bytes(),
        }
    }

    /// The distance of elements where no stride is given.
    pub(super) fn packed_stride(self) -> u64 {
        if self.shape.is_matrix() {
            self.element_bytes().next_multiple_of(4)
        } else {
            self.element_bytes()
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.shape.name(), self.component.name())?;
        f.write_str(if self.normalized { " normalized" } else { "" })
    }
}

/// What an attribute's accessor may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttributeRules {
    /// Whether `KHR_mesh_quantization` is used.
    pub(super) quantized: bool,
    /// Whether it is an attribute of a morph target.
    pub(super) morph: bool,
}

impl AttributeRules {
    /// Whether an attribute may have a format; `None` where the name, without its number, is not a known one.
    pub(super) fn allow(self, name: &str, format: Format) -> Option<bool> {
        use Component::{F32, I8, I16, U8, U16};
        let Self { quantized, morph } = self;
        let Format {
            shape,
            component,
            normalized,
        } = format;
        let float = component == F32 && !normalized;
        let signed = matches!(component, I8 | I16);
        let unsigned = matches!(component, U8 | U16);
        let direction = float || quantized && signed && normalized;
        Some(match (name, morph) {
            ("POSITION", false) => shape == Shape::Vec3 && (float || quantized && (signed || unsigned)),
            ("POSITION", true) => shape == Shape::Vec3 && (float || quantized && signed),
            ("NORMAL", _) | ("TANGENT", true) => shape == Shape::Vec3 && direction,
            ("TANGENT", false) => shape == Shape::Vec4 && direction,
            ("TEXCOORD", false) => {
                let integers = normalized && unsigned || quantized && (signed || unsigned);
                shape == Shape::Vec2 && (float || integers)
            }
            ("TEXCOORD", true) => shape == Shape::Vec2 && (float || normalized && (signed || unsigned)),
            ("COLOR", _) => {
                let integers = normalized && (unsigned || morph && signed);
                matches!(shape, Shape::Vec3 | Shape::Vec4) && (float || integers)
            }
            ("JOINTS", false) => shape == Shape::Vec4 && unsigned && !normalized,
            ("WEIGHTS", false) => shape == Shape::Vec4 && (float || normalized && unsigned),
            _ => return None,
        })
    }

    /// What would be right for a name, for messages.
    pub(super) fn expected(self, name: &str) -> String {
        let Self { quantized, morph } = self;
        let base = match (name, morph) {
            ("POSITION" | "NORMAL", _) | ("TANGENT", true) => "VEC3 FLOAT",
            ("TANGENT", false) => "VEC4 FLOAT",
            ("TEXCOORD", false) => "VEC2 of FLOAT or normalized UNSIGNED_BYTE or UNSIGNED_SHORT",
            ("TEXCOORD", true) => "VEC2 of FLOAT or normalized integers of 8 or 16 bits",
            ("COLOR", false) => "VEC3 or VEC4 of FLOAT or normalized UNSIGNED_BYTE or UNSIGNED_SHORT",
            ("COLOR", true) => "VEC3 or VEC4 of FLOAT or normalized integers of 8 or 16 bits",
            ("JOINTS", _) => "VEC4 of UNSIGNED_BYTE or UNSIGNED_SHORT",
            _ => "VEC4 of FLOAT or normalized UNSIGNED_BYTE or UNSIGNED_SHORT",
        };
        let more = match (name, quantized) {
            ("POSITION" | "NORMAL" | "TANGENT", true) => ", or integers as KHR_mesh_quantization allows",
            ("POSITION" | "NORMAL" | "TANGENT", false) => " (integers need KHR_mesh_quantization)",
            _ => "",
        };
        format!("{base}{more}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_small_matrices_are_padded() {
        let bytes = |shape, component| {
            let format = Format {
                shape,
                component,
                normalized: false,
            };
            (format.element_bytes(), format.packed_stride())
        };
        assert_eq!(bytes(Shape::Mat2, Component::U8), (6, 8));
        assert_eq!(bytes(Shape::Mat3, Component::I8), (11, 12));
        assert_eq!(bytes(Shape::Mat3, Component::U16), (22, 24));
        assert_eq!(bytes(Shape::Mat2, Component::U16), (8, 8));
        assert_eq!(bytes(Shape::Mat4, Component::F32), (64, 64));
        assert_eq!(bytes(Shape::Vec3, Component::U8), (3, 3));
    }
}
