//! The compiled modules: what host and shaders share is the same on both sides, and the arithmetic is the contract's.

use std::collections::BTreeSet;

use morph_tests::spirv::{LocalSize, Reflection, committed_module};
use morph_vk::modules;
use morph_vk::shader_interface::{BUFFERS, SPECIALIZATION_CONSTANTS, STRUCTS, bindings};
use rspirv::dr::Operand;
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op};

/// The kernels, as `morph-vk` embeds them, with the names of their files.
const KERNELS: [(&str, &[u8]); 6] = [
    ("gather", modules::GATHER),
    ("gather_rte", modules::GATHER_RTE),
    ("gather_skinned", modules::GATHER_SKINNED),
    ("gather_skinned_rte", modules::GATHER_SKINNED_RTE),
    ("scatter", modules::SCATTER),
    ("scatter_rte", modules::SCATTER_RTE),
];

fn reflect(bytes: &[u8]) -> Reflection {
    Reflection::of(bytes).unwrap()
}

#[test]
fn the_embedded_modules_are_the_committed_ones() {
    for (name, bytes) in KERNELS {
        assert!(committed_module(name) == bytes, "{name}");
    }
}

#[test]
fn shared_structs_have_the_same_members_offsets_and_sizes_on_both_sides() {
    let mut compared = BTreeSet::new();
    for table in STRUCTS {
        for module in table.modules {
            let layout = reflect(&committed_module(module))
                .layout_of(table.name)
                .unwrap_or_else(|| panic!("{module} has no struct {} of 32-bit members", table.name));
            let members: Vec<(&str, u32)> = layout
                .members
                .iter()
                .map(|(name, at)| (name.as_str(), *at))
                .collect();
            assert_eq!(members, table.members, "{} in {module}", table.name);
            assert_eq!(layout.size_bytes, table.size_bytes, "{} in {module}", table.name);
            compared.insert(*module);
        }
    }
    assert_eq!(
        compared,
        KERNELS.map(|(name, _)| name).into(),
        "every kernel takes parameters"
    );
}

#[test]
fn buffers_have_the_same_names_and_bindings_on_both_sides() {
    for (name, bytes) in KERNELS {
        let buffers = reflect(bytes).buffers();
        for (block, buffer) in &buffers {
            let expected = BUFFERS.iter().find(|(it, _)| it == block);
            assert_eq!(expected.map(|it| it.1), Some(buffer.binding), "{block} in {name}");
            assert_eq!(buffer.set, 0, "{block} in {name}");
        }
        assert!(
            buffers.contains_key("DeltaBuffer") && buffers.contains_key("OutputBuffer"),
            "{name}"
        );
    }
    assert_eq!(reflect(modules::GATHER_SKINNED).buffers().len(), BUFFERS.len());
    // Vulkan promises a stage four storage buffers: a pass that does not skin gets by on them.
    for (name, bytes) in KERNELS.iter().filter(|(name, _)| !name.contains("skinned")) {
        let count = reflect(bytes).buffers().len() as u32;
        assert!(count <= bindings::UNSKINNED_COUNT && count <= 4, "{name}");
    }
    let numbers: BTreeSet<u32> = BUFFERS.iter().map(|it| it.1).collect();
    assert_eq!(numbers, (0..bindings::COUNT).collect());
}

#[test]
fn specialization_constants_have_the_same_names_and_ids_on_both_sides() {
    for (name, bytes) in KERNELS {
        let found = reflect(bytes).specialization_constants();
        for (constant, id) in SPECIALIZATION_CONSTANTS {
            assert_eq!(found.get(id).map(String::as_str), Some(*constant), "{name}");
        }
        for id in found.keys() {
            assert!(
                *id < 2 + SPECIALIZATION_CONSTANTS.len() as u32,
                "{name} has a constant {id} that nobody fills"
            );
        }
    }
}

#[test]
fn workgroup_sizes_are_the_first_two_specialization_constants() {
    for (name, bytes) in KERNELS {
        let y = if name.starts_with("gather") {
            LocalSize::Specialization(1)
        } else {
            LocalSize::Fixed(1)
        };
        let expected = Some([LocalSize::Specialization(0), y, LocalSize::Fixed(1)]);
        assert_eq!(reflect(bytes).workgroup_size(), expected, "{name}");
    }
}

