//! Primitive modes, and strips, loops and fans written out as plain lists.

use crate::error::GltfError;
use crate::model::Topology;

/// The modes of glTF 2.0, section 3.7.2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Points,
    Lines,
    LineLoop,
    LineStrip,
    Triangles,
    TriangleStrip,
    TriangleFan,
}

impl Mode {
    pub(crate) fn from_file(mode: Option<u64>) -> Result<Self, GltfError> {
        Ok(match mode {
            Some(0) => Self::Points,
            Some(1) => Self::Lines,
            Some(2) => Self::LineLoop,
            Some(3) => Self::LineStrip,
            Some(4) | None => Self::Triangles,
            Some(5) => Self::TriangleStrip,
            Some(6) => Self::TriangleFan,
            Some(mode) => return Err(GltfError::Mode { mode }),
        })
    }

    pub(crate) fn topology(self) -> Topology {
        match self {
            Self::Points => Topology::Points,
            Self::Lines | Self::LineLoop | Self::LineStrip => Topology::Lines,
            Self::Triangles | Self::TriangleStrip | Self::TriangleFan => Topology::Triangles,
        }
    }

    /// The most indices that [`Mode::to_list`] makes of each index that it is given.
    pub(crate) fn growth(self) -> u64 {
        match self {
            Self::Points | Self::Lines | Self::Triangles => 1,
            Self::LineLoop | Self::LineStrip => 2,
            Self::TriangleStrip | Self::TriangleFan => 3,
        }
    }

    /// Writes the indices out as a list, and returns with it how many were left over at the end.
    ///
    /// Every second triangle of a strip is turned, and a fan's triangles start at the rim, so that windings and first
    /// vertices are those of the specification.
    pub(crate) fn to_list(self, mut indices: Vec<u32>) -> (Vec<u32>, usize) {
        let (smallest, step) = match self {
            Self::Points => (1, 1),
            Self::Lines => (2, 2),
            Self::LineLoop | Self::LineStrip => (2, 1),
            Self::Triangles => (3, 3),
            Self::TriangleStrip | Self::TriangleFan => (3, 1),
        };
        let left_over = if indices.len() < smallest {
            indices.len()
        } else {
            (indices.len() - smallest) % step
        };
        indices.truncate(indices.len() - left_over);
        let list = match self {
            Self::Points | Self::Lines | Self::Triangles => indices,
            Self::LineStrip => pairs(&indices),
            Self::LineLoop => {
                if let Some(&first) = indices.first() {
                    indices.push(first);
                }
                pairs(&indices)
            }
            Self::TriangleStrip => indices
                .windows(3)
                .enumerate()
                .flat_map(|(i, corners)| match i % 2 {
                    0 => [corners[0], corners[1], corners[2]],
                    _ => [corners[0], corners[2], corners[1]],
                })
                .collect(),
            Self::TriangleFan => match indices.split_first() {
                Some((&center, rim)) => rim
                    .windows(2)
                    .flat_map(|edge| [edge[0], edge[1], center])
                    .collect(),
                None => indices,
            },
        };
        (list, left_over)
    }
}

fn pairs(indices: &[u32]) -> Vec<u32> {
    indices.windows(2).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_loops_and_fans_become_lists() {
        let indices = || vec![0, 1, 2, 3, 4];
        assert_eq!(
            Mode::LineStrip.to_list(indices()),
            (vec![0, 1, 1, 2, 2, 3, 3, 4], 0)
        );
        assert_eq!(
            Mode::LineLoop.to_list(indices()),
            (vec![0, 1, 1, 2, 2, 3, 3, 4, 4, 0], 0)
        );
        assert_eq!(
            Mode::TriangleStrip.to_list(indices()),
            (vec![0, 1, 2, 1, 3, 2, 2, 3, 4], 0)
        );
        assert_eq!(
            Mode::TriangleFan.to_list(indices()),
            (vec![1, 2, 0, 2, 3, 0, 3, 4, 0], 0)
        );
    }

    #[test]
    fn what_is_left_over_is_cut_and_counted() {
        assert_eq!(Mode::Triangles.to_list(vec![0, 1, 2, 3, 4]), (vec![0, 1, 2], 2));
        assert_eq!(Mode::Lines.to_list(vec![0, 1, 2]), (vec![0, 1], 1));
        for mode in [
            Mode::LineLoop,
            Mode::LineStrip,
            Mode::TriangleStrip,
            Mode::TriangleFan,
        ] {
            assert_eq!(mode.to_list(vec![7]), (vec![], 1));
            assert_eq!(mode.to_list(vec![]), (vec![], 0));
        }
    }
}
