//! What each pass shows of shapes whose pixels can be counted.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::{Meshes, STAGE, Shape, draw, exact, frame, on_every_driver, straight_view};
use glam::{Mat4, Vec3};
use morph_core::VertexLayout;
use morph_render::{Background, Camera, DrawItem, Frame, KeyLight, Material, Pass, PassSet, Plane, Renderer};

const LAYOUT: VertexLayout = VertexLayout::POSITION_NORMAL;

/// Columns and rows that a predicate holds in: first and one past the last.
fn extent_of<T: Copy>(plane: &Plane<T>, holds: impl Fn(T) -> bool) -> Option<[u32; 4]> {
    let mut found: Option<[u32; 4]> = None;
    for y in 0..plane.height {
        for x in 0..plane.width {
            if plane.get(x, y).is_some_and(&holds) {
                let [left, top, right, bottom] = found.unwrap_or([x, y, x, y]);
                found = Some([left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)]);
            }
        }
    }
    found
}

fn count<T: Copy>(plane: &Plane<T>, holds: impl Fn(T) -> bool) -> usize {
    plane.values.iter().filter(|value| holds(**value)).count()
}

/// The divisions of a real device may be off in the last bits.
fn close(motion: Option<[f32; 2]>, expected: [f32; 2]) {
    let [x, y] = motion.unwrap();
    assert!(
        (x - expected[0]).abs() < 1.0e-4 && (y - expected[1]).abs() < 1.0e-4,
        "{x} {y}, not {expected:?}"
    );
}

#[test]
fn every_camera_pass_covers_the_same_samples() {
    on_every_driver(|device| {
        let cube = Shape::cuboid(Vec3::splat(0.6));
        let ball = Shape::ball(0.7, 24);
        let meshes = Meshes::new(device, &LAYOUT, &[&cube, &ball]);
        let turned = Mat4::from_rotation_y(0.7) * Mat4::from_rotation_x(0.5);
        let items = [
            DrawItem {
                model: Mat4::from_translation(Vec3::new(-0.5, 0.2, 0.3)) * turned,
                ..meshes.item(0)
            },
            DrawItem {
                model: Mat4::from_translation(Vec3::new(0.6, -0.1, -0.2)),
                ..meshes.item(1)
            },
        ];
        let camera = Camera::framing(&STAGE, Vec3::new(0.3, 0.4, 1.0), 0.6, 1.0);
        let mut renderer = Renderer::new(device, &exact((160, 160), LAYOUT)).unwrap();
        draw(
            device,
            &mut renderer,
            &Frame {
                view: camera.matrices(1.0),
                ..frame(&items)
            },
        );

        let depth = renderer.read_depth().unwrap();
        let color = renderer.read_color_samples().unwrap();
        let normal = renderer.read_normal().unwrap();
        let drawn = count(&depth, |depth| depth < 1.0);
        assert!(drawn > 2000, "{drawn} samples");
        for (index, depth) in depth.values.iter().enumerate() {
            let expected = if *depth < 1.0 { 1.0 } else { 0.0 };
            assert_eq!(color.values[index][3], expected, "color at sample {index}");
            assert_eq!(normal.values[index][3], expected, "normal at sample {index}");
        }
    });
}

#[test]
fn a_cube_covers_exactly_its_samples() {
    on_every_driver(|device| {
        let meshes = Meshes::new(device, &LAYOUT, &[&Shape::cuboid(Vec3::new(1.0, 0.5, 0.25))]);
        let mut renderer = Renderer::new(device, &exact((64, 64), LAYOUT)).unwrap();
        draw(device, &mut renderer, &frame(&[meshes.item(0)]));
        let depth = renderer.read_depth().unwrap();
        assert_eq!(extent_of(&depth, |depth| depth < 1.0), Some([16, 24, 48, 40]));
        assert_eq!(count(&depth, |depth| depth < 1.0), 32 * 16);
        // The front face stands at z = 0.25, 3.75 from the camera, and near and far are 1 and 7.
        let expected = (3.75 - 1.0) / 6.0;
        assert!((depth.get(32, 32).unwrap() - expected).abs() < 1.0e-6);

        let normal = renderer.read_normal().unwrap();
        assert_eq!(normal.get(32, 32), Some([0.0, 0.0, 1.0, 1.0]));
    });
}

