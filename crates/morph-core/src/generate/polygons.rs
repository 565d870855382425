//! Faces of any number of corners.

use std::ops::Range;

/// Faces of any number of corners, each corner a point of a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygons {
    /// The end of each face in `points`.
    ends: Vec<usize>,
    points: Vec<usize>,
}

impl Polygons {
    /// Adds a face by its points, in the order that turns counterclockwise seen from outside.
    pub fn push(&mut self, points: impl IntoIterator<Item = usize>) {
        self.points.extend(points);
        self.ends.push(self.points.len());
    }

    /// Adds all faces of other polygons.
    pub fn append(&mut self, other: &Self) {
        let start = self.points.len();
        self.points.extend_from_slice(&other.points);
        self.ends.extend(other.ends.iter().map(|end| start + end));
    }

    /// How many faces there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The points of all faces, face after face.
    pub fn points(&self) -> &[usize] {
        &self.points
    }

    /// Where a face's corners lie among [`points`](Self::points).
    ///
    /// # Panics
    /// Where there is no such face.
    pub fn corners(&self, face: usize) -> Range<usize> {
        let start = if face == 0 { 0 } else { self.ends[face - 1] };
        start..self.ends[face]
    }
}
