//! Where the picture is taken from, and where its light comes from.

use clap::ValueEnum;
use glam::Vec3;
use morph_core::Aabb;
use morph_render::{Camera, KeyLight, head_bounds};

/// What `--camera` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CameraChoice {
    /// The head where the model is a body whose targets move only its head, else all of it
    Auto,
    /// All of it, from a little to one side
    All,
    /// The head, from a little to one side
    Head,
    /// All of it, straight from the front
    Front,
    /// All of it, from its left
    Left,
    /// All of it, from its right
    Right,
    /// All of it, from behind
    Back,
    /// All of it, from above
    Top,
}

/// What a camera is placed by; everything in world space.
#[derive(Debug)]
pub(super) struct Sight<'a> {
    /// Every drawn vertex at rest.
    pub(super) rest: &'a [[f32; 3]],
    /// Around every drawn vertex, at rest and morphed.
    pub(super) bounds: Aabb,
    /// Around the vertices at rest that some target moves.
    pub(super) movable: Option<Aabb>,
}

/// A camera with its light.
#[derive(Debug)]
pub(super) struct View {
    pub(super) camera: Camera,
    pub(super) light: KeyLight,
    /// The largest side of what is in sight.
    pub(super) extent: f32,
}

/// From a little to one side and above, as portraits are taken.
const PORTRAIT: Vec3 = Vec3::new(0.2, 0.05, 1.0);

/// Places camera and light.
pub(super) fn view(choice: CameraChoice, sight: &Sight<'_>, aspect_ratio: f32) -> View {
    let head = head_bounds(sight.rest);
    let toward = match choice {
        CameraChoice::Auto if sight.moves_only(&head) => return head_view(sight, &head, aspect_ratio),
        CameraChoice::Head => return head_view(sight, &head, aspect_ratio),
        CameraChoice::Auto | CameraChoice::All => PORTRAIT,
        CameraChoice::Front => Vec3::Z,
        CameraChoice::Left => Vec3::X,
        CameraChoice::Right => Vec3::NEG_X,
        CameraChoice::Back => Vec3::NEG_Z,
        CameraChoice::Top => Vec3::Y,
    };
    let camera = Camera::framing(&sight.bounds, toward, Camera::PORTRAIT_FOV, aspect_ratio);
    lit(camera, sight.bounds)
}

/// The camera stands by the rest pose, so that pictures of several expressions can be laid side by side.
fn head_view(sight: &Sight<'_>, head: &Aabb, aspect_ratio: f32) -> View {
    // Shoulders catch and cast shadows too; the rest of a body would only make the texels of the map larger.
    lit(Camera::head(sight.rest, aspect_ratio), grown(head, 0.3))
}

fn lit(camera: Camera, shadow_bounds: Aabb) -> View {
    let toward = (camera.eye - camera.target).try_normalize().unwrap_or(Vec3::Z);
    let right = camera.up.cross(toward).try_normalize().unwrap_or(Vec3::X);
    let up = toward.cross(right);
    // The key of a portrait, which goes with the camera so that no view is of a dark side.
    let key = KeyLight::portrait(shadow_bounds).direction;
    let direction = right * key.x + up * key.y + toward * key.z;
    let light = KeyLight {
        direction,
        color: [1.0; 3],
        shadow_bounds: grown(&shadow_bounds, 0.01),
    };
    View {
        camera,
        light,
        extent: longest_side(&shadow_bounds),
    }
}

impl View {
    /// Whether no number of the view has overflowed.
    pub(super) fn is_finite(&self, aspect_ratio: f32) -> bool {
        let Aabb { min, max } = self.light.shadow_bounds;
        let bounds = [min, max];
        self.camera.matrices(aspect_ratio).view_projection().is_finite()
            && self.light.direction.is_finite()
            && self.extent.is_finite()
            && bounds.as_flattened().iter().all(|x| x.is_finite())
    }
}

impl Sight<'_> {
    /// Whether the model is more than this head, and yet nothing but the head can move.
    fn moves_only(&self, head: &Aabb) -> bool {
        let Some(movable) = &self.movable else {
            return false;
        };
        // Jaw and neck move a little below what counts as the head.
        let head_height = head.max[1] - head.min[1];
        let is_body = head.min[1] > self.bounds.min[1] + head_height;
        is_body && movable.min[1] > head.min[1] - 0.5 * head_height
    }
}

fn longest_side(bounds: &Aabb) -> f32 {
    (0..3)
        .map(|axis| bounds.max[axis] - bounds.min[axis])
        .fold(0.0, f32::max)
}

/// The box, larger on each side by a share of its longest side.
fn grown(bounds: &Aabb, share: f32) -> Aabb {
    let margin = longest_side(bounds) * share;
    Aabb {
        min: bounds.min.map(|x| x - margin),
        max: bounds.max.map(|x| x + margin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corners of a trunk, 0.5 wide and 1.5 tall, and of a head above it, 0.16 wide and 0.25 tall.
    const BODY: [[f32; 3]; 8] = [
        [-0.25, 0.0, -0.15],
        [0.25, 0.0, 0.15],
        [-0.25, 1.5, -0.15],
        [0.25, 1.5, 0.15],
        [-0.08, 1.52, -0.1],
        [0.08, 1.52, 0.1],
        [-0.08, 1.75, -0.1],
        [0.08, 1.75, 0.1],
    ];

    fn sight(movable_from: f32) -> Sight<'static> {
        let movable = Some(Aabb {
            min: [-0.1, movable_from, -0.1],
            max: [0.1, 1.75, 0.1],
        });
        Sight {
            rest: &BODY,
            bounds: Aabb::of(&BODY),
            movable,
        }
    }

    #[test]
    fn auto_looks_at_the_head_where_only_a_head_can_move() {
        let target = |sight: &Sight<'_>, choice| view(choice, sight, 1.0).camera.target.y;
        assert!(target(&sight(1.5), CameraChoice::Auto) > 1.5);
        assert!((target(&sight(0.5), CameraChoice::Auto) - 0.875).abs() < 0.01);
        assert!((target(&sight(1.5), CameraChoice::All) - 0.875).abs() < 0.01);
        assert!(target(&sight(0.5), CameraChoice::Head) > 1.5);
    }

    #[test]
    fn every_choice_lights_what_it_sees() {
        for choice in CameraChoice::value_variants() {
            let view = view(*choice, &sight(0.5), 1.5);
            let toward = view.camera.eye - view.camera.target;
            assert!(
                view.light.direction.is_finite() && view.light.direction.dot(toward) < 0.0,
                "{choice:?}"
            );
            assert!(
                view.camera.matrices(1.5).view_projection().is_finite(),
                "{choice:?}"
            );
        }
    }
}
