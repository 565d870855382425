//! What the passes draw: sizes to the texel, coverage that agrees, motion in pixels, and no NaN anywhere.

use glam::{Mat4, Vec3};
use morph_core::{Aabb, MorphTarget, Quantization};
use morph_render::{KeyLight, Material, Plane, RendererDesc, ViewMatrices};
use morph_tests::head::Head;
use morph_tests::recipe::Cooked;

use crate::stage::{LAYOUT, Shot, Stage, cook};
use crate::support::{METHODS, on_every_driver};

/// Half of what the pictures show: 8 units on 256 pixels, 32 pixels a unit.
const HALF: f32 = 4.0;
const SIDE: u32 = 256;
const PIXELS_A_UNIT: f32 = SIDE as f32 / (2.0 * HALF);

fn desc() -> RendererDesc {
    RendererDesc {
        supersampling: 1,
        shadow_map_size: SIDE,
        ..RendererDesc::new((SIDE, SIDE), LAYOUT)
    }
}

/// Camera and light look along -z at the same square, without perspective.
fn straight_on() -> Shot {
    let light = KeyLight {
        direction: Vec3::NEG_Z,
        color: [1.0; 3],
        shadow_bounds: Aabb {
            min: [-HALF; 3],
            max: [HALF; 3],
        },
    };
    // The view of a light that travels along -z is the world itself.
    let projection = light.view_projection();
    Shot {
        view: ViewMatrices {
            view: Mat4::IDENTITY,
            projection,
            previous_view_projection: projection,
        },
        light,
    }
}

/// A cube from -1 to 1 with hard edges, and one target that at weight w scales it by 1 + w.
fn cube() -> (Cooked, Vec<u32>) {
    let (mut positions, mut normals, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0_f32, 1.0] {
            let first = positions.len() as u32;
            for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let mut position = [0.0; 3];
                position[axis] = side;
                // Mirrored on the negative side, so that all faces look outward.
                position[(axis + 1) % 3] = u * side;
                position[(axis + 2) % 3] = v;
                let mut normal = [0.0; 3];
                normal[axis] = side;
                positions.push(position);
                normals.push(normal);
            }
            indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
    }
    let scale = MorphTarget::from_dense("scale", Some(&positions), None, None);
    (cook(&positions, &normals, &[scale], Quantization::Half), indices)
}

fn head(quantization: Quantization) -> (Cooked, Vec<u32>) {
    let head = Head::new();
    (
        cook(&head.positions, &head.normals, &head.targets, quantization),
        head.indices,
    )
}

/// Where something was drawn.
fn covered(plane: &Plane<f32>) -> Vec<bool> {
    plane.values.iter().map(|depth| *depth < 1.0).collect()
}

/// First and end of the covered columns and rows, with every texel between covered and none beside.
fn rectangle(plane: &Plane<f32>) -> Option<[u32; 4]> {
    let covered = covered(plane);
    let is_covered = |x: u32, y: u32| covered[(y * plane.width + x) as usize];
    let columns: Vec<u32> = (0..plane.width)
        .filter(|x| (0..plane.height).any(|y| is_covered(*x, y)))
        .collect();
    let rows: Vec<u32> = (0..plane.height)
        .filter(|y| (0..plane.width).any(|x| is_covered(x, *y)))
        .collect();
    let (left, right) = (*columns.first()?, *columns.last()? + 1);
    let (top, bottom) = (*rows.first()?, *rows.last()? + 1);
    let whole = (top..bottom).all(|y| (left..right).all(|x| is_covered(x, y)));
    assert!(whole, "the shadow of a cube is a whole rectangle");
    Some([left, top, right, bottom])
}

