//! Which vertex attributes a target, a mesh or a rest pose has.

use std::fmt;

/// One morphed vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// Positions, in model units.
    Position,
    /// Normals, against a unit base.
    Normal,
    /// Tangent directions (xyz) against a unit base; the handedness in w is never morphed.
    Tangent,
}

impl Stream {
    /// All attributes in the order in which every layout stores them.
    pub const ALL: [Stream; 3] = [Stream::Position, Stream::Normal, Stream::Tangent];

    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stream::Position => "position",
            Stream::Normal => "normal",
            Stream::Tangent => "tangent",
        })
    }
}

/// A set of attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Streams {
    /// Positions are there.
    pub positions: bool,
    /// Normals are there.
    pub normals: bool,
    /// Tangents are there.
    pub tangents: bool,
}

impl Streams {
    /// Whether `stream` is in the set.
    pub fn contains(self, stream: Stream) -> bool {
        match stream {
            Stream::Position => self.positions,
            Stream::Normal => self.normals,
            Stream::Tangent => self.tangents,
        }
    }

    /// The attributes that are in either set.
    #[must_use]
    pub fn union(self, other: Streams) -> Streams {
        Streams {
            positions: self.positions || other.positions,
            normals: self.normals || other.normals,
            tangents: self.tangents || other.tangents,
        }
    }

    /// How many attributes are in the set, 0 to 3.
    pub fn count(self) -> u32 {
        u32::from(self.positions) + u32::from(self.normals) + u32::from(self.tangents)
    }
}
