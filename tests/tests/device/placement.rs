//! The placement table as the shader includes read it: positions to the bit as on the host, normals within 10⁻⁶, from a
//! storage buffer and from a texture.

use morph_core::placement::{
    BUFFER_BINDING, Placement, PlacementBinding, PlacementTable, TEXTURE_BINDING, TableLayout, unit_rotation,
};
use morph_render::ValidationDesc;
use morph_tests::spirv::{Reflection, committed_module};
use morph_tests::{say, test_drivers};
use morph_validation::{Rng, with_validation};
use rspirv::dr::Operand;
use rspirv::spirv::Op;

use crate::placement_kernel::{BoundTable, Form, PlaceKernel, Vertex};
use crate::support::on_every_driver;

const TABLE_COUNT: u64 = 12;
const VERTEX_COUNT: usize = 4000;
const NORMAL_TOLERANCE: f32 = 1.0e-6;

/// A rotation with components of every size, rounding errors and axes among them.
fn any_rotation(rng: &mut Rng) -> [f64; 4] {
    loop {
        let rotation = std::array::from_fn(|_| {
            f64::from(if rng.chance(60) {
                rng.signed()
            } else {
                rng.edgy(1.0)
            })
        });
        if let Ok(rotation) = unit_rotation(rotation) {
            return rotation;
        }
    }
}

fn any_placement(rng: &mut Rng) -> Placement {
    let translation = std::array::from_fn(|_| f64::from(rng.edgy(1000.0)));
    let scale = std::array::from_fn(|_| match rng.below(20) {
        0 => f64::from(f32::MIN_POSITIVE),
        1 => 2.0_f64.powi(rng.below(180) as i32 - 120) * 1.7,
        2..6 => 1.0,
        _ => f64::from(rng.signed() * 3.0).exp(),
    });
    match rng.below(5) {
        0 => Placement::IDENTITY.with_translation(translation),
        1 => Placement::IDENTITY.with_scale(scale),
        _ => Placement::new(translation, any_rotation(rng), scale),
    }
    .unwrap()
}

fn any_table(rng: &mut Rng) -> PlacementTable {
    let width = [1 + rng.below(16), 11, 64 + rng.below(1000)][rng.below(3) as usize];
    let stride = 11 + [0, 1, rng.below(30)][rng.below(3) as usize];
    let placements: Vec<Option<Placement>> = (0..=rng.below(200))
        .map(|_| rng.chance(80).then(|| any_placement(rng)))
        .collect();
    let layout = TableLayout::new(width, stride).unwrap();
    layout.pack_table(placements.iter().map(Option::as_ref)).unwrap()
}

fn any_vertices(rng: &mut Rng, row_count: u32) -> Vec<Vertex> {
    (0..VERTEX_COUNT)
        .map(|_| Vertex {
            submesh: match rng.below(10) {
                0 => rng.next_u32(),
                1 => row_count + rng.below(3),
                2 => u32::MAX,
                _ => rng.below(row_count),
            },
            position: std::array::from_fn(|_| rng.edgy(1000.0)),
            normal: if rng.chance(10) {
                std::array::from_fn(|_| rng.edgy(f32::MAX))
            } else {
                std::array::from_fn(|_| rng.edgy(1.0))
            },
        })
        .collect()
}

fn words(table: &PlacementTable) -> BoundTable<'_> {
    BoundTable {
        words: table.words(),
        first_word: 0,
        row_count: table.row_count(),
        stride: table.layout().stride(),
        width: table.layout().width(),
    }
}

/// Compares with the host and returns the largest difference of a normal's component.
#[track_caller]
fn check(what: &str, placements: impl Fn(u32) -> Placement, before: &[Vertex], after: &[Vertex]) -> f32 {
    assert_eq!(before.len(), after.len());
    let mut worst = 0.0_f32;
    for (before, after) in before.iter().zip(after) {
        let placement = placements(before.submesh);
        let context = format!("{what}: {before:?} by {placement:?} gives {after:?}");
        let position = placement.apply(before.position);
        assert_eq!(
            after.position.map(f32::to_bits),
            position.map(f32::to_bits),
            "{context}, the host {position:?}"
        );
        let normal = placement.apply_normal(before.normal);
        if placement.is_identity() {
            assert_eq!(
                after.normal.map(f32::to_bits),
                normal.map(f32::to_bits),
                "{context}"
            );
            continue;
        }
        for (after, expected) in after.normal.iter().zip(normal) {
            let difference = (after - expected).abs();
            // Written so that NaN fails it.
            assert!(difference <= NORMAL_TOLERANCE, "{context}, the host {normal:?}");
            worst = worst.max(difference);
        }
    }
    worst
}