#[test]
fn the_shadow_of_a_cube_scales_with_its_target_to_the_texel() {
    let (cooked, indices) = cube();
    for method in METHODS {
        on_every_driver(|driver, device| {
            let mut stage = Stage::new(device, method, false, &desc());
            let mesh = stage.add_mesh(&cooked, &indices);
            let cube = stage.attach(mesh, Mat4::IDENTITY, Material::CLAY);
            for weight in [0.0_f32, 1.0, 0.5, 2.0, -0.5, 0.25, -0.75, 0.03125, 3.0] {
                stage.set_weights(cube, &[weight]);
                stage.draw(straight_on());
                // At rest the cube takes 64 texels; these weights leave its edges between texels.
                let side = 64.0 * (1.0 + weight);
                assert_eq!(side % 2.0, 0.0);
                let first = (SIDE - side as u32) / 2;
                let end = SIDE - first;
                let shadow = stage.renderer.read_shadow().unwrap();
                let context = format!("{method:?} on {}, weight {weight}", driver.name());
                assert_eq!(rectangle(&shadow), Some([first, first, end, end]), "{context}");
                // The camera sees the same cube, because it draws the same range.
                let depth = stage.renderer.read_depth().unwrap();
                assert_eq!(rectangle(&depth), Some([first, first, end, end]), "{context}");
            }
            // An edge within a texel covers it where it covers its center; all edges here are a tenth of a texel or more away
            // from one.
            for weight in [0.3_f32, 0.6, -0.18] {
                stage.set_weights(cube, &[weight]);
                stage.draw(straight_on());
                let half = PIXELS_A_UNIT * (1.0 + weight);
                let covered = (0..SIDE)
                    .filter(|x| (*x as f32 + 0.5 - SIDE as f32 / 2.0).abs() < half)
                    .count() as u32;
                let [left, top, right, bottom] = rectangle(&stage.renderer.read_shadow().unwrap()).unwrap();
                assert_eq!([right - left, bottom - top], [covered; 2], "weight {weight}");
            }
            // Scaled to nothing, there is nothing.
            stage.set_weights(cube, &[-1.0]);
            stage.draw(straight_on());
            assert_eq!(rectangle(&stage.renderer.read_shadow().unwrap()), None);
        });
    }
}

#[test]
fn four_passes_cover_the_same_samples_of_a_morphed_head() {
    let (cooked, indices) = head(Quantization::Half);
    for method in METHODS {
        on_every_driver(|driver, device| {
            let mut stage = Stage::new(device, method, true, &desc());
            let mesh = stage.add_mesh(&cooked, &indices);
            let actor = stage.attach(mesh, Mat4::from_scale(Vec3::splat(2.5)), Material::SKIN);
            stage.set_weights(actor, &[0.2, 0.1, 0.0, 0.3]);
            stage.draw(straight_on());
            for weights in [[1.0, 0.0, 0.0, 0.0], [0.3, 1.0, -0.5, 2.0], [-0.4, 0.2, 1.5, 0.0]] {
                stage.set_weights(actor, &weights);
                stage.draw(straight_on());
                let depth = stage.renderer.read_depth().unwrap();
                let expected = covered(&depth);
                let count = expected.iter().filter(|it| **it).count();
                assert!(count > 10_000, "the head fills the picture: {count}");
                let context = format!("{method:?} on {}, {weights:?}", driver.name());
                let alpha = |plane: Plane<[f32; 4]>| -> Vec<bool> {
                    plane.values.iter().map(|it| it[3] > 0.5).collect()
                };
                assert!(
                    alpha(stage.renderer.read_color_samples().unwrap()) == expected,
                    "color, {context}"
                );
                assert!(
                    alpha(stage.renderer.read_normal().unwrap()) == expected,
                    "normal, {context}"
                );
                // The light sees what the camera sees, so its map is the depth pre-pass to the bit.
                let shadow = stage.renderer.read_shadow().unwrap();
                assert!(shadow.values == depth.values, "shadow, {context}");
                let motion = stage.renderer.read_motion().unwrap();
                let mut moving = motion
                    .values
                    .iter()
                    .zip(&expected)
                    .filter(|(it, _)| **it != [0.0; 2]);
                assert!(moving.clone().count() > 500, "motion, {context}");
                assert!(
                    moving.all(|(_, covered)| *covered),
                    "motion beside the head, {context}"
                );
            }
        });
    }
}