#[test]
fn the_shadow_of_a_cube_scales_to_the_texel() {
    on_every_driver(|device| {
        let unit = Shape::cuboid(Vec3::splat(0.5));
        let scaled = unit.clone().map(|position| position * Vec3::new(2.5, 1.5, 1.0));
        let meshes = Meshes::new(device, &LAYOUT, &[&unit, &scaled]);
        let mut renderer = Renderer::new(device, &exact((16, 16), LAYOUT)).unwrap();
        let mut rectangle = |shape| {
            draw(device, &mut renderer, &frame(&[meshes.item(shape)]));
            let shadow = renderer.read_shadow().unwrap();
            let [left, top, right, bottom] = extent_of(&shadow, |depth| depth < 1.0).unwrap();
            assert_eq!(
                count(&shadow, |depth| depth < 1.0) as u32,
                (right - left) * (bottom - top),
                "a filled rectangle"
            );
            [left, top, right, bottom]
        };
        // 256 texels over 4 units.
        assert_eq!(rectangle(0), [96, 96, 160, 160]);
        assert_eq!(rectangle(1), [48, 80, 208, 176]);
    });
}

#[test]
fn what_stands_still_has_no_motion_at_all() {
    on_every_driver(|device| {
        let ball = Shape::ball(1.6, 16);
        // The same shape twice: the previous range is another one with the same bytes.
        let meshes = Meshes::new(device, &LAYOUT, &[&ball, &ball]);
        let camera = Camera::framing(&STAGE, Vec3::new(0.3, 0.4, 1.0), 0.6, 1.0);
        let mut renderer = Renderer::new(device, &exact((64, 64), LAYOUT)).unwrap();
        let item = meshes.moving(0, 1);
        draw(
            device,
            &mut renderer,
            &Frame {
                view: camera.matrices(1.0),
                ..frame(&[item])
            },
        );
        let motion = renderer.read_motion().unwrap();
        assert!(motion.values.iter().all(|motion| *motion == [0.0, 0.0]));
        assert!(count(&renderer.read_depth().unwrap(), |depth| depth < 1.0) > 500);
    });
}

#[test]
fn motion_is_the_way_from_the_previous_place_in_pixels() {
    on_every_driver(|device| {
        let cube = Shape::cuboid(Vec3::splat(0.5));
        // One frame ago it was 0.25 to the left and 0.125 below.
        let before = cube
            .clone()
            .map(|position| position - Vec3::new(0.25, 0.125, 0.0));
        let meshes = Meshes::new(device, &LAYOUT, &[&cube, &before]);
        for supersampling in [1, 2] {
            let desc = morph_render::RendererDesc {
                supersampling,
                ..exact((64, 64), LAYOUT)
            };
            let mut renderer = Renderer::new(device, &desc).unwrap();
            let center = 32 * supersampling;

            // By its vertices: 16 pixels a unit, up is negative.
            draw(device, &mut renderer, &frame(&[meshes.moving(0, 1)]));
            let motion = renderer.read_motion().unwrap();
            close(motion.get(center, center), [4.0, -2.0]);
            assert_eq!(motion.get(1, 1), Some([0.0, 0.0]), "nothing there");

            // By its model matrix.
            let item = DrawItem {
                previous_model: Mat4::from_translation(Vec3::new(0.5, 0.0, 0.0)),
                ..meshes.item(0)
            };
            draw(device, &mut renderer, &frame(&[item]));
            close(renderer.read_motion().unwrap().get(center, center), [-8.0, 0.0]);

            // By the camera: it was 0.25 further left, so the cube stood 0.25 further right.
            let mut moved = frame(&[]);
            let item = [meshes.item(0)];
            moved.items = &item;
            moved.view.previous_view_projection *= Mat4::from_translation(Vec3::new(0.25, 0.0, 0.0));
            draw(device, &mut renderer, &moved);
            close(renderer.read_motion().unwrap().get(center, center), [-4.0, 0.0]);
        }
    });
}

