//! What the compiled modules say about the structs and bindings that the host shares with them.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::{BTreeMap, HashMap};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op};

use crate::interface::{
    DRAW_MEMBERS, FRAME_MEMBERS, HAS_NORMALS_CONSTANT, MOTION_MEMBERS, PLACEMENT_WORDS_BINDING, binding,
    location, set,
};
use crate::pipelines::{
    COLOR_FRAGMENT, FULLSCREEN_VERTEX, MOTION_FRAGMENT, NORMAL_FRAGMENT, PLACED, PLAIN, RESOLVE_FRAGMENT,
};

const MODULES: [(&str, &[u8]); 13] = [
    PLAIN.depth,
    PLAIN.shadow,
    PLAIN.motion,
    PLAIN.surface,
    PLACED.depth,
    PLACED.shadow,
    PLACED.motion,
    PLACED.surface,
    MOTION_FRAGMENT,
    COLOR_FRAGMENT,
    NORMAL_FRAGMENT,
    FULLSCREEN_VERTEX,
    RESOLVE_FRAGMENT,
];

fn load(bytes: &[u8]) -> Module {
    rspirv::dr::load_bytes(bytes).unwrap()
}

fn id(operand: &Operand) -> u32 {
    operand.unwrap_id_ref()
}

/// Name of every id that has one.
fn names(module: &Module) -> HashMap<u32, String> {
    module
        .debug_names
        .iter()
        .filter(|instruction| instruction.class.opcode == Op::Name)
        .map(|instruction| {
            (
                id(&instruction.operands[0]),
                instruction.operands[1].unwrap_literal_string().to_owned(),
            )
        })
        .collect()
}

/// The number that a decoration gives to an id.
fn decorated(module: &Module, target: u32, wanted: Decoration) -> Option<u32> {
    module
        .annotations
        .iter()
        .find_map(|instruction| match &instruction.operands[..] {
            [
                Operand::IdRef(at),
                Operand::Decoration(decoration),
                Operand::LiteralBit32(value),
            ] if *at == target && *decoration == wanted => Some(*value),
            _ => None,
        })
}

/// Member names and offsets of a struct, or `None` where the module does not use it.
fn members(module: &Module, name: &str) -> Option<BTreeMap<u32, (String, usize)>> {
    let target = *names(module).iter().find(|(_, found)| *found == name)?.0;
    let mut members = BTreeMap::<u32, (String, usize)>::new();
    for instruction in &module.debug_names {
        if let (
            Op::MemberName,
            [
                Operand::IdRef(at),
                Operand::LiteralBit32(index),
                Operand::LiteralString(name),
            ],
        ) = (instruction.class.opcode, &instruction.operands[..])
            && *at == target
        {
            members.entry(*index).or_default().0.clone_from(name);
        }
    }
    for instruction in &module.annotations {
        if let [
            Operand::IdRef(at),
            Operand::LiteralBit32(index),
            Operand::Decoration(Decoration::Offset),
            Operand::LiteralBit32(offset),
        ] = instruction.operands[..]
            && at == target
        {
            members.entry(index).or_default().1 = offset as usize;
        }
    }
    Some(members)
}

#[test]
fn members_lie_where_the_host_writes_them() {
    let mut compared = BTreeMap::<&str, usize>::new();
    for (module_name, bytes) in MODULES {
        let module = load(bytes);
        for (name, expected) in [
            ("FrameConstants", &FRAME_MEMBERS[..]),
            ("DrawConstants", &DRAW_MEMBERS[..]),
            ("MotionConstants", &MOTION_MEMBERS[..]),
        ] {
            let Some(found) = members(&module, name) else {
                continue;
            };
            let found: Vec<(&str, usize)> = found
                .values()
                .map(|(member, offset)| (member.as_str(), *offset))
                .collect();
            assert_eq!(found, expected, "{name} in {module_name}");
            *compared.entry(name).or_default() += 1;
        }
        // Arrays of numbers lie close together, as in Rust.
        for instruction in &module.types_global_values {
            let array = instruction.result_id.unwrap_or(0);
            if let Some(stride) = decorated(&module, array, Decoration::ArrayStride) {
                assert_eq!(stride, 4, "{module_name}");
            }
        }
    }
    assert_eq!(
        compared["FrameConstants"], 12,
        "every module but the full screen triangle"
    );
    assert!(compared["DrawConstants"] >= 8);
    assert!(compared["MotionConstants"] >= 2);
}

#[test]
fn bindings_are_the_ones_of_the_descriptor_set() {
    let mut found = BTreeMap::<String, (u32, u32)>::new();
    for (module_name, bytes) in MODULES {
        let module = load(bytes);
        for (target, name) in names(&module) {
            if let (Some(set), Some(number)) = (
                decorated(&module, target, Decoration::DescriptorSet),
                decorated(&module, target, Decoration::Binding),
            ) {
                let before = found.insert(name.clone(), (set, number));
                assert!(
                    before.is_none_or(|before| before == (set, number)),
                    "{name} in {module_name}"
                );
            }
        }
    }
    let expected = [
        // The block of words has no name of its own, and so its variable has none.
        ("", (set::PLACEMENT, PLACEMENT_WORDS_BINDING)),
        ("color_samples", (set::FRAME, binding::COLOR)),
        ("frame", (set::FRAME, binding::FRAME)),
        ("scene_depth", (set::FRAME, binding::DEPTH)),
        ("shadow_map", (set::FRAME, binding::SHADOW_MAP)),
    ];
    let expected = expected.map(|(name, at)| (name.to_owned(), at)).into();
    assert_eq!(found, expected);
}

#[test]
fn vertex_inputs_have_the_locations_of_the_pipelines() {
    let position = ("position", location::POSITION);
    let normal = ("normal", location::NORMAL);
    let previous = ("previous_position", location::PREVIOUS_POSITION);
    let attribute = morph_core::placement::BUFFER_BINDING.attribute.name;
    let id = (attribute, location::TRANSFORM_ID);
    for (module, expected) in [
        (PLAIN.depth, &[position][..]),
        (PLAIN.shadow, &[position]),
        (PLAIN.motion, &[position, previous]),
        (PLAIN.surface, &[normal, position]),
        // What draws without a placement reads no submesh, and what draws with one reads nothing else more.
        (PLACED.depth, &[position, id]),
        (PLACED.shadow, &[position, id]),
        (PLACED.motion, &[position, previous, id]),
        (PLACED.surface, &[normal, position, id]),
        (FULLSCREEN_VERTEX, &[]),
    ] {
        let loaded = load(module.1);
        let names = names(&loaded);
        let is_input = |instruction: &&Instruction| {
            instruction.class.opcode == Op::Variable
                && instruction.operands[0].unwrap_storage_class() == rspirv::spirv::StorageClass::Input
        };
        let mut found: Vec<(&str, u32)> = loaded
            .types_global_values
            .iter()
            .filter(is_input)
            .filter_map(|instruction| {
                let target = instruction.result_id?;
                Some((
                    names[&target].as_str(),
                    decorated(&loaded, target, Decoration::Location)?,
                ))
            })
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{}", module.0);
    }
}

#[test]
fn the_specialization_constant_has_its_number() {
    for (module_name, bytes) in [COLOR_FRAGMENT, NORMAL_FRAGMENT] {
        let module = load(bytes);
        let names = names(&module);
        let target = *names.iter().find(|(_, name)| *name == "HAS_NORMALS").unwrap().0;
        assert_eq!(
            decorated(&module, target, Decoration::SpecId),
            Some(HAS_NORMALS_CONSTANT),
            "{module_name}"
        );
    }
}
