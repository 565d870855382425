//! Where and with which weights nodes show a mesh, now and where a motion starts.

use morph_core::{MorphMesh, MorphedStreams, NameTable, RestStreams, SkinWeights, morph};

use super::parts::Part;
use crate::console::Console;
use crate::error::CliError;
use crate::pose::{Placement, PosedModel, check_overflow, skinned};
use crate::text::quoted;
use crate::weights::{Asking, check};
use crate::world::to_world;

/// Once that a node shows a primitive.
#[derive(Debug)]
pub(super) struct Shown {
    /// The node that shows it, for messages; empty where none does.
    pub(super) node: String,
    pub(super) now: Stance,
    /// Where a motion starts.
    pub(super) start: Stance,
}

/// A mesh in its place, with weights.
#[derive(Debug, Clone)]
pub(super) struct Stance {
    /// Bones are there only for a primitive that has weights for them.
    pub(super) placement: Placement,
    pub(super) weights: Vec<f32>,
}

impl Stance {
    /// The vertices of a part in the world, at rest and morphed; bones carry both.
    pub(super) fn world_positions(&self, part: &Part) -> Result<[Vec<[f32; 3]>; 2], CliError> {
        // Normals would be carried for nothing.
        let rest = RestStreams {
            normals: None,
            ..part.rest.streams()
        };
        let morphed = self.morph(&part.place, &part.mesh, &rest)?;
        let rest = MorphedStreams {
            positions: rest.positions,
            normals: None,
            tangents: None,
        };
        Ok([self.carry(part, rest)?, self.carry(part, morphed)?])
    }

    fn morph(&self, place: &str, mesh: &MorphMesh, rest: &RestStreams) -> Result<MorphedStreams, CliError> {
        let morphed = morph(mesh, rest, &self.weights).map_err(|source| CliError::Kernel {
            place: place.to_owned(),
            source,
        })?;
        check_overflow(&morphed)?;
        Ok(morphed)
    }

    fn carry(&self, part: &Part, streams: MorphedStreams) -> Result<Vec<[f32; 3]>, CliError> {
        let streams = self.skin(&part.place, part.skin_weights.as_ref(), streams)?;
        let world = &self.placement.world;
        Ok(streams
            .positions
            .iter()
            .map(|&position| to_world(world, position))
            .collect())
    }

    /// Skins what was morphed, where there are bones.
    pub(super) fn skin(
        &self,
        place: &str,
        weights: Option<&SkinWeights>,
        morphed: MorphedStreams,
    ) -> Result<MorphedStreams, CliError> {
        match (&self.placement.bones, weights) {
            (Some(bones), Some(weights)) => skinned(place, &morphed, weights, bones),
            _ => Ok(morphed),
        }
    }
}

/// Finds out where nodes show each part, and with which weights; parts come with their meshes, those of a mesh together.
pub(super) fn place_instances(
    posed: &PosedModel<'_>,
    parts: &mut [(usize, Part)],
    console: &mut Console<'_>,
) -> Result<(), CliError> {
    let model = &posed.loaded.model;
    // The primitives of a mesh share names and weights, so the first of them speaks for all.
    let mut meshes: Vec<(usize, NameTable)> = Vec::new();
    for (mesh, part) in parts.iter() {
        if meshes.last().is_none_or(|(last, _)| last != mesh) {
            meshes.push((*mesh, part.mesh.names().clone()));
        }
    }
    let all: Vec<Asking<'_>> = meshes
        .iter()
        .map(|(mesh, targets)| Asking {
            place: posed.loaded.mesh_place(*mesh),
            targets,
            rig: model.meshes[*mesh].rig.as_ref(),
            own: &model.meshes[*mesh].default_weights,
        })
        .collect();
    check(&posed.request.weights, &all)?;
    let moves_from_own = !posed.request.is_empty();

    for ((mesh, _), asking) in meshes.iter().zip(all) {
        for place in places(posed, *mesh)? {
            let asking = Asking {
                own: place.own,
                ..asking.clone()
            };
            let weights = posed.weights(*mesh, place.index, &asking, console)?;
            let own = if moves_from_own {
                &place.own[..place.own.len().min(asking.targets.len())]
            } else {
                &[]
            };
            for (_, part) in parts.iter_mut().filter(|(it, _)| it == mesh) {
                let stance = |placement: &Placement, weights: &[f32]| Stance {
                    placement: Placement {
                        bones: placement.bones.clone().filter(|_| part.skin_weights.is_some()),
                        ..*placement
                    },
                    weights: weights.to_vec(),
                };
                let shown = Shown {
                    node: place.node.clone(),
                    now: stance(&place.now, &weights),
                    start: stance(&place.start, own),
                };
                part.shown.push(shown);
            }
        }
    }
    Ok(())
}

/// A place where a mesh is shown.
struct Place<'a> {
    index: Option<usize>,
    node: String,
    now: Placement,
    start: Placement,
    /// The weights that the file gives the mesh there.
    own: &'a [f32],
}

/// Where nodes show a mesh; once at the origin where none does.
fn places<'a>(posed: &PosedModel<'a>, mesh: usize) -> Result<Vec<Place<'a>>, CliError> {
    let model = &posed.loaded.model;
    let nodes = model.nodes.iter().enumerate();
    let placed = nodes
        .filter(|(_, node)| node.mesh == Some(mesh))
        .map(|(index, node)| {
            Ok(Place {
                index: Some(index),
                node: format!(", shown by node {index}{}", quoted(node.name.as_deref())),
                now: posed.placement(index)?,
                start: posed.rest_placement(index)?,
                own: model.start_weights(index),
            })
        })
        .collect::<Result<Vec<_>, CliError>>()?;
    if !placed.is_empty() {
        return Ok(placed);
    }
    let own = model.meshes.get(mesh).map(|mesh| mesh.default_weights.as_slice());
    Ok(vec![Place {
        index: None,
        node: String::new(),
        now: Placement::ORIGIN,
        start: Placement::ORIGIN,
        own: own.unwrap_or_default(),
    }])
}