#[test]
fn flat_normals_stand_in_where_the_layout_has_none() {
    on_every_driver(|device| {
        let cube = Shape::cuboid(Vec3::splat(0.8));
        let turned = Mat4::from_rotation_y(0.6) * Mat4::from_rotation_x(0.4);
        let normals = |layout| {
            let meshes = Meshes::new(device, &layout, &[&cube]);
            let mut renderer = Renderer::new(device, &exact((64, 64), layout)).unwrap();
            draw(
                device,
                &mut renderer,
                &frame(&[DrawItem {
                    model: turned,
                    ..meshes.item(0)
                }]),
            );
            renderer.read_normal().unwrap()
        };
        let given = normals(VertexLayout::PACKED);
        let flat = normals(VertexLayout::POSITION);
        let mut compared = 0;
        for (given, flat) in given.values.iter().zip(&flat.values) {
            assert_eq!(given[3], flat[3]);
            if given[3] > 0.0 {
                compared += 1;
                for axis in 0..3 {
                    assert!((given[axis] - flat[axis]).abs() < 4.0e-3, "{given:?} {flat:?}");
                }
            }
        }
        assert!(compared > 800);
    });
}

#[test]
fn canceled_and_broken_normals_leave_no_hole_and_no_nan() {
    on_every_driver(|device| {
        let cube = Shape::cuboid(Vec3::splat(1.0));
        for normal in [
            Vec3::ZERO,
            Vec3::splat(1.0e-5),
            Vec3::NAN,
            Vec3::INFINITY,
            Vec3::splat(f32::MAX),
            Vec3::splat(f32::from_bits(1)),
        ] {
            let meshes = Meshes::new(device, &LAYOUT, &[&cube.clone().with_normals(normal)]);
            let mut renderer = Renderer::new(device, &exact((32, 32), LAYOUT)).unwrap();
            draw(device, &mut renderer, &frame(&[meshes.item(0)]));
            let color = renderer.read_color_samples().unwrap();
            let [red, green, blue, coverage] = color.get(16, 16).unwrap();
            assert!(
                color.values.iter().flatten().all(|value| value.is_finite()),
                "{normal}"
            );
            assert_eq!(coverage, 1.0, "{normal}");
            assert!(
                red > 0.01 && green > 0.01 && blue > 0.01,
                "{normal}: {red} {green} {blue}"
            );
            if normal.length() < 1.0e-4 || !normal.is_finite() {
                assert_eq!(
                    renderer.read_normal().unwrap().get(16, 16),
                    Some([0.0, 0.0, 0.0, 1.0]),
                    "{normal}"
                );
            }
        }
    });
}

#[test]
fn the_safe_normalize_keeps_short_normals_above_its_limit() {
    on_every_driver(|device| {
        for (length, expected) in [(2.0e-4, 1.0), (0.9e-4, 0.0), (1.0e19, 1.0)] {
            let shape = Shape::rectangle(Vec3::new(1.0, 1.0, 0.0)).with_normals(Vec3::Z * length);
            let meshes = Meshes::new(device, &LAYOUT, &[&shape]);
            let mut renderer = Renderer::new(device, &exact((16, 16), LAYOUT)).unwrap();
            // The scale of a model must not count as the length of its normal.
            let model = Mat4::from_scale(Vec3::new(0.01, 0.01, 0.01));
            for item in [
                meshes.item(0),
                DrawItem {
                    model,
                    ..meshes.item(0)
                },
            ] {
                let near = Mat4::from_scale(Vec3::new(50.0, 50.0, 1.0));
                let mut view = straight_view();
                if item.model == model {
                    view.projection = near * view.projection;
                }
                draw(
                    device,
                    &mut renderer,
                    &Frame {
                        view,
                        ..frame(&[item])
                    },
                );
                let normal = renderer.read_normal().unwrap().get(8, 8).unwrap();
                assert_eq!(normal, [0.0, 0.0, expected, 1.0], "length {length}");
            }
        }
    });
}

