//! What a caller may choose about an import.

use std::path::PathBuf;

use morph_core::Thresholds;

use crate::error::ImportError;

/// What to read, and what to make where the file has none.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportOptions {
    /// What becomes of a damaged glTF or FBX file.
    pub on_damage: OnDamage,
    /// Read morph targets (the default). Without them every mesh comes with an empty target list.
    pub morphs: bool,
    /// MakeHuman only: `.target` and `.target.gz` files, or folders that are searched for them in sorted order.
    /// Empty means the folder `targets` beside the `.obj`.
    pub targets: Vec<PathBuf>,
    /// MakeHuman only: the groups of the `.obj` to read, each of which becomes a primitive, in this order.
    /// Empty means the group `body`.
    pub groups: Vec<String>,
    /// MakeHuman only: a rig for the base mesh, `rig.NAME.json`.
    ///
    /// Each bone becomes a node after that of the mesh, in the order of the file, and the mesh gets a skin. A bone's head
    /// lies where the rig says, mostly in the middle of a cube among the helpers of the base mesh; its default position
    /// serves where the mesh has no such cube. Its Y axis runs from head to tail and its roll is Blender's, as in what
    /// Blender exports. Bones are fitted to the mesh at rest: targets do not move them.
    pub rig: Option<PathBuf>,
    /// MakeHuman only: the weights of the rig. `None` means `weights.NAME.json` beside `rig.NAME.json`.
    ///
    /// The eight largest weights of a vertex are kept, and made to sum to one. A vertex that no bone holds stays at rest.
    pub rig_weights: Option<PathBuf>,
    /// Make base normals for primitives that have none, and normal deltas for targets that have none.
    ///
    /// A normal is the sum of the unit normals of the faces around a point, weighted by their angles there (Thürmer and
    /// Wüthrich, 1998). The faces are the file's polygons, all of one mesh are one surface, and vertices that have one
    /// position at rest and in every target are one point of it, unless the file gives them different normals.
    /// A normal delta is the unit normal of the mesh with that target at weight 1 minus that of the mesh at rest.
    /// What the file gives is never recomputed.
    pub generate_normals: bool,
    /// Whether nodes start at the weights that the file asks for, [`Mesh::default_weights`](crate::Mesh), or at zero.
    ///
    /// Without a choice they do for glTF and do not for FBX, whose exporters save whatever the sliders happened to show.
    pub start_at_file_weights: Option<bool>,
    /// FBX only: units and axes.
    pub space: Space,
    /// Make tangents for primitives that have normals and texture coordinates but no tangents, and tangent deltas for
    /// targets of such that have none.
    ///
    /// They are those of MikkTSpace (Mikkelsen, 2008) for texture coordinates 0. Corners of one vertex share their
    /// tangent, as vertices keep the order of the file. A tangent delta is the tangent of the mesh with that target at
    /// weight 1 minus that of the mesh at rest. What the file gives is never recomputed.
    pub generate_tangents: bool,
    /// By what all lengths are multiplied: positions and their deltas, and what nodes, skins and clips move by. 1 leaves
    /// metres; 100 makes centimetres. It has to be above zero and finite.
    pub scale: f32,
    /// The axis that points up in the model that is handed out.
    pub up: UpAxis,
    /// Leave a vertex out of a target if it moves by no more than this and turns by no more than
    /// [`direction_threshold`](Self::direction_threshold), as [`Thresholds`] has it. In the
    /// units that are handed out, after [`scale`](Self::scale); 0, the default, leaves everything as it is. A target of
    /// which nothing is left keeps its slot and name. It has to be finite and not negative.
    pub position_threshold: f32,
    /// The same for normal and tangent deltas, against a unit normal.
    pub direction_threshold: f32,
}

/// What becomes of a file with a damaged [`Part`](crate::Part).
///
/// Either way a file is refused that is cut off, lacks bytes, asks for files outside its folder or for more memory than
/// it can justify, has nodes that make no trees or stand nowhere, or is left with no mesh to show.
/// What nothing uses is never read, so damage there is not found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OnDamage {
    /// The part is left out with a [warning](crate::WarningKind::LeftOut), and the rest is read.
    #[default]
    LeaveOut,
    /// The file is refused at the first damage.
    Refuse,
}

/// The units and axes of what is read from an FBX file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// Metres, right-handed, Y up.
    ///
    /// Lengths are scaled in the data: positions, position deltas, translations and bind matrices. Directions, normal
    /// deltas among them, keep their length. Axes are turned by the transforms of the nodes below the root, so that a
    /// mesh's own space keeps the file's; a left-handed file is mirrored along its X axis, data and windings alike.
    #[default]
    Meters,
    /// The units and axes that the file has.
    File,
}

/// Which axis points up, in right-handed coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum UpAxis {
    /// Y, as in glTF; a character looks along Z.
    #[default]
    Y,
    /// Z; what was along Z is along -Y then.
    Z,
}

impl ImportOptions {
    /// Both thresholds.
    pub(crate) fn thresholds(&self) -> Thresholds {
        Thresholds {
            position: self.position_threshold,
            direction: self.direction_threshold,
        }
    }

    /// Refuses thresholds that mean nothing.
    pub(crate) fn check_thresholds(&self) -> Result<(), ImportError> {
        match self.thresholds().unusable() {
            Some((limit, value)) => Err(ImportError::Threshold { limit, value }),
            None => Ok(()),
        }
    }
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            on_damage: OnDamage::default(),
            morphs: true,
            targets: Vec::new(),
            groups: Vec::new(),
            rig: None,
            rig_weights: None,
            generate_normals: false,
            start_at_file_weights: None,
            space: Space::default(),
            generate_tangents: false,
            scale: 1.0,
            up: UpAxis::Y,
            position_threshold: 0.0,
            direction_threshold: 0.0,
        }
    }
}