#[test]
fn no_float_operation_may_be_fused_reordered_or_inexact() {
    for (name, bytes) in KERNELS {
        let module = reflect(bytes);
        assert_eq!(module.arithmetic_faults(), Vec::<String>::new(), "{name}");
        assert!(module.float_operation_count() >= 6, "{name} sums and multiplies");
    }
}

#[test]
fn no_kernel_asks_for_more_than_the_poorest_device_has() {
    for (name, bytes) in KERNELS {
        let mut expected = BTreeSet::from([Capability::Shader]);
        if name.ends_with("_rte") {
            expected.insert(Capability::RoundingModeRTE);
        }
        assert_eq!(reflect(bytes).capabilities(), expected, "{name}");
    }
}

#[test]
fn rounding_to_nearest_even_is_declared_where_the_name_says_so() {
    for (name, bytes) in KERNELS {
        let declared = reflect(bytes).has_execution_mode(ExecutionMode::RoundingModeRTE, 32);
        assert_eq!(declared, name.ends_with("_rte"), "{name}");
    }
}

#[test]
fn b166_buffers_are_non_writable_exactly_where_nothing_is_written() {
    for (name, bytes) in KERNELS {
        for (block, buffer) in reflect(bytes).buffers() {
            assert_eq!(buffer.is_non_writable, !buffer.is_written, "{block} in {name}");
            assert!(!(buffer.is_non_readable && buffer.is_read), "{block} in {name}");
            assert_eq!(buffer.is_written, block == "OutputBuffer", "{block} in {name}");
        }
    }
}

/// A rule that nothing can break proves nothing: each is broken once on purpose.
#[test]
fn the_rules_report_what_breaks_them() {
    let whole = reflect(modules::GATHER_SKINNED);
    let faults = |change: &dyn Fn(&mut rspirv::dr::Module)| {
        let mut module = whole.module().clone();
        change(&mut module);
        Reflection::of_module(module)
    };

    // A compiler decorates integers in a precise expression too; nothing there can be fused.
    let floats: BTreeSet<u32> = whole
        .module()
        .all_inst_iter()
        .filter(|it| {
            matches!(
                it.class.opcode,
                Op::FAdd | Op::FSub | Op::FMul | Op::VectorTimesScalar
            )
        })
        .filter_map(|it| it.result_id)
        .collect();
    let is_no_contraction = |it: &rspirv::dr::Instruction| {
        it.operands.get(1) == Some(&Operand::Decoration(Decoration::NoContraction))
            && matches!(it.operands[0], Operand::IdRef(target) if floats.contains(&target))
    };
    let count = whole
        .module()
        .annotations
        .iter()
        .filter(|it| is_no_contraction(it))
        .count();
    assert!(count > 0);
    for left_out in 0..count {
        let broken = faults(&|module| {
            let place = module
                .annotations
                .iter()
                .enumerate()
                .filter(|(_, it)| is_no_contraction(it))
                .nth(left_out);
            let place = place.map(|(place, _)| place).unwrap();
            module.annotations.remove(place);
        });
        assert_eq!(broken.arithmetic_faults().len(), 1, "decoration {left_out}");
    }

    let fused = faults(&|module| {
        for it in module
            .functions
            .iter_mut()
            .flat_map(|it| &mut it.blocks)
            .flat_map(|it| &mut it.instructions)
        {
            if it.class.opcode == Op::FMul {
                *it =
                    rspirv::dr::Instruction::new(Op::Dot, it.result_type, it.result_id, it.operands.clone());
                break;
            }
        }
    });
    assert!(
        fused
            .arithmetic_faults()
            .iter()
            .any(|fault| fault.contains("Dot"))
    );

    let rich = faults(&|module| {
        let mut capability = module.capabilities[0].clone();
        capability.operands = vec![Operand::Capability(Capability::StorageBuffer16BitAccess)];
        module.capabilities.push(capability);
    });
    assert!(
        rich.arithmetic_faults()
            .iter()
            .any(|fault| fault.contains("StorageBuffer16BitAccess"))
    );

    let renamed = faults(&|module| {
        for it in &mut module.debug_names {
            if it.class.opcode == Op::MemberName
                && it.operands[2] == Operand::LiteralString("first_record".into())
            {
                it.operands[2] = Operand::LiteralString("last_record".into());
            }
        }
    });
    assert_ne!(renamed.layout_of("GatherParams"), whole.layout_of("GatherParams"));
    assert!(whole.layout_of("GatherParams").is_some());
}