#[test]
fn back_faces_are_culled_unless_the_material_has_two_sides() {
    on_every_driver(|device| {
        let meshes = Meshes::new(device, &LAYOUT, &[&Shape::rectangle(Vec3::new(1.0, 1.0, 0.0))]);
        let mut renderer = Renderer::new(device, &exact((32, 32), LAYOUT)).unwrap();
        let away = Mat4::from_rotation_y(std::f32::consts::PI);
        let two_sided = Material {
            double_sided: true,
            ..Material::CLAY
        };
        let mut covered = |item: DrawItem| {
            draw(device, &mut renderer, &frame(&[item]));
            let samples = count(&renderer.read_depth().unwrap(), |depth| depth < 1.0);
            (samples, renderer.read_normal().unwrap().get(16, 16).unwrap())
        };
        let toward = [0.0, 0.0, 1.0, 1.0];
        assert_eq!(covered(meshes.item(0)), (256, toward));
        assert_eq!(
            covered(DrawItem {
                model: away,
                ..meshes.item(0)
            })
            .0,
            0
        );
        let (samples, normal) = covered(DrawItem {
            model: away,
            material: two_sided,
            ..meshes.item(0)
        });
        assert_eq!(samples, 256);
        assert!(normal[2] > 0.999, "the back is lit as a front: {normal:?}");
        // A mirror turns the winding around, and the face with it stays in sight.
        let mirrored = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        assert_eq!(
            covered(DrawItem {
                model: mirrored,
                ..meshes.item(0)
            }),
            (256, toward)
        );
    });
}

#[test]
fn a_range_without_indices_draws_its_vertices_as_they_come() {
    on_every_driver(|device| {
        let cube = Shape::cuboid(Vec3::splat(0.7));
        let loose = Shape {
            positions: cube
                .indices
                .iter()
                .map(|index| cube.positions[*index as usize])
                .collect(),
            normals: cube
                .indices
                .iter()
                .map(|index| cube.normals[*index as usize])
                .collect(),
            indices: vec![0],
        };
        let meshes = Meshes::new(device, &LAYOUT, &[&cube, &loose]);
        let mut renderer = Renderer::new(device, &exact((32, 32), LAYOUT)).unwrap();
        let model = Mat4::from_rotation_y(0.5);
        draw(
            device,
            &mut renderer,
            &frame(&[DrawItem {
                model,
                ..meshes.item(0)
            }]),
        );
        let indexed = renderer.read_depth().unwrap();
        let item = DrawItem {
            model,
            index_buffer: ash::vk::Buffer::null(),
            index_count: 0,
            ..meshes.item(1)
        };
        draw(device, &mut renderer, &frame(&[item]));
        assert_eq!(renderer.read_depth().unwrap(), indexed);
    });
}

