//! Draws whose submeshes are placed by a table, beside draws of vertices that the host placed.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use ash::vk;
use common::{Meshes, Shape, draw, exact, frame, on_every_driver};
use glam::{Mat4, Vec3};
use morph_core::VertexLayout;
use morph_core::placement::{Placement, PlacementTable, TableLayout, axis_angle};
use morph_render::{
    Buffer, BufferDesc, DrawItem, DrawPlacement, HeadlessDevice, MemoryPlace, PlacementTables, Plane,
    RenderError, Renderer, TableRange, placed_positions, upload,
};

const LAYOUT: VertexLayout = VertexLayout::POSITION_NORMAL;

/// Numbers before the first transform id and words before the first table, which no draw may touch.
const GAP: usize = 7;

/// Two cubes beside a ball, one shape of three submeshes.
fn three_parts() -> (Shape, Vec<u32>) {
    let (mut whole, mut ids) = (Shape::default(), Vec::new());
    let parts = [
        Shape::cuboid(Vec3::splat(0.4)).map(|it| it - Vec3::X),
        Shape::ball(0.45, 16),
        Shape::cuboid(Vec3::new(0.3, 0.4, 0.2)).map(|it| it + Vec3::X),
    ];
    for (number, part) in (0..).zip(parts) {
        let first = whole.vertex_count();
        ids.extend(vec![number; part.positions.len()]);
        whole.positions.extend(part.positions);
        whole.normals.extend(part.normals);
        whole.indices.extend(part.indices.iter().map(|it| it + first));
    }
    (whole, ids)
}

fn table(stride: u32, rows: &[Option<Placement>]) -> PlacementTable {
    let layout = TableLayout::new(64, stride).unwrap();
    layout.pack_table(rows.iter().map(Option::as_ref)).unwrap()
}

/// A first submesh that stays, a second that turns and stretches, a third that moves.
fn rows() -> [Option<Placement>; 3] {
    let turn = axis_angle([0.3, 1.0, -0.2], 0.8).unwrap();
    let turned = Placement::new([0.1, 0.5, -0.2], turn, [1.3, 0.8, 0.6]).unwrap();
    let moved = Placement::IDENTITY.with_translation([-0.3, -0.6, 0.4]).unwrap();
    [None, Some(turned), Some(moved)]
}

/// What the vertex stages make of a shape, made by the host.
fn placed(shape: &Shape, ids: &[u32], table: &PlacementTable) -> Shape {
    let positions: Vec<[f32; 3]> = shape.positions.iter().map(Vec3::to_array).collect();
    let placed = placed_positions(&positions, ids, table);
    let normals = shape.normals.iter().zip(ids);
    Shape {
        positions: placed.into_iter().map(Vec3::from).collect(),
        normals: normals
            .map(|(normal, id)| Vec3::from(table.lookup(*id).apply_normal(normal.to_array())))
            .collect(),
        indices: shape.indices.clone(),
    }
}

/// Transform ids and tables on a device.
struct Bound {
    ids: Buffer,
    // The set of the tables points into it.
    _words: Buffer,
    tables: PlacementTables,
    ranges: Vec<TableRange>,
}

impl Bound {
    fn new(
        device: &HeadlessDevice,
        renderer: &mut Renderer,
        ids: &[u32],
        tables: &[&PlacementTable],
    ) -> Bound {
        let mut words = vec![u32::MAX; GAP];
        let mut ranges = Vec::new();
        for table in tables {
            ranges.push(TableRange::of(table, words.len() as u32));
            words.extend(table.words());
        }
        let with_gap = [&[0_u32; GAP][..], ids].concat();
        let upload =
            |name, words: &[u32], usage| upload(device, name, bytemuck::cast_slice(words), usage).unwrap();
        let words = upload("tables", &words, vk::BufferUsageFlags::STORAGE_BUFFER);
        Bound {
            ids: upload("ids", &with_gap, vk::BufferUsageFlags::VERTEX_BUFFER),
            tables: renderer.placement_tables(&words).unwrap(),
            _words: words,
            ranges,
        }
    }

    /// Placed by one table now and by another one frame ago.
    fn placement(&self, current: usize, previous: usize) -> DrawPlacement {
        DrawPlacement {
            id_buffer: self.ids.handle(),
            first_id: GAP as u32,
            tables: self.tables.set(),
            current: self.ranges[current],
            previous: self.ranges[previous],
        }
    }
}

