//! What an import yields: meshes with their targets, nodes, materials, skins and clips.

use glam::Mat4;
use morph_anim::{Clip, Trs};
use morph_core::rig::Rig;
use morph_core::{MorphTarget, SkinWeights, Thresholds};

use crate::expressions::ModelExpression;
use crate::warning::ImportWarning;

/// A model as read from a file.
///
/// Lengths are metres and Y is up, as in glTF, unless the options ask for others. Meshes, primitives and nodes keep the
/// order of the file, so their indices here are the indices in the file.
#[derive(Debug, Clone)]
pub struct Model {
    /// What kind of file it came from.
    pub format: Format,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The nodes of every scene of the file; a parent may come after its child.
    pub nodes: Vec<Node>,
    /// The skins.
    pub skins: Vec<Skin>,
    /// The animation clips. Their tracks call nodes by [`Node::id`] and targets by [`Mesh::target_names`].
    pub clips: Vec<Clip>,
    /// The expressions of an avatar (VRM); [`Model::expression_set`] gives a node its weights by them.
    pub expressions: Vec<ModelExpression>,
    /// What was odd in the file but provably harmless.
    pub warnings: Vec<ImportWarning>,
}

/// The kind of file that a model came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// glTF 2.0 as JSON text.
    Gltf,
    /// glTF 2.0 in the binary container.
    Glb,
    /// FBX, binary or text.
    Fbx,
    /// A MakeHuman base mesh with `.target` files.
    MakeHuman,
}

/// Primitives that share one list of targets and weights.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// The mesh's name, where it has one.
    pub name: Option<String>,
    /// The primitives; each has exactly as many targets as [`Mesh::target_names`] has names.
    pub primitives: Vec<Primitive>,
    /// The weights that the file asks for at rest, one per target; zero where the file says nothing.
    pub default_weights: Vec<f32>,
    /// The targets' names, distinct, in slot order. A target that the file does not name is called `target_0`, and so
    /// on by its slot.
    pub target_names: Vec<String>,
    /// How the weights of the file become those of targets, where one is not simply the weight of the target with its
    /// name (FBX: in-betweens, and full weights other than 100). Its controls are the file's channels, and clips drive
    /// them by their names; without a rig clips drive targets.
    pub rig: Option<Rig>,
}

impl Mesh {
    /// For each primitive the first one with the same vertices and targets: itself, or an earlier one.
    ///
    /// Files cut one surface into parts that way, each with indices and a material of its own. Such primitives can share
    /// one rest pose, one range of morphed vertices and one copy of the deltas.
    pub fn shared_vertices(&self) -> Vec<usize> {
        let same = |primitive: &Primitive| {
            self.primitives
                .iter()
                .position(|first| first.has_vertices_of(primitive))
        };
        let primitives = self.primitives.iter().enumerate();
        // A NaN would make a primitive differ from itself.
        primitives
            .map(|(index, primitive)| same(primitive).map_or(index, |first| first.min(index)))
            .collect()
    }
}

/// Vertices that are drawn together with one material.
#[derive(Debug, Clone)]
pub struct Primitive {
    /// The name, where the format has one (the group of an `.obj`).
    pub name: Option<String>,
    /// Positions in the mesh's own space; in the order of the POSITION accessor where the file is glTF.
    pub positions: Vec<[f32; 3]>,
    /// The control point that each vertex is a corner of, where the format tells the two apart (FBX, and the `v` lines
    /// of an `.obj`).
    pub source_points: Option<Vec<u32>>,
    /// Normals, one per vertex, as the file has them (not made unit).
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangents with the sign of the bitangent as the fourth component, one per vertex.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Texture coordinates by set, each one per vertex, with v pointing down as in glTF.
    pub texcoords: Vec<Vec<[f32; 2]>>,
    /// Linear colors by set, each one per vertex; opacity is 1 where the file has none.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// The bones that hold the vertices: indices into [`Skin::joints`] of the node's skin.
    pub skin_weights: Option<SkinWeights>,
    /// Indices of vertices, all below the vertex count, grouped as [`Primitive::topology`] says. Always filled: a
    /// primitive without indices gets 0, 1, 2, and so on; strips, fans and loops are written out as lists.
    pub indices: Vec<u32>,
    /// How [`Primitive::indices`] are grouped.
    pub topology: Topology,
    /// The targets by slot. One that moves nothing in this primitive is there and empty.
    pub targets: Vec<MorphTarget>,
    /// The material.
    pub material: Material,
}