#[test]
fn the_shadow_map_darkens_what_lies_behind() {
    on_every_driver(|device| {
        let wall = Shape::rectangle(Vec3::new(2.0, 2.0, 0.0)).map(|position| position - Vec3::Z);
        let cube = Shape::cuboid(Vec3::splat(0.3));
        let meshes = Meshes::new(device, &LAYOUT, &[&wall, &cube]);
        // From the upper left: the shadow falls to the lower right.
        let light = KeyLight {
            direction: Vec3::new(1.0, -1.0, -1.5),
            color: [1.0; 3],
            shadow_bounds: STAGE,
        };
        let mut renderer = Renderer::new(device, &exact((64, 64), LAYOUT)).unwrap();
        let mut at = |passes, items: &[DrawItem]| {
            draw(
                device,
                &mut renderer,
                &Frame {
                    light,
                    passes,
                    ..frame(items)
                },
            );
            let color = renderer.read_color_samples().unwrap();
            // The middle of the cube's shadow on the wall, and its mirror image, in full light.
            (
                color.get(32 + 11, 32 + 11).unwrap()[1],
                color.get(32 - 11, 32 - 11).unwrap()[1],
            )
        };
        let items = [meshes.item(0), meshes.item(1)];
        let (shadowed, lit) = at(PassSet::COLOR, &items);
        assert!(shadowed < lit * 0.5, "{shadowed} {lit}");
        let without = PassSet {
            shadow: false,
            ..PassSet::COLOR
        };
        let (unshadowed, lit) = at(without, &items);
        assert!((unshadowed - lit).abs() < lit * 0.1, "{unshadowed} {lit}");
    });
}

#[test]
fn the_background_is_shown_as_it_is() {
    on_every_driver(|device| {
        let mut renderer = Renderer::new(device, &exact((8, 16), LAYOUT)).unwrap();
        let mut picture = |background| {
            draw(
                device,
                &mut renderer,
                &Frame {
                    background,
                    ..frame(&[])
                },
            );
            renderer.read(Pass::Color).unwrap()
        };
        // Linear 0.2140 is 127.5 in sRGB, 0.0513 is 64.
        let solid = picture(Background::solid([0.2140, 0.0513, 1.0]));
        for pixel in solid.pixels() {
            assert!(
                (127..=128).contains(&pixel.0[0]) && (63..=65).contains(&pixel.0[1]),
                "{pixel:?}"
            );
            assert_eq!((pixel.0[2], pixel.0[3]), (255, 255));
        }
        let gradient = picture(Background {
            top: [1.0; 3],
            bottom: [0.0; 3],
        });
        assert!(gradient.get_pixel(4, 0).0[0] > 245 && gradient.get_pixel(4, 15).0[0] < 60);
    });
}

#[test]
fn every_pass_becomes_a_picture_of_the_right_size() {
    on_every_driver(|device| {
        let meshes = Meshes::new(device, &LAYOUT, &[&Shape::ball(1.0, 12)]);
        for supersampling in 1..=4 {
            let desc = morph_render::RendererDesc {
                supersampling,
                ..exact((40, 24), LAYOUT)
            };
            let mut renderer = Renderer::new(device, &desc).unwrap();
            draw(device, &mut renderer, &frame(&[meshes.item(0)]));
            for pass in Pass::ALL {
                let size = if pass == Pass::Shadow {
                    (256, 256)
                } else {
                    (40, 24)
                };
                let picture = renderer.read(pass).unwrap();
                assert_eq!(picture.dimensions(), size, "{pass}");
                assert!(
                    picture.pixels().any(|pixel| pixel.0[0] > 100),
                    "{pass} is not dark all over"
                );
            }
        }
    });
}

#[test]
fn the_same_frame_gives_the_same_picture() {
    on_every_driver(|device| {
        let meshes = Meshes::new(device, &LAYOUT, &[&Shape::ball(1.0, 12)]);
        let items = [meshes.item(0)];
        let desc = morph_render::RendererDesc {
            occlusion_radius: 0.2,
            ..exact((48, 48), LAYOUT)
        };
        let mut first = Renderer::new(device, &desc).unwrap();
        let mut second = Renderer::new(device, &desc).unwrap();
        draw(device, &mut first, &frame(&items));
        // Another frame in between must leave nothing behind.
        draw(device, &mut second, &frame(&[]));
        draw(device, &mut second, &frame(&items));
        for pass in Pass::ALL {
            assert!(first.read(pass).unwrap() == second.read(pass).unwrap(), "{pass}");
        }
    });
}
