//! What a section holds, and since which version of the format.

use std::fmt;

/// The newest version of the format that this library reads and writes.
pub const NEWEST_VERSION: u32 = 4;

/// What a section holds: four letters, readable in a dump of the file.
///
/// A kind whose first letter is lower case may be skipped by a reader that does not know it; without any other the
/// content would be wrong, so that a reader that does not know one has to refuse the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionKind(pub [u8; 4]);

/// What is known of a kind.
struct Known {
    kind: SectionKind,
    /// The first version of the format that has it.
    since: u32,
}

const fn known(kind: SectionKind, since: u32) -> Known {
    Known { kind, since }
}

const KNOWN: [Known; 28] = [
    known(SectionKind::PRIMITIVE, 1),
    known(SectionKind::TARGETS, 1),
    known(SectionKind::TARGET_NAMES, 1),
    known(SectionKind::SCATTER, 1),
    known(SectionKind::VERTEX_MAJOR, 1),
    known(SectionKind::REST, 1),
    known(SectionKind::INDICES, 1),
    known(SectionKind::TEXCOORDS, 1),
    known(SectionKind::COLORS, 1),
    known(SectionKind::SOURCE_POINTS, 1),
    known(SectionKind::MODEL, 1),
    known(SectionKind::TEXT, 1),
    known(SectionKind::MESHES, 1),
    known(SectionKind::PARTS, 1),
    known(SectionKind::NODES, 1),
    known(SectionKind::WEIGHTS, 1),
    known(SectionKind::SKIN_JOINTS, 2),
    known(SectionKind::SKIN_WEIGHTS, 2),
    known(SectionKind::SKINS, 2),
    known(SectionKind::SKIN_NODES, 2),
    known(SectionKind::INVERSE_BINDS, 2),
    known(SectionKind::CLIPS, 2),
    known(SectionKind::TRACKS, 2),
    known(SectionKind::CURVES, 2),
    known(SectionKind::TEXCOORD_DELTAS, 3),
    known(SectionKind::COLOR_DELTAS, 3),
    known(SectionKind::RIGS, 3),
    known(SectionKind::EXPRESSIONS, 4),
];

impl SectionKind {
    /// Of each primitive: [`PrimitiveRecord`](super::PrimitiveRecord).
    pub const PRIMITIVE: Self = Self(*b"PRIM");
    /// Of each primitive with targets: a [`TargetRecord`](super::TargetRecord) for each.
    pub const TARGETS: Self = Self(*b"TGTS");
    /// Of each primitive with targets: their names in UTF-8, one after the other.
    pub const TARGET_NAMES: Self = Self(*b"TNAM");
    /// Of each primitive with entries: the words of [`Scatter`](crate::Scatter).
    pub const SCATTER: Self = Self(*b"SCAT");
    /// Of each primitive with targets: the words of [`VertexMajor`](crate::VertexMajor).
    pub const VERTEX_MAJOR: Self = Self(*b"VMAJ");
    /// Of each primitive: interleaved vertices of the rest pose.
    pub const REST: Self = Self(*b"REST");
    /// Of each primitive: vertex numbers, 32 bits each.
    pub const INDICES: Self = Self(*b"INDX");
    /// Of each set of texture coordinates of a primitive, which is the section's part: two floats a vertex.
    pub const TEXCOORDS: Self = Self(*b"TEXC");
    /// Of each set of colors of a primitive, which is the section's part: four floats a vertex.
    pub const COLORS: Self = Self(*b"COLR");
    /// Of each primitive with skin weights: joint numbers, 16 bits each, 4 or 8 a vertex.
    pub const SKIN_JOINTS: Self = Self(*b"SKNJ");
    /// Of each primitive with skin weights: a float for each joint number.
    pub const SKIN_WEIGHTS: Self = Self(*b"SKNW");
    /// Of each primitive whose targets change texture coordinates: part 0 a [`SetRecord`](super::SetRecord) for each
    /// target and set, part 1 the changed vertices, 32 bits each, part 2 two floats for each of them.
    pub const TEXCOORD_DELTAS: Self = Self(*b"DTEX");
    /// Of each primitive whose targets change colors: the same with four floats.
    pub const COLOR_DELTAS: Self = Self(*b"DCOL");
    /// Of each primitive whose source tells control points from vertices: that of each vertex, 32 bits. No device
    /// wants them, so that readers may do without.
    pub const SOURCE_POINTS: Self = Self(*b"spnt");

