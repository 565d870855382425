//! Which places in the world can be drawn: beyond them 32-bit floats overflow in cameras, lights and shadows, and the
//! picture would be empty.

use glam::{Mat4, Vec3};
use morph_core::Aabb;

use crate::text::point;

/// The farthest from the origin that a vertex may lie, on every axis: its fourth power is still a number, and a model
/// that was scaled so far gave the same picture, where ten times as far it did not.
const FARTHEST: f32 = 1.0e9;
/// The smallest extent that can be looked at; a model a hundredth as large as this gave an empty picture.
const SMALLEST: f32 = 1.0e-9;
/// The largest number that a world matrix may hold: its determinant is still a number.
const LARGEST_IN_MATRIX: f32 = 1.0e12;

/// Why something cannot be drawn where it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Undrawable {
    /// A matrix that overflows.
    #[error(
        "the node's world matrix holds {value:e}, with the transforms of its parents: for drawing, no number of it \
         may be beyond {LARGEST_IN_MATRIX:e}; give these nodes smaller scales and translations"
    )]
    Matrix { value: f32 },
    /// A vertex that is too far away.
    #[error(
        "{what} lies at {} in the world: for drawing, it may be {FARTHEST:e} from the origin on each axis at most; \
         make the positions or the scale of the node smaller",
        point(*position)
    )]
    TooFar { what: String, position: [f32; 3] },
    /// Everything lies in one point, or nearly.
    #[error(
        "what is to be drawn is {extent:e} across in the world: it has to be {SMALLEST:e} at least; make the \
         positions or the scales of the nodes larger"
    )]
    TooSmall { extent: f32 },
    /// The arithmetic of a camera overflows all the same.
    #[error(
        "from {} to {} in the world is nothing that a camera can be placed before; bring the model nearer to the \
         origin, or make it larger",
        point(bounds.min),
        point(bounds.max)
    )]
    Camera { bounds: Aabb },
}

/// Checks the matrix of a node.
pub(crate) fn check_matrix(world: &Mat4) -> Result<(), Undrawable> {
    // Written so that NaN is found too.
    let fits = |value: &f32| value.abs() <= LARGEST_IN_MATRIX;
    match world.to_cols_array().into_iter().find(|value| !fits(value)) {
        Some(value) => Err(Undrawable::Matrix { value }),
        None => Ok(()),
    }
}

/// Checks places in the world; `what` says in front of a number which of them is too far.
pub(crate) fn check_positions(what: &str, positions: &[[f32; 3]]) -> Result<(), Undrawable> {
    let fits = |position: &[f32; 3]| position.iter().all(|x| x.abs() <= FARTHEST);
    match positions.iter().position(|position| !fits(position)) {
        Some(index) => Err(Undrawable::TooFar {
            what: format!("{what} {index}"),
            position: positions[index],
        }),
        None => Ok(()),
    }
}

/// Checks the size of all that is drawn, which is not empty.
pub(crate) fn check_extent(bounds: &Aabb) -> Result<(), Undrawable> {
    let extent = (Vec3::from(bounds.max) - Vec3::from(bounds.min)).max_element();
    if extent < SMALLEST {
        return Err(Undrawable::TooSmall { extent });
    }
    Ok(())
}

/// A place in world space.
pub(crate) fn to_world(world: &Mat4, position: [f32; 3]) -> [f32; 3] {
    world.transform_point3(Vec3::from(position)).to_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overflows_or_vanishes_is_refused() {
        for (scale, fits) in [(1.0, true), (1.0e11, true), (1.0e13, false), (f32::NAN, false)] {
            let matrix = Mat4::from_scale(Vec3::splat(scale));
            assert_eq!(check_matrix(&matrix).is_ok(), fits, "{scale}");
        }
        for (x, fits) in [
            (1.0e9, true),
            (-2.0e9, false),
            (f32::INFINITY, false),
            (f32::NAN, false),
        ] {
            assert_eq!(
                check_positions("vertex", &[[0.0; 3], [0.0, x, 0.0]]).is_ok(),
                fits,
                "{x}"
            );
        }
        for (x, fits) in [(1.0, true), (1.0e-8, true), (1.0e-10, false), (0.0, false)] {
            let bounds = Aabb {
                min: [0.0; 3],
                max: [0.0, x, 0.0],
            };
            assert_eq!(check_extent(&bounds).is_ok(), fits, "{x}");
        }
    }
}
