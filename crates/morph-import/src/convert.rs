//! Another unit and another upward axis for everything that has a length or a direction.

use glam::{Mat4, Quat, Vec3};
use morph_anim::{Channel, Clip, CurveError, Trs};
use morph_core::{AffineTransform, MeshParts, TransformError};

use crate::error::ImportError;
use crate::model::{Model, Primitive};
use crate::options::{ImportOptions, UpAxis};

/// Converts a whole model to the unit and the axes that the options ask for.
///
/// A change of coordinates that meshes, nodes, skins and clips share: each of them is as it was, seen in other
/// coordinates, so that no node carries the conversion.
pub(crate) fn convert(model: &mut Model, options: &ImportOptions) -> Result<(), ImportError> {
    let scale = options.scale;
    let refuse = || ImportError::Scale { scale };
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(refuse());
    }
    if scale == 1.0 && options.up == UpAxis::Y {
        return Ok(());
    }
    let axes = Axes {
        up: options.up,
        scale,
    };
    let transform = axes.transform().map_err(|_| refuse())?;
    let primitives = model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
    for primitive in primitives {
        convert_primitive(primitive, &transform);
    }
    for node in &mut model.nodes {
        node.local = axes.matrix(&node.local);
        node.trs = Trs {
            translation: axes.length(node.trs.translation),
            rotation: axes.rotation(node.trs.rotation),
            scale: axes.unsigned(node.trs.scale),
        };
    }
    for matrix in model.skins.iter_mut().flat_map(|skin| &mut skin.inverse_bind) {
        *matrix = axes.matrix(matrix);
    }
    for clip in &mut model.clips {
        convert_clip(clip, axes).map_err(|_| refuse())?;
    }
    if is_finite(model) { Ok(()) } else { Err(refuse()) }
}

fn convert_primitive(primitive: &mut Primitive, transform: &AffineTransform) {
    let mut parts = MeshParts {
        positions: &mut primitive.positions,
        normals: primitive.normals.as_deref_mut(),
        tangents: primitive.tangents.as_deref_mut(),
        // A turn and a scale of all axes leave windings as they are.
        triangles: &mut [],
        targets: &mut primitive.targets,
    };
    // What does not fit together, which no reader makes, stays as it is; the build refuses it by name.
    let _ = transform.apply(&mut parts);
}

fn convert_clip(clip: &mut Clip, axes: Axes) -> Result<(), CurveError> {
    for track in &mut clip.tracks {
        match &mut track.channel {
            Channel::Translation(curve) => {
                *curve = curve.map_linear(|value| axes.length(value.into()).to_array())?;
            }
            Channel::Rotation(curve) => {
                *curve = curve.map_linear(|value| axes.rotation(Quat::from_array(value)).to_array())?;
            }
            Channel::Scale(curve) => {
                *curve = curve.map_linear(|value| axes.unsigned(value.into()).to_array())?;
            }
            Channel::Weight { .. } => {}
        }
    }
    Ok(())
}

/// Whether no length became too large for a float. What a file has itself that is not finite counts too.
fn is_finite(model: &Model) -> bool {
    let finite = |values: &[[f32; 3]]| values.as_flattened().iter().all(|value| value.is_finite());
    let mut primitives = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
    primitives.all(|primitive| {
        let mut deltas = primitive
            .targets
            .iter()
            .filter_map(|target| target.positions.as_deref());
        finite(&primitive.positions) && deltas.all(finite)
    }) && model.nodes.iter().all(|node| node.local.is_finite())
        && model
            .skins
            .iter()
            .flat_map(|skin| &skin.inverse_bind)
            .all(Mat4::is_finite)
}

/// The new coordinates in terms of the old ones.
#[derive(Debug, Clone, Copy)]
struct Axes {
    up: UpAxis,
    scale: f32,
}

impl Axes {
    /// A direction. Turning by a right angle only swaps components, so nothing is rounded.
    fn direction(self, vector: Vec3) -> Vec3 {
        match self.up {
            UpAxis::Y => vector,
            UpAxis::Z => Vec3::new(vector.x, -vector.z, vector.y),
        }
    }

    fn length(self, vector: Vec3) -> Vec3 {
        self.direction(vector) * self.scale
    }

    /// Factors along the axes, which have no sense of direction.
    fn unsigned(self, factors: Vec3) -> Vec3 {
        match self.up {
            UpAxis::Y => factors,
            UpAxis::Z => Vec3::new(factors.x, factors.z, factors.y),
        }
    }

    fn rotation(self, rotation: Quat) -> Quat {
        let axis = self.direction(Vec3::new(rotation.x, rotation.y, rotation.z));
        Quat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }

    /// A transform between two spaces that are both converted: back to the old coordinates, through it, and forth.
    fn matrix(self, matrix: &Mat4) -> Mat4 {
        let column = |old: Vec3| {
            let turned = matrix.transform_vector3(old);
            self.direction(turned).extend(0.0)
        };
        let [x, y, z] = match self.up {
            UpAxis::Y => [Vec3::X, Vec3::Y, Vec3::Z],
            // What the new axes were: the new Y was -Z, and the new Z was Y.
            UpAxis::Z => [Vec3::X, Vec3::NEG_Z, Vec3::Y],
        };
        let moved = self.length(matrix.w_axis.truncate());
        let mut converted = Mat4::from_cols(column(x), column(y), column(z), moved.extend(matrix.w_axis.w));
        // The last row, where a file has something there, is kept.
        let last = Vec3::new(matrix.x_axis.w, matrix.y_axis.w, matrix.z_axis.w);
        converted.x_axis.w = last.dot(x);
        converted.y_axis.w = last.dot(y);
        converted.z_axis.w = last.dot(z);
        converted
    }

    fn transform(self) -> Result<AffineTransform, TransformError> {
        let column = |old: Vec3| self.length(old).extend(0.0).to_array();
        let columns = [
            column(Vec3::X),
            column(Vec3::Y),
            column(Vec3::Z),
            [0.0, 0.0, 0.0, 1.0],
        ];
        AffineTransform::from_columns(&columns)
    }
}