#[test]
fn b147_motion_is_drawn_in_pixels_and_only_in_the_frame_of_the_change() {
    // A head whose target moves all of it: one unit to the right and half a unit up.
    let head = Head::new();
    let shift = MorphTarget::from_dense(
        "shift",
        Some(&vec![[1.0, 0.5, 0.0]; head.positions.len()]),
        None,
        None,
    );
    let cooked = cook(&head.positions, &head.normals, &[shift], Quantization::F32);
    for method in METHODS {
        on_every_driver(|_, device| {
            let mut stage = Stage::new(device, method, true, &desc());
            let mesh = stage.add_mesh(&cooked, &head.indices);
            let actor = stage.attach(mesh, Mat4::IDENTITY, Material::CLAY);
            for (frame, weight) in [0.25_f32, 0.25, 0.75, 0.75, 0.75, -0.25].into_iter().enumerate() {
                stage.set_weights(actor, &[weight]);
                stage.draw(straight_on());
                let moved = match frame {
                    2 => 0.5,
                    5 => -1.0,
                    // The first frame too: nobody saw where the head came from.
                    _ => 0.0,
                };
                // Down the picture is positive.
                let expected = [moved * PIXELS_A_UNIT, -0.5 * moved * PIXELS_A_UNIT];
                let depth = stage.renderer.read_depth().unwrap();
                let motion = stage.renderer.read_motion().unwrap();
                for (motion, is_covered) in motion.values.iter().zip(covered(&depth)) {
                    let expected = if is_covered { expected } else { [0.0; 2] };
                    let off = (motion[0] - expected[0])
                        .abs()
                        .max((motion[1] - expected[1]).abs());
                    assert!(off < 2.0e-3, "frame {frame}: {motion:?} instead of {expected:?}");
                }
            }
        });
    }
}

#[test]
fn b115_b116_canceled_and_missing_normals_give_finite_colors() {
    let mut head = Head::new();
    // Apexes without a normal, as a cone has.
    for normal in head.normals.iter_mut().step_by(7) {
        *normal = [0.0; 3];
    }
    let canceling: Vec<[f32; 3]> = head.normals.iter().map(|normal| normal.map(|it| -it)).collect();
    let cancel = MorphTarget::from_dense("cancel", None, Some(&canceling), None);
    let cooked = cook(&head.positions, &head.normals, &[cancel], Quantization::F32);
    for method in METHODS {
        on_every_driver(|driver, device| {
            let mut stage = Stage::new(device, method, true, &desc());
            let mesh = stage.add_mesh(&cooked, &head.indices);
            let actor = stage.attach(mesh, Mat4::from_scale(Vec3::splat(2.5)), Material::SKIN);
            for weight in [0.0, 1.0, 0.999_999, 0.5] {
                stage.set_weights(actor, &[weight]);
                stage.draw(straight_on());
                let context = format!("{method:?} on {}, weight {weight}", driver.name());
                let color = stage.renderer.read_color_samples().unwrap();
                assert!(
                    color.values.as_flattened().iter().all(|it| it.is_finite()),
                    "color, {context}"
                );
                let normal = stage.renderer.read_normal().unwrap();
                assert!(
                    normal.values.as_flattened().iter().all(|it| it.is_finite()),
                    "normal, {context}"
                );
                let motion = stage.renderer.read_motion().unwrap();
                assert!(
                    motion.values.as_flattened().iter().all(|it| it.is_finite()),
                    "motion, {context}"
                );
                let drawn = normal.values.iter().filter(|it| it[3] > 0.5);
                let zeros = drawn.clone().filter(|it| it[..3] == [0.0; 3]).count();
                if weight == 1.0 {
                    assert_eq!(
                        zeros,
                        drawn.count(),
                        "a canceled normal is drawn as none, {context}"
                    );
                } else if weight == 0.5 {
                    assert!(
                        zeros * 10 < drawn.count(),
                        "half a normal still has its direction, {context}"
                    );
                }
            }
        });
    }
}

#[test]
fn an_instance_is_drawn_where_its_range_is_whatever_lies_before_it() {
    let (cooked, indices) = cube();
    on_every_driver(|_, device| {
        let mut pictures = Vec::new();
        for filler in [0, 3] {
            let mut stage = Stage::new(device, METHODS[0], false, &desc());
            let mesh = stage.add_mesh(&cooked, &indices);
            for _ in 0..filler {
                let hidden = stage.attach(mesh, Mat4::IDENTITY, Material::CLAY);
                stage.set_weights(hidden, &[3.0]);
                stage.draw(straight_on());
                stage.set_visible(hidden, false);
            }
            let cube = stage.attach(mesh, Mat4::IDENTITY, Material::CLAY);
            stage.set_weights(cube, &[0.5]);
            stage.draw(straight_on());
            pictures.push(stage.renderer.read_color_samples().unwrap());
        }
        assert!(pictures[0] == pictures[1]);
    });
}
