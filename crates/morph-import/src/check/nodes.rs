//! Nodes and scenes: what the JSON says of them.

use glam::DMat4;

use super::object::{Need, Object};

/// How far from 1 the length of a rotation may be: slightly more than the rounding of signed 8-bit components.
pub(super) const UNIT_QUATERNION_TOLERANCE: f64 = 0.00769;

/// A node, as far as it could be read.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) camera: Option<u64>,
    pub(super) children: Option<Vec<Option<u64>>>,
    pub(super) skin: Option<u64>,
    pub(super) mesh: Option<u64>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) has_matrix: bool,
    /// Whether it moves, turns or scales anything.
    pub(super) has_transform: bool,
    /// Whether an extension or extras give it a meaning.
    pub(super) has_more: bool,
}

/// A scene, as far as it could be read.
#[derive(Debug)]
pub(super) struct Scene {
    pub(super) nodes: Option<Vec<Option<u64>>>,
}

impl Scene {
    pub(super) fn read(object: &mut Object<'_, '_>) -> Self {
        object.begin(&["nodes", "name"]);
        Scene {
            nodes: object.indices("nodes", Need::Optional),
        }
    }
}

impl Node {
    pub(super) fn read(object: &mut Object<'_, '_>) -> Self {
        object.begin(&[
            "camera",
            "children",
            "skin",
            "matrix",
            "mesh",
            "rotation",
            "scale",
            "translation",
            "weights",
            "name",
        ]);
        let any = (f64::NEG_INFINITY, f64::INFINITY);
        let matrix = object.floats("matrix", Some(16), any);
        let translation = object.floats("translation", Some(3), any);
        let rotation = object.floats("rotation", Some(4), (-1.0, 1.0));
        let scale = object.floats("scale", Some(3), any);
        if let Some(rotation) = &rotation {
            let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() > UNIT_QUATERNION_TOLERANCE {
                let message = format!("the rotation has length {length:.4}, it has to be 1");
                object.error("ROTATION_NON_UNIT", "rotation", message);
            }
        }
        let camera = object.index("camera", Need::Optional);
        let children = object.indices("children", Need::Optional);
        let mesh = object.index("mesh", Need::Optional);
        let skin = object.index("skin", Need::Optional);
        let weights = object.floats("weights", None, any);
        if mesh.is_none() {
            for (is_there, name) in [(skin.is_some(), "skin"), (weights.is_some(), "weights")] {
                if is_there {
                    let message = format!("`{name}` means nothing on a node without a mesh");
                    object.error("UNSATISFIED_DEPENDENCY", name, message);
                }
            }
        }
        let matrix_is_default = matrix.as_deref().is_none_or(is_identity);
        if let Some(matrix) = &matrix {
            if translation.is_some() || rotation.is_some() || scale.is_some() {
                let message = "a node has either a matrix, or translation, rotation and scale";
                object.error("NODE_MATRIX_TRS", "matrix", message);
            }
            if matrix_is_default {
                let message = "the matrix is the identity, which is what a node without one has";
                object.info("NODE_MATRIX_DEFAULT", "matrix", message);
            } else if !is_trs(matrix) {
                let message = "the matrix is not made of a translation, a rotation and a scale";
                object.error("NODE_MATRIX_NON_TRS", "matrix", message);
            }
        }
        let is = |values: &Option<Vec<f64>>, default: &[f64]| {
            values
                .as_deref()
                .is_none_or(|values| values.iter().zip(default).all(|(&x, &d)| x as f32 == d as f32))
        };
        let is_default = is(&translation, &[0.0; 3])
            && is(&rotation, &[0.0, 0.0, 0.0, 1.0])
            && is(&scale, &[1.0; 3])
            && matrix_is_default;
        let has_more = ["extensions", "extras"].iter().any(|name| object.has(name));
        Node {
            camera,
            children,
            skin,
            mesh,
            weights,
            has_matrix: matrix.is_some(),
            has_transform: !is_default,
            has_more,
        }
    }
}

fn is_identity(matrix: &[f64]) -> bool {
    let identity = DMat4::IDENTITY.to_cols_array();
    matrix
        .iter()
        .zip(&identity)
        .all(|(&found, &expected)| found as f32 == expected as f32)
}

/// Whether translation, rotation and scale can be taken out of a matrix and put together again.
fn is_trs(matrix: &[f64]) -> bool {
    /// How far apart the largest column sums of both may be.
    const TOLERANCE: f64 = 0.00005;
    let mut columns = [0.0; 16];
    for (column, &value) in columns.iter_mut().zip(matrix) {
        *column = f64::from(value as f32);
    }
    let matrix = DMat4::from_cols_array(&columns);
    if [columns[3], columns[7], columns[11], columns[15]] != [0.0, 0.0, 0.0, 1.0]
        || matrix.determinant() == 0.0
    {
        return false;
    }
    let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
    let again = DMat4::from_scale_rotation_translation(scale, rotation, translation);
    let norm = |matrix: DMat4| {
        let column_sum = |column: glam::DVec4| column.abs().element_sum();
        [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
            .into_iter()
            .map(column_sum)
            .fold(0.0, f64::max)
    };
    (norm(again) - norm(matrix)).abs() < TOLERANCE
}