    /// Of a model: what it came from.
    pub const MODEL: Self = Self(*b"MODL");
    /// Of a model: all its names in UTF-8.
    pub const TEXT: Self = Self(*b"TEXT");
    /// Of a model: its meshes.
    pub const MESHES: Self = Self(*b"MESH");
    /// Of a model: topology and material of each primitive.
    pub const PARTS: Self = Self(*b"PART");
    /// Of a model: its nodes.
    pub const NODES: Self = Self(*b"NODE");
    /// Of a model: the weights of meshes and nodes at rest.
    pub const WEIGHTS: Self = Self(*b"WGHT");
    /// Of a model: its skins.
    pub const SKINS: Self = Self(*b"SKIN");
    /// Of a model: the nodes that are the joints of its skins.
    pub const SKIN_NODES: Self = Self(*b"SKNN");
    /// Of a model: a matrix for each joint.
    pub const INVERSE_BINDS: Self = Self(*b"IBND");
    /// Of a model: its clips.
    pub const CLIPS: Self = Self(*b"CLIP");
    /// Of a model: the tracks of its clips.
    pub const TRACKS: Self = Self(*b"TRCK");
    /// Of a model: times and values of the tracks.
    pub const CURVES: Self = Self(*b"CURV");

    /// Of a model with rigs: part 0 the rigs, part 1 the names of their controls, part 2 their channels, part 3 the
    /// factors of combinations, part 4 the targets of the channels.
    pub const RIGS: Self = Self(*b"RIGS");
    /// Of a model with expressions: part 0 the expressions, part 1 the targets that they give weights.
    pub const EXPRESSIONS: Self = Self(*b"EXPR");

    /// Whether a reader that does not know the kind may skip its sections.
    pub fn is_optional(self) -> bool {
        self.0[0].is_ascii_lowercase()
    }

    /// The first version of the format that has the kind; `None` for a kind that this library does not know.
    pub fn since(self) -> Option<u32> {
        KNOWN
            .iter()
            .find(|known| known.kind == self)
            .map(|known| known.since)
    }

    /// All kinds that this library knows.
    pub fn known() -> impl ExactSizeIterator<Item = SectionKind> {
        KNOWN.iter().map(|known| known.kind)
    }

    /// Whether there is a section of this kind for each primitive, rather than one for the model.
    pub fn is_of_primitive(self) -> bool {
        matches!(
            self,
            Self::PRIMITIVE
                | Self::TARGETS
                | Self::TARGET_NAMES
                | Self::SCATTER
                | Self::VERTEX_MAJOR
                | Self::REST
                | Self::INDICES
                | Self::TEXCOORDS
                | Self::COLORS
                | Self::SKIN_JOINTS
                | Self::SKIN_WEIGHTS
                | Self::TEXCOORD_DELTAS
                | Self::COLOR_DELTAS
                | Self::SOURCE_POINTS
        )
    }
}

impl fmt::Display for SectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for SectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SectionKind({self})")
    }
}

/// The name of a section: no two sections of a file have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionId {
    /// The primitive, counted over all meshes of the file; 0 for what is of the model.
    pub index: u32,
    /// What it holds.
    pub kind: SectionKind,
    /// Which of several of the kind, as it says: a set of texture coordinates, for one. Otherwise 0.
    pub part: u32,
}

impl SectionId {
    /// The only section of a kind of the model.
    pub fn of_model(kind: SectionKind) -> Self {
        SectionId::of_primitive(kind, 0)
    }

    /// The first or only section of a kind of a primitive.
    pub fn of_primitive(kind: SectionKind, index: u32) -> Self {
        SectionId { index, kind, part: 0 }
    }
}

impl fmt::Display for SectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section {}", self.kind)?;
        if self.kind.is_of_primitive() || self.index > 0 {
            write!(f, " of primitive {}", self.index)?;
        }
        if self.part > 0 {
            write!(f, ", part {}", self.part)?;
        }
        Ok(())
    }
}
