//! The node whose mesh is evaluated, and what poses it.

use morph_core::{NameTable, SkinPose};
use morph_import::Mesh;

use crate::args::EvalArgs;
use crate::console::Console;
use crate::error::CliError;
use crate::model::Loaded;
use crate::pose::PosedModel;
use crate::weights::{Asking, check};

/// Where in the scene and when in a clip a mesh is evaluated.
#[derive(Debug)]
pub(super) struct Moment<'a> {
    pub(super) posed: PosedModel<'a>,
    /// The node, where any shows the mesh.
    pub(super) node: Option<usize>,
    /// The bones, where the mesh is to be skinned.
    pub(super) bones: Option<SkinPose>,
}

impl<'a> Moment<'a> {
    pub(super) fn new(posed: PosedModel<'a>, args: &EvalArgs) -> Result<Self, CliError> {
        let node = find_node(posed.loaded, args)?;
        let placement = node.map(|node| posed.placement(node)).transpose()?;
        let bones = placement.and_then(|placement| placement.bones);
        if args.pose.skin && bones.is_none() {
            return Err(CliError::NoSkin {
                place: posed.loaded.mesh_place(args.mesh),
            });
        }
        Ok(Moment { posed, node, bones })
    }

    /// One weight per target of the mesh: those asked for, and the clip's for what it drives.
    ///
    /// Weights of a mesh with a rig are those of its controls.
    pub(super) fn weights(
        &self,
        index: usize,
        mesh: &Mesh,
        targets: &NameTable,
        console: &mut Console<'_>,
    ) -> Result<Vec<f32>, CliError> {
        let loaded = self.posed.loaded;
        let own = match self.node {
            // A node's own weights count where that node was meant; without a clip the mesh itself is.
            Some(node) if self.posed.moment.is_some() => loaded.model.start_weights(node),
            _ => &mesh.default_weights,
        };
        let asking = Asking {
            place: loaded.mesh_place(index),
            targets,
            rig: mesh.rig.as_ref(),
            own,
        };
        check(&self.posed.request.weights, std::slice::from_ref(&asking))?;
        self.posed.weights(index, self.node, &asking, console)
    }
}

/// The node that was asked for, else the first that shows the mesh, one with a skin before others where one is needed.
fn find_node(loaded: &Loaded, args: &EvalArgs) -> Result<Option<usize>, CliError> {
    let nodes = &loaded.model.nodes;
    let shows = |node: usize| nodes.get(node).is_some_and(|node| node.mesh == Some(args.mesh));
    if let Some(node) = args.node {
        if !shows(node) {
            return Err(CliError::NodeShowsNot {
                node,
                place: loaded.mesh_place(args.mesh),
                others: (0..nodes.len()).filter(|&node| shows(node)).collect(),
            });
        }
        return Ok(Some(node));
    }
    let mut showing = (0..nodes.len()).filter(|&node| shows(node));
    let first = showing.clone().next();
    let skinned = showing.find(|&node| nodes[node].skin.is_some());
    Ok(if args.pose.skin { skinned.or(first) } else { first })
}