/// Every pass as numbers.
struct Planes {
    depth: Plane<f32>,
    shadow: Plane<f32>,
    motion: Plane<[f32; 2]>,
    color: Plane<[f32; 4]>,
    normal: Plane<[f32; 4]>,
}

fn planes(device: &HeadlessDevice, renderer: &mut Renderer, items: &[DrawItem]) -> Planes {
    draw(device, renderer, &frame(items));
    Planes {
        depth: renderer.read_depth().unwrap(),
        shadow: renderer.read_shadow().unwrap(),
        motion: renderer.read_motion().unwrap(),
        color: renderer.read_color_samples().unwrap(),
        normal: renderer.read_normal().unwrap(),
    }
}

/// The largest difference of a component.
fn difference<const N: usize>(a: &Plane<[f32; N]>, b: &Plane<[f32; N]>) -> f32 {
    let pairs = a.values.as_flattened().iter().zip(b.values.as_flattened());
    pairs.fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

#[test]
fn placed_draws_equal_draws_of_placed_vertices() {
    let (shape, ids) = three_parts();
    // Two strides, the second with words of the engine's own between its rows.
    let now = table(11, &rows());
    let before = table(14, &[rows()[2], None, rows()[1]]);
    on_every_driver(|device| {
        let mut renderer = Renderer::new(device, &exact((160, 160), LAYOUT)).unwrap();
        let bound = Bound::new(device, &mut renderer, &ids, &[&now, &before]);
        let shapes = [
            &shape,
            &placed(&shape, &ids, &now),
            &placed(&shape, &ids, &before),
        ];
        let meshes = Meshes::new(device, &LAYOUT, &shapes);
        let model = Mat4::from_scale_rotation_translation(
            Vec3::new(1.1, 0.9, 1.0),
            glam::Quat::from_rotation_y(0.4),
            Vec3::new(0.1, -0.1, 0.2),
        );
        let previous_model = Mat4::from_rotation_x(0.1) * model;
        let posed = |item: DrawItem| DrawItem {
            model,
            previous_model,
            ..item
        };
        let found = planes(
            device,
            &mut renderer,
            &[posed(DrawItem {
                placement: Some(bound.placement(0, 1)),
                ..meshes.item(0)
            })],
        );
        let expected = planes(device, &mut renderer, &[posed(meshes.moving(1, 2))]);
        let drawn = found.depth.values.iter().filter(|depth| **depth < 1.0).count();
        assert!(drawn > 2000, "{drawn} samples");
        // Positions have the same bits, so everything that is made of them alone has.
        assert!(found.depth == expected.depth, "depth");
        assert!(found.shadow == expected.shadow, "shadow");
        assert!(found.motion == expected.motion, "motion");
        // A pass that put a surface elsewhere than the depth pre-pass would leave holes.
        for (depth, color) in found.depth.values.iter().zip(&found.color.values) {
            assert_eq!(color[3] > 0.5, *depth < 1.0);
        }
        assert!(difference(&found.normal, &expected.normal) < 2.0e-3, "normal");
        assert!(difference(&found.color, &expected.color) < 1.0e-2, "color");
        let unplaced = planes(device, &mut renderer, &[posed(meshes.item(0))]);
        assert!(found.depth != unplaced.depth && difference(&found.normal, &unplaced.normal) > 0.1);
    });
}

#[test]
fn what_has_no_row_is_drawn_as_without_a_table() {
    let (shape, ids) = three_parts();
    let far = Placement::IDENTITY.with_translation([50.0, 0.0, 0.0]).unwrap();
    let absent = table(11, &[None; 3]);
    let none = table(11, &[]);
    let some = table(11, &[Some(far); 3]);
    on_every_driver(|device| {
        let mut renderer = Renderer::new(device, &exact((128, 128), LAYOUT)).unwrap();
        let meshes = Meshes::new(device, &LAYOUT, &[&shape]);
        let expected = planes(device, &mut renderer, &[meshes.item(0)]);
        let beyond: Vec<u32> = ids.iter().map(|id| u32::MAX - id).collect();
        for (what, ids, table) in [
            ("rows of nothing", &ids, &absent),
            ("no row", &ids, &none),
            ("ids beyond the table", &beyond, &some),
        ] {
            let bound = Bound::new(device, &mut renderer, ids, &[table]);
            let item = DrawItem {
                placement: Some(bound.placement(0, 0)),
                ..meshes.item(0)
            };
            let found = planes(device, &mut renderer, &[item]);
            assert!(found.depth == expected.depth, "{what}");
            assert!(found.shadow == expected.shadow, "{what}");
            assert!(found.motion.values.iter().all(|it| *it == [0.0; 2]), "{what}");
            assert!(found.normal == expected.normal, "{what}");
            assert!(found.color == expected.color, "{what}");
        }
        // The ids that are in the table do go away.
        let bound = Bound::new(device, &mut renderer, &ids, &[&some]);
        let item = DrawItem {
            placement: Some(bound.placement(0, 0)),
            ..meshes.item(0)
        };
        let found = planes(device, &mut renderer, &[item]);
        assert!(found.depth.values.iter().all(|depth| *depth == 1.0));
    });
}

#[test]
fn a_submesh_that_moved_has_motion_in_pixels_and_the_others_none() {
    let (shape, ids) = three_parts();
    let right = Placement::IDENTITY.with_translation([0.25, -0.5, 0.0]).unwrap();
    let before = table(11, &[None, None, None]);
    let now = table(11, &[None, Some(right), None]);
    on_every_driver(|device| {
        // 32 pixels a unit.
        let mut renderer = Renderer::new(device, &exact((128, 128), LAYOUT)).unwrap();
        let meshes = Meshes::new(device, &LAYOUT, &[&shape]);
        let bound = Bound::new(device, &mut renderer, &ids, &[&before, &now]);
        // Placed and plain draws in one frame, each with its own pipeline.
        let items = [
            DrawItem {
                placement: Some(bound.placement(1, 0)),
                ..meshes.item(0)
            },
            DrawItem {
                model: Mat4::from_translation(Vec3::new(0.0, 1.4, -1.0)) * Mat4::from_scale(Vec3::splat(0.5)),
                previous_model: Mat4::from_translation(Vec3::new(0.0, 1.4, -1.0))
                    * Mat4::from_scale(Vec3::splat(0.5)),
                ..meshes.item(0)
            },
            DrawItem {
                placement: Some(bound.placement(0, 0)),
                model: Mat4::from_translation(Vec3::new(0.0, -1.5, -1.0))
                    * Mat4::from_scale(Vec3::splat(0.5)),
                previous_model: Mat4::from_translation(Vec3::new(0.0, -1.5, -1.0))
                    * Mat4::from_scale(Vec3::splat(0.5)),
                ..meshes.item(0)
            },
        ];
        let found = planes(device, &mut renderer, &items);
        let at = |x: f32, y: f32| {
            let (column, row) = ((x + 2.0) * 32.0, (2.0 - y) * 32.0);
            let (column, row) = (column as u32, row as u32);
            assert!(found.depth.get(column, row).unwrap() < 1.0, "nothing at {x} {y}");
            found.motion.get(column, row).unwrap()
        };
        let [x, y] = at(0.25, -0.5);
        assert!((x - 8.0).abs() < 1.0e-3 && (y - 16.0).abs() < 1.0e-3, "{x} {y}");
        for (x, y) in [
            (-1.0, 0.0),
            (1.0, 0.0),
            (0.0, 1.4),
            (-0.5, 1.4),
            (0.0, -1.5),
            (0.5, -1.5),
        ] {
            assert_eq!(at(x, y), [0.0; 2], "{x} {y}");
        }
    });
}

#[test]
fn more_words_than_a_device_binds_are_refused_with_their_size() {
    on_every_driver(|device| {
        let limit = u64::from(device.limits().max_storage_buffer_range);
        // No device has to allocate more than a gigabyte at once, and layers report who tries: SwiftShader binds as much.
        if limit >= 1 << 30 {
            return;
        }
        let words = Buffer::new(
            device,
            &BufferDesc {
                name: "tables",
                size_bytes: limit + 4,
                usage: vk::BufferUsageFlags::STORAGE_BUFFER,
                place: MemoryPlace::Device,
            },
        );
        // A driver may have no memory for it, which is no fault of the renderer.
        let Ok(words) = words else { return };
        let mut renderer = Renderer::new(device, &exact((16, 16), LAYOUT)).unwrap();
        let error = renderer.placement_tables(&words).unwrap_err();
        assert!(
            matches!(&error, RenderError::PlacementTables { size_bytes, .. } if *size_bytes == limit + 4),
            "{error}"
        );
        assert!(error.to_string().contains("maxStorageBufferRange"));
    });
}
