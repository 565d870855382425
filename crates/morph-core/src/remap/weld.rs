//! Which vertices are one and the same, decided on the rest pose and all targets together.

use std::collections::HashMap;
use std::hash::Hash;

use crate::remap::{Remap, RemapError, bits, check};
use crate::streams::Stream;
use crate::target::{MorphTarget, SetDeltas};

/// One attribute of the rest pose, vertex after vertex: as many components for each vertex as its length says.
#[derive(Clone, Copy, Debug)]
pub enum WeldAttribute<'a> {
    /// Positions, normals, tangents, texture coordinates, colors, skin weights.
    Floats(&'a [f32]),
    /// Joint numbers, and whatever else tells vertices apart.
    Integers(&'a [u16]),
}

/// Plans a weld: vertices become one where every attribute at rest, and every delta of every target, is equal to
/// the bit (-0 counts as +0).
///
/// Lips that touch at rest and open in a target stay two vertices each, so that no target is torn or lost.
/// Apply the plan to the rest pose, to every target and to the indices.
/// New vertices are numbered by the first old vertex of each.
/// Takes time linear in attributes and entries.
///
/// # Errors
/// [`RemapError::AttributeLength`], and what [`Remap::target`] refuses of targets.
///
/// ```
/// use morph_core::{MorphTarget, WeldAttribute, weld};
///
/// // Two lips that touch, each with a copy.
/// let positions = [[0.0_f32, 0.0, 0.0]; 4];
/// let mut open = MorphTarget::empty("open");
/// open.vertices = vec![0, 1, 2, 3];
/// open.positions = Some(vec![[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, -1.0, 0.0]]);
/// let remap = weld(4, &[WeldAttribute::Floats(positions.as_flattened())], &[open])?;
/// assert_eq!(remap.indices(&[0, 1, 2, 3])?, [0, 0, 1, 1]);
/// # Ok::<(), morph_core::RemapError>(())
/// ```
pub fn weld(
    vertex_count: u32,
    attributes: &[WeldAttribute<'_>],
    targets: &[MorphTarget],
) -> Result<Remap, RemapError> {
    let mut classes = Classes::new(vertex_count);
    for (number, attribute) in attributes.iter().enumerate() {
        match attribute {
            WeldAttribute::Floats(values) => {
                let width = component_count(number, values.len(), vertex_count)?;
                classes.split_by_attribute(width, values, float_bits);
            }
            WeldAttribute::Integers(values) => {
                let width = component_count(number, values.len(), vertex_count)?;
                classes.split_by_attribute(width, values, u32::from);
            }
        }
    }
    for target in targets {
        check::target(target, vertex_count)?;
        for stream in Stream::ALL {
            if let Some(deltas) = target.stream(stream) {
                classes.split_by_deltas(&target.vertices, deltas);
            }
        }
        for SetDeltas { vertices, deltas, .. } in &target.texcoords {
            classes.split_by_deltas(vertices, deltas);
        }
        for SetDeltas { vertices, deltas, .. } in &target.colors {
            classes.split_by_deltas(vertices, deltas);
        }
    }
    Remap::from_old_to_new(classes.compact())
}

/// The bits of a float, with -0 as +0.
pub(crate) fn float_bits(x: f32) -> u32 {
    (x + 0.0).to_bits()
}

/// How many components an attribute has for each vertex.
fn component_count(attribute: usize, found: usize, vertex_count: u32) -> Result<usize, RemapError> {
    let width = found.checked_div(vertex_count as usize).unwrap_or(0);
    if width * vertex_count as usize != found || (width == 0 && vertex_count != 0) {
        return Err(RemapError::AttributeLength {
            attribute,
            found,
            vertex_count,
        });
    }
    Ok(width)
}

/// A class for each vertex; vertices of one class have been equal so far.
pub(crate) struct Classes {
    of_vertices: Vec<usize>,
    count: usize,
}

impl Classes {
    pub(crate) fn new(vertex_count: u32) -> Self {
        Classes {
            of_vertices: vec![0; vertex_count as usize],
            count: 1,
        }
    }

    /// Splits every class by the values of an attribute of so many components.
    pub(crate) fn split_by_attribute<T: Copy>(&mut self, width: usize, values: &[T], key: impl Fn(T) -> u32) {
        // Component after component, so that any width does with keys of one size.
        for component in 0..width {
            let mut fresh: HashMap<(usize, u32), usize> = HashMap::with_capacity(self.count);
            for (class, values) in self.of_vertices.iter_mut().zip(values.chunks_exact(width)) {
                let next = fresh.len();
                *class = *fresh.entry((*class, key(values[component]))).or_insert(next);
            }
            self.count = fresh.len();
        }
    }

    /// Splits classes by what a target gives to some vertices; those that it leaves alone keep their class.
    pub(crate) fn split_by_deltas<const N: usize>(&mut self, vertices: &[u32], deltas: &[[f32; N]])
    where
        [u32; N]: Hash + Eq,
    {
        let mut fresh: HashMap<(usize, [u32; N]), usize> = HashMap::new();
        for (&vertex, &delta) in vertices.iter().zip(deltas) {
            if delta == [0.0; N] {
                continue;
            }
            let class = &mut self.of_vertices[vertex as usize];
            let next = self.count + fresh.len();
            *class = *fresh.entry((*class, bits(delta))).or_insert(next);
        }
        self.count += fresh.len();
    }

    /// Numbers the classes that are left by their first vertex, without gaps.
    pub(crate) fn compact(self) -> Vec<u32> {
        let mut fresh: HashMap<usize, u32> = HashMap::new();
        let number = |class: usize| {
            let next = fresh.len() as u32;
            *fresh.entry(class).or_insert(next)
        };
        self.of_vertices.into_iter().map(number).collect()
    }
}