#[test]
fn placement_on_the_device_equals_the_host() {
    for driver in test_drivers() {
        let judged = with_validation(&driver, ValidationDesc::SYNCHRONIZATION, |device| {
            for form in Form::ALL {
                let kernel = PlaceKernel::new(device, form);
                let mut worst = 0.0_f32;
                for seed in 0..TABLE_COUNT {
                    let mut rng = Rng::new(seed);
                    let table = any_table(&mut rng);
                    let vertices = any_vertices(&mut rng, table.row_count());
                    // Every second table stands behind rows of something else in the same resource.
                    let first_word = (seed % 2) as u32 * 3 * table.layout().width();
                    let mut shared = vec![u32::MAX; first_word as usize];
                    shared.extend(table.words());
                    let told = BoundTable {
                        words: &shared,
                        first_word,
                        ..words(&table)
                    };
                    let placed = kernel.place(told, &vertices);
                    let what = format!("{form:?} on {}, table {seed}", driver.name());
                    worst = worst.max(check(&what, |it| table.lookup(it), &vertices, &placed));
                }
                say(format_args!(
                    "placement: {form:?} on {}: {} vertices, positions equal, normals within {worst:e}",
                    driver.name(),
                    TABLE_COUNT as usize * VERTEX_COUNT
                ));
            }
        })
        .unwrap();
        assert!(judged.messages.is_empty(), "{:#?}", judged.messages);
    }
}

/// Nothing reads past the count of rows that the shader is told, nor a row without the presence word 1.
#[test]
fn placement_leaves_vertices_alone_where_the_table_has_no_row() {
    let moved = Placement::IDENTITY.with_translation([1.0, 2.0, 3.0]).unwrap();
    let table = TableLayout::new(7, 11)
        .unwrap()
        .pack_table([Some(&moved); 6])
        .unwrap();
    let mut changed = table.words().to_vec();
    // Garbage where a presence word should be.
    changed[11] = 2;
    changed[22] = u32::MAX;
    // A row that is absent, whatever stands behind.
    changed[33] = 0;
    let vertices: Vec<Vertex> = [0, 1, 2, 3, 4, 5, 6, 1000, 0x8000_0000, u32::MAX]
        .map(|submesh| Vertex {
            submesh,
            position: [-0.0, 0.5, 1.0e-30],
            normal: [0.0, 3.0, -0.0],
        })
        .into();
    on_every_driver(|driver, device| {
        for form in Form::ALL {
            let kernel = PlaceKernel::new(device, form);
            for row_count in [0, 1, 5] {
                let told = BoundTable {
                    words: &changed,
                    row_count,
                    ..words(&table)
                };
                let placed = kernel.place(told, &vertices);
                let expected = |submesh| {
                    let is_placed = submesh < row_count && ![1, 2, 3].contains(&submesh);
                    if is_placed { moved } else { Placement::IDENTITY }
                };
                let what = format!("{form:?} on {}, {row_count} rows", driver.name());
                check(&what, expected, &vertices, &placed);
            }
        }
    });
}

fn reflect(form: Form) -> Reflection {
    Reflection::of(&committed_module(form.module())).unwrap()
}

/// The names that a module gives to variables and to the members of structs.
fn names(module: &Reflection) -> Vec<String> {
    let names = &module.module().debug_names;
    names
        .iter()
        .filter(|it| matches!(it.class.opcode, Op::Name | Op::MemberName))
        .filter_map(|it| match it.operands.last() {
            Some(Operand::LiteralString(name)) => Some(name.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn placement_bindings_name_what_the_includes_declare() {
    let forms: [(Form, PlacementBinding); 3] = [
        (Form::Buffer, BUFFER_BINDING),
        (Form::Texture, TEXTURE_BINDING),
        (Form::Combined, TEXTURE_BINDING),
    ];
    for (form, binding) in forms {
        let names = names(&reflect(form));
        let uniforms = binding.uniforms.iter().map(|it| it.name);
        for name in uniforms.chain([binding.table.name, binding.attribute.name]) {
            assert!(names.iter().any(|it| it == name), "{name} in {form:?}");
        }
        let include = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../shaders/include")
            .join(binding.include);
        assert!(include.is_file(), "{}", include.display());
    }
}

#[test]
fn placement_modules_fuse_nothing() {
    for form in Form::ALL {
        let module = reflect(form);
        let faults = module.arithmetic_faults();
        let fused: Vec<&String> = faults.iter().filter(|it| it.contains("NoContraction")).collect();
        assert!(fused.is_empty(), "{form:?}: {fused:?}");
        for inexact in ["Dot", "Matrix", "Fma"] {
            assert!(
                !faults.iter().any(|it| it.contains(inexact)),
                "{form:?}: {faults:?}"
            );
        }
        assert!(module.float_operation_count() > 40, "{form:?}");
    }
}