impl Primitive {
    fn has_vertices_of(&self, other: &Primitive) -> bool {
        self.positions == other.positions
            && self.normals == other.normals
            && self.tangents == other.tangents
            && self.texcoords == other.texcoords
            && self.colors == other.colors
            && self.skin_weights == other.skin_weights
            && self.source_points == other.source_points
            && self.targets == other.targets
    }
}

/// How the indices of a primitive are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Each index is a point.
    Points,
    /// Each two indices are a line.
    Lines,
    /// Each three indices are a triangle.
    Triangles,
}

/// The plain factors of a metallic-roughness material; textures are not read.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The material's name, where it has one.
    pub name: Option<String>,
    /// Linear base color and opacity.
    pub base_color: [f32; 4],
    /// 0 is a dielectric, 1 a metal.
    pub metallic: f32,
    /// 0 is smooth, 1 is rough.
    pub roughness: f32,
    /// Back faces are drawn too.
    pub double_sided: bool,
}

impl Default for Material {
    /// The material that glTF prescribes where a primitive names none.
    fn default() -> Self {
        Self {
            name: None,
            base_color: [1.0; 4],
            metallic: 1.0,
            roughness: 1.0,
            double_sided: false,
        }
    }
}

/// A node of the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The node's name, where it has one.
    pub name: Option<String>,
    /// The index of the parent in [`Model::nodes`].
    pub parent: Option<usize>,
    /// The index of the mesh in [`Model::meshes`].
    pub mesh: Option<usize>,
    /// Weights of this node's own, one per target of its mesh; they stand before [`Mesh::default_weights`].
    pub weights: Option<Vec<f32>>,
    /// The transform into the parent's space.
    pub local: Mat4,
    /// The parts of [`Node::local`] that clips drive; where the file gives a matrix, what it comes nearest to.
    pub trs: Trs,
    /// The index of the skin in [`Model::skins`] that deforms the node's mesh.
    pub skin: Option<usize>,
    /// The name by which clips call the node, distinct within the model: its own, else `node_` and its index.
    pub id: String,
}

/// The bones of a skinned mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// The skin's name, where it has one.
    pub name: Option<String>,
    /// The bones: indices into [`Model::nodes`].
    pub joints: Vec<usize>,
    /// From the mesh's space at rest into each bone's own, one per joint.
    pub inverse_bind: Vec<Mat4>,
}

impl Model {
    /// The transform of a node into the space of the scene.
    ///
    /// # Panics
    /// Where `node` is not an index of [`Model::nodes`].
    pub fn world(&self, node: usize) -> Mat4 {
        let mut world = self.nodes[node].local;
        let mut parent = self.nodes[node].parent;
        // An import never yields a loop, but the fields are public: the count keeps a loop made later from hanging.
        let mut left = self.nodes.len();
        while let Some(index) = parent
            && left > 0
        {
            world = self.nodes[index].local * world;
            parent = self.nodes[index].parent;
            left -= 1;
        }
        world
    }

    /// Gives every node with a mesh weights of zero to start with; [`Mesh::default_weights`] stay as the file has them.
    pub(crate) fn start_at_zero(&mut self) {
        for node in &mut self.nodes {
            if let Some(mesh) = node.mesh.and_then(|mesh| self.meshes.get(mesh)) {
                node.weights = Some(vec![0.0; mesh.target_names.len()]);
            }
        }
    }

    /// Leaves out of all targets the vertices that exceed no threshold.
    pub(crate) fn thin(&mut self, thresholds: Thresholds) {
        let primitives = self.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
        for target in primitives.flat_map(|primitive| &mut primitive.targets) {
            thresholds.thin(target);
        }
    }

    /// The weights that a node starts with: its own, else its mesh's, else none.
    pub fn start_weights(&self, node: usize) -> &[f32] {
        let Some(node) = self.nodes.get(node) else {
            return &[];
        };
        match (&node.weights, node.mesh.and_then(|mesh| self.meshes.get(mesh))) {
            (Some(weights), _) => weights,
            (None, Some(mesh)) => &mesh.default_weights,
            (None, None) => &[],
        }
    }
}
