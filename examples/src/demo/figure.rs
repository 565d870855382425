//! What the demo shows: one mesh with morph targets, cut into parts by material.
//!
//! Deltas are kept with their vertex while the figure is put together, because every step (merge, crop, eyes, hair) asks
//! "how does this vertex move"; only at the end they are sorted by target, which is what a mesh is built from.

use glam::Vec3;
use morph_core::{Aabb, BaseNormals, MorphTarget, RestError, RestPose, VertexLayout};
use morph_render::Material;

/// How one target moves one vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delta {
    /// Slot of the target.
    pub target: u32,
    /// What is added to the position, in model units.
    pub position: Vec3,
    /// What is added to the unit normal.
    pub normal: Vec3,
}

/// A vertex and everything that moves it.
#[derive(Debug, Clone, PartialEq)]
pub struct Vertex {
    /// Position in model units.
    pub position: Vec3,
    /// Unit normal.
    pub normal: Vec3,
    /// Deltas, at most one per target, targets rising.
    pub deltas: Vec<Delta>,
}

impl Vertex {
    /// A vertex that nothing moves.
    pub fn still(position: Vec3, normal: Vec3) -> Self {
        Self {
            position,
            normal,
            deltas: Vec::new(),
        }
    }

    /// The weighted sum of vertices, deltas included: exact for every mix of targets, because a morph is linear.
    ///
    /// The normal is made unit; its deltas are scaled alike.
    pub fn blend(parts: &[(&Vertex, f32)]) -> Self {
        let mut sum = Self::still(Vec3::ZERO, Vec3::ZERO);
        for &(vertex, share) in parts {
            sum.position += vertex.position * share;
            sum.normal += vertex.normal * share;
            for delta in &vertex.deltas {
                let at = match sum
                    .deltas
                    .binary_search_by_key(&delta.target, |other| other.target)
                {
                    Ok(at) => at,
                    Err(at) => {
                        let nothing = Delta {
                            target: delta.target,
                            position: Vec3::ZERO,
                            normal: Vec3::ZERO,
                        };
                        sum.deltas.insert(at, nothing);
                        at
                    }
                };
                sum.deltas[at].position += delta.position * share;
                sum.deltas[at].normal += delta.normal * share;
            }
        }
        let length = sum.normal.length();
        if length > 1.0e-6 {
            sum.normal /= length;
            for delta in &mut sum.deltas {
                delta.normal /= length;
            }
        }
        sum
    }

    /// The same vertex elsewhere: it moves as before.
    #[must_use]
    pub fn moved(&self, offset: Vec3) -> Self {
        Self {
            position: self.position + offset,
            ..self.clone()
        }
    }
}

/// Triangles that share a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it is, for people and for the steps that look for it.
    pub name: String,
    /// The surface.
    pub material: Material,
    /// Three vertices a triangle.
    pub indices: Vec<u32>,
}

/// One mesh with targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What it is, for people.
    pub name: String,
    /// Target names by slot.
    pub target_names: Vec<String>,
    /// The weights that the file asks for, one per target.
    pub start_weights: Vec<f32>,
    /// The vertices of all parts.
    pub vertices: Vec<Vertex>,
    /// The parts.
    pub parts: Vec<Part>,
    /// What the camera shows; `None` leaves it to the camera to find the head.
    pub focus: Option<Aabb>,
}

impl Figure {
    /// The part of that name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// Takes a part out; its vertices stay until [`keep`](Self::keep) finds them unused.
    pub fn take_part(&mut self, name: &str) -> Option<Part> {
        let at = self.parts.iter().position(|part| part.name == name)?;
        Some(self.parts.remove(at))
    }

    /// The corners of the triangles of a part.
    pub fn triangles<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = [&'a Vertex; 3]> {
        part.indices
            .chunks_exact(3)
            .map(|corners| [corners[0], corners[1], corners[2]].map(|corner| &self.vertices[corner as usize]))
    }

    /// Adds a vertex and returns its index.
    pub fn push(&mut self, vertex: Vertex) -> u32 {
        self.vertices.push(vertex);
        self.vertices.len() as u32 - 1
    }

    /// Keeps the triangles all of whose corners pass, then drops the vertices and parts that nothing uses.
    pub fn keep(&mut self, passes: impl Fn(&Vertex) -> bool) {
        let kept: Vec<bool> = self.vertices.iter().map(passes).collect();
        let mut used = vec![false; self.vertices.len()];
        for part in &mut self.parts {
            let inside = |corners: &&[u32]| corners.iter().all(|&corner| kept[corner as usize]);
            part.indices = part
                .indices
                .chunks_exact(3)
                .filter(inside)
                .flatten()
                .copied()
                .collect();
            for &index in &part.indices {
                used[index as usize] = true;
            }
        }
        let mut next = 0;
        let renamed: Vec<u32> = used
            .iter()
            .map(|&used| {
                let name = next;
                next += u32::from(used);
                name
            })
            .collect();
        let mut flags = used.iter();
        self.vertices.retain(|_| flags.next().is_some_and(|&used| used));
        for index in self.parts.iter_mut().flat_map(|part| &mut part.indices) {
            *index = renamed[*index as usize];
        }
        self.parts.retain(|part| !part.indices.is_empty());
    }

    /// Positions of all vertices.
    pub fn positions(&self) -> Vec<[f32; 3]> {
        self.vertices
            .iter()
            .map(|vertex| vertex.position.to_array())
            .collect()
    }

    /// The box around all vertices at rest.
    pub fn bounds(&self) -> Aabb {
        Aabb::of(&self.positions())
    }

    /// The rest pose, interleaved as the renderer draws it.
    pub fn rest(&self, layout: VertexLayout) -> Result<RestPose, RestError> {
        let normals: Vec<_> = self
            .vertices
            .iter()
            .map(|vertex| vertex.normal.to_array())
            .collect();
        RestPose::from_streams(
            layout,
            &self.positions(),
            Some(&normals),
            None,
            BaseNormals::MakeUnit,
        )
    }

    /// The targets by slot; one that moves nothing keeps its slot.
    pub fn targets(&self) -> Vec<MorphTarget> {
        let mut targets: Vec<MorphTarget> = self
            .target_names
            .iter()
            .map(|name| MorphTarget {
                positions: Some(Vec::new()),
                normals: Some(Vec::new()),
                ..MorphTarget::empty(name.as_str())
            })
            .collect();
        for (index, vertex) in self.vertices.iter().enumerate() {
            for delta in &vertex.deltas {
                if delta.position == Vec3::ZERO && delta.normal == Vec3::ZERO {
                    continue;
                }
                let target = &mut targets[delta.target as usize];
                target.vertices.push(index as u32);
                target
                    .positions
                    .get_or_insert_default()
                    .push(delta.position.to_array());
                target
                    .normals
                    .get_or_insert_default()
                    .push(delta.normal.to_array());
            }
        }
        targets
    }

    /// All indices, part after part, and where each part's run starts.
    pub fn index_runs(&self) -> (Vec<u32>, Vec<(u32, u32)>) {
        let mut indices = Vec::new();
        let mut runs = Vec::new();
        for part in &self.parts {
            runs.push((indices.len() as u32, part.indices.len() as u32));
            indices.extend_from_slice(&part.indices);
        }
        (indices, runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(x: f32, target: u32) -> Vertex {
        let delta = Delta {
            target,
            position: Vec3::X * x,
            normal: Vec3::Y,
        };
        Vertex {
            deltas: vec![delta],
            ..Vertex::still(Vec3::X * x, Vec3::Z)
        }
    }

    fn figure() -> Figure {
        let part = |name: &str, indices: Vec<u32>| Part {
            name: name.to_owned(),
            material: Material::CLAY,
            indices,
        };
        Figure {
            name: "test".to_owned(),
            target_names: vec!["a".to_owned(), "b".to_owned()],
            start_weights: vec![0.0; 2],
            vertices: (0..5).map(|index| vertex(index as f32, index % 2)).collect(),
            parts: vec![part("left", vec![0, 1, 2]), part("right", vec![2, 3, 4])],
            focus: None,
        }
    }

    #[test]
    fn a_crop_drops_triangles_vertices_and_parts() {
        let mut figure = figure();
        figure.keep(|vertex| vertex.position.x > 1.5);
        assert_eq!(figure.parts.len(), 1);
        assert_eq!(figure.parts[0].indices, [0, 1, 2]);
        assert_eq!(
            figure
                .vertices
                .iter()
                .map(|vertex| vertex.position.x)
                .collect::<Vec<_>>(),
            [2.0, 3.0, 4.0]
        );
    }

    #[test]
    fn a_blend_moves_as_its_parts_do() {
        let figure = figure();
        let blend = Vertex::blend(&[(&figure.vertices[1], 0.25), (&figure.vertices[2], 0.75)]);
        assert_eq!(blend.position.x, 1.75);
        assert_eq!(blend.deltas.len(), 2);
        assert_eq!((blend.deltas[0].target, blend.deltas[0].position.x), (0, 1.5));
        assert_eq!((blend.deltas[1].target, blend.deltas[1].position.x), (1, 0.25));
    }

    #[test]
    fn targets_are_sorted_by_slot_and_skip_what_does_not_move() {
        let targets = figure().targets();
        // Vertex 0 moves by nothing in position, but its normal turns.
        assert_eq!(targets[0].vertices, [0, 2, 4]);
        assert_eq!(targets[1].vertices, [1, 3]);
    }
}
