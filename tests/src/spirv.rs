//! Compiled shader modules, read for the tests: names, offsets, bindings, decorations, and the rules of the arithmetic.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op, StorageClass};

/// A module with the look-ups that tests need.
#[derive(Debug, Clone)]
pub struct Reflection {
    module: Module,
    names: HashMap<u32, String>,
}

/// A struct as the module declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructLayout {
    /// Members in order: name and byte offset.
    pub members: Vec<(String, u32)>,
    /// Byte offset of the last member plus its size; every member must be one 32-bit number.
    pub size_bytes: u32,
}

/// A storage buffer.
#[allow(
    clippy::struct_excessive_bools,
    reason = "two declarations beside the two facts that they must match"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferUse {
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Declared as never written.
    pub is_non_writable: bool,
    /// Declared as never read.
    pub is_non_readable: bool,
    /// A store or an atomic goes through it.
    pub is_written: bool,
    /// A load or an atomic goes through it.
    pub is_read: bool,
}

/// Reads a committed module by its name.
///
/// # Panics
/// The module is not there, or is no SPIR-V.
pub fn committed_module(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shaders/spv")
        .join(name)
        .with_extension("spv");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Reflection {
    /// Reads a module.
    ///
    /// # Errors
    /// What the parser says.
    pub fn of(bytes: &[u8]) -> Result<Reflection, String> {
        Ok(Reflection::of_module(
            rspirv::dr::load_bytes(bytes).map_err(|error| error.to_string())?,
        ))
    }

    /// Takes a module that was read already, or changed.
    pub fn of_module(module: Module) -> Reflection {
        let names = module
            .debug_names
            .iter()
            .filter(|it| it.class.opcode == Op::Name)
            .map(|it| (id(&it.operands[0]), string(&it.operands[1])))
            .collect();
        Reflection { module, names }
    }

    /// The module itself, to be changed.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Capabilities.
    pub fn capabilities(&self) -> BTreeSet<Capability> {
        let operands = self.module.capabilities.iter().flat_map(|it| &it.operands);
        operands
            .filter_map(|it| {
                if let Operand::Capability(it) = it {
                    Some(*it)
                } else {
                    None
                }
            })
            .collect()
    }

    /// Whether an execution mode with this number behind it is declared.
    pub fn has_execution_mode(&self, mode: ExecutionMode, number: u32) -> bool {
        self.module.execution_modes.iter().any(|it| {
            it.operands.contains(&Operand::ExecutionMode(mode))
                && it.operands.contains(&Operand::LiteralBit32(number))
        })
    }

    /// A struct by its name, where the module has it.
    pub fn layout_of(&self, name: &str) -> Option<StructLayout> {
        // A struct that is copied out of a buffer is declared once more, without offsets.
        let mut declarations = self.structs().filter(|it| self.name(it.result_id) == name);
        declarations.find_map(|declaration| self.layout_of_declaration(declaration))
    }

    fn layout_of_declaration(&self, declaration: &Instruction) -> Option<StructLayout> {
        let struct_id = declaration.result_id?;
        let mut members: Vec<(String, u32)> = Vec::new();
        for number in 0..declaration.operands.len() as u32 {
            let is_32_bits = self.is_number_of_32_bits(id(&declaration.operands[number as usize]));
            let offset = self.member_decoration(struct_id, number, Decoration::Offset)?;
            // A member of another size would make the struct's size a guess.
            members.push((self.member_name(struct_id, number)?, offset));
            if !is_32_bits {
                return None;
            }
        }
        let size_bytes = members.last().map_or(0, |(_, offset)| offset + 4);
        Some(StructLayout { members, size_bytes })
    }

    /// Every storage buffer by the name of its block.
    pub fn buffers(&self) -> BTreeMap<String, BufferUse> {
        let (read, written) = self.touched_variables();
        let mut buffers = BTreeMap::new();
        for variable in &self.module.types_global_values {
            let is_storage =
                variable.operands.first() == Some(&Operand::StorageClass(StorageClass::StorageBuffer));
            let (true, Some(variable_id)) = (
                variable.class.opcode == Op::Variable && is_storage,
                variable.result_id,
            ) else {
                continue;
            };
            let Some(struct_id) = self.pointee(variable.result_type).map(|id| self.element(id)) else {
                continue;
            };
            let flag = |decoration| {
                self.decorations(variable_id, decoration).next().is_some()
                    || self.member_decoration_exists(struct_id, 0, decoration)
            };
            buffers.insert(
                self.name(Some(struct_id)),
                BufferUse {
                    set: self
                        .decoration(variable_id, Decoration::DescriptorSet)
                        .unwrap_or(u32::MAX),
                    binding: self
                        .decoration(variable_id, Decoration::Binding)
                        .unwrap_or(u32::MAX),
                    is_non_writable: flag(Decoration::NonWritable),
                    is_non_readable: flag(Decoration::NonReadable),
                    is_written: written.contains(&variable_id),
                    is_read: read.contains(&variable_id),
                },
            );
        }
        buffers
    }

    /// Named specialization constants by id, and the nameless ones that the workgroup's size is made of.
    pub fn specialization_constants(&self) -> BTreeMap<u32, String> {
        self.module
            .annotations
            .iter()
            .filter(|it| it.operands.get(1) == Some(&Operand::Decoration(Decoration::SpecId)))
            .map(|it| (number(&it.operands[2]), self.name(Some(id(&it.operands[0])))))
            .collect()
    }

    /// What the workgroup's size in x, y and z is: a specialization constant's id, or a number.
    pub fn workgroup_size(&self) -> Option<[LocalSize; 3]> {
        let workgroup = self.module.annotations.iter().find(|it| {
            it.operands.get(1) == Some(&Operand::Decoration(Decoration::BuiltIn))
                && it.operands.get(2) == Some(&Operand::BuiltIn(rspirv::spirv::BuiltIn::WorkgroupSize))
        })?;
        let composite = self.global(id(&workgroup.operands[0]))?;
        let parts: Vec<LocalSize> = composite
            .operands
            .iter()
            .map(|part| {
                let part = id(part);
                let spec = self.decoration(part, Decoration::SpecId);
                let value = self
                    .global(part)
                    .and_then(|it| it.operands.first())
                    .map_or(0, number);
                spec.map_or(LocalSize::Fixed(value), LocalSize::Specialization)
            })
            .collect();
        parts.try_into().ok()
    }

    /// What breaks the rules of the arithmetic contract, one line each.
    ///
    /// - every float sum, difference and product carries `NoContraction`, so that no driver fuses them;
    /// - no fused, ordered-at-will or inexact instruction: `Fma`, `Dot`, matrix products, anything of GLSL.std.450;
    /// - no capability beside `Shader` and `RoundingModeRTE`, so that the poorest device runs it.
    pub fn arithmetic_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for capability in self.capabilities() {
            if ![Capability::Shader, Capability::RoundingModeRTE].contains(&capability) {
                faults.push(format!("the capability {capability:?}"));
            }
        }
        let no_contraction: HashSet<u32> = self
            .module
            .annotations
            .iter()
            .filter(|it| it.operands.get(1) == Some(&Operand::Decoration(Decoration::NoContraction)))
            .map(|it| id(&it.operands[0]))
            .collect();
        for it in self.module.all_inst_iter() {
            match it.class.opcode {
                Op::FAdd | Op::FSub | Op::FMul | Op::VectorTimesScalar
                    if !it
                        .result_id
                        .is_some_and(|result| no_contraction.contains(&result)) =>
                {
                    let (opcode, result) = (it.class.opcode, it.result_id.unwrap_or(0));
                    faults.push(format!("{opcode:?} %{result} lacks NoContraction"));
                }
                Op::Dot
                | Op::MatrixTimesScalar
                | Op::VectorTimesMatrix
                | Op::MatrixTimesVector
                | Op::MatrixTimesMatrix
                | Op::OuterProduct
                | Op::FDiv
                | Op::FRem
                | Op::FMod
                | Op::QuantizeToF16
                | Op::ExtInst => {
                    faults.push(format!("the instruction {:?} {:?}", it.class.opcode, it.operands));
                }
                _ => {}
            }
        }
        faults
    }

    /// How many float sums and products there are: none would make the rules empty.
    pub fn float_operation_count(&self) -> usize {
        let is_float = |it: &&Instruction| {
            matches!(
                it.class.opcode,
                Op::FAdd | Op::FSub | Op::FMul | Op::VectorTimesScalar
            )
        };
        self.module.all_inst_iter().filter(is_float).count()
    }

    fn structs(&self) -> impl Iterator<Item = &Instruction> {
        self.module
            .types_global_values
            .iter()
            .filter(|it| it.class.opcode == Op::TypeStruct)
    }

    fn global(&self, wanted: u32) -> Option<&Instruction> {
        self.module
            .types_global_values
            .iter()
            .find(|it| it.result_id == Some(wanted))
    }

    fn name(&self, id: Option<u32>) -> String {
        id.and_then(|id| self.names.get(&id)).cloned().unwrap_or_default()
    }

    fn member_name(&self, struct_id: u32, member: u32) -> Option<String> {
        self.module
            .debug_names
            .iter()
            .find(|it| {
                it.class.opcode == Op::MemberName
                    && id(&it.operands[0]) == struct_id
                    && number(&it.operands[1]) == member
            })
            .map(|it| string(&it.operands[2]))
    }

    fn is_number_of_32_bits(&self, type_id: u32) -> bool {
        self.global(type_id).is_some_and(|it| {
            matches!(it.class.opcode, Op::TypeInt | Op::TypeFloat)
                && it.operands.first() == Some(&Operand::LiteralBit32(32))
        })
    }

    fn pointee(&self, pointer: Option<u32>) -> Option<u32> {
        let pointer = self.global(pointer?)?;
        (pointer.class.opcode == Op::TypePointer).then(|| id(&pointer.operands[1]))
    }

    /// What an array is made of; anything else is itself.
    fn element(&self, type_id: u32) -> u32 {
        match self.global(type_id) {
            Some(it) if it.class.opcode == Op::TypeArray => id(&it.operands[0]),
            _ => type_id,
        }
    }

    fn decorations(&self, target: u32, decoration: Decoration) -> impl Iterator<Item = &Instruction> {
        self.module.annotations.iter().filter(move |it| {
            it.class.opcode == Op::Decorate
                && id(&it.operands[0]) == target
                && it.operands[1] == Operand::Decoration(decoration)
        })
    }

    /// The number of a decoration, where it is there and has one.
    fn decoration(&self, target: u32, decoration: Decoration) -> Option<u32> {
        self.decorations(target, decoration)
            .find_map(|it| it.operands.get(2).map(number))
    }

    fn member_decorations(&self, struct_id: u32, member: u32) -> impl Iterator<Item = &Instruction> {
        self.module.annotations.iter().filter(move |it| {
            it.class.opcode == Op::MemberDecorate
                && id(&it.operands[0]) == struct_id
                && number(&it.operands[1]) == member
        })
    }

    fn member_decoration(&self, struct_id: u32, member: u32, decoration: Decoration) -> Option<u32> {
        self.member_decorations(struct_id, member)
            .find(|it| it.operands[2] == Operand::Decoration(decoration))
            .and_then(|it| it.operands.get(3).map(number))
    }

    fn member_decoration_exists(&self, struct_id: u32, member: u32, decoration: Decoration) -> bool {
        self.member_decorations(struct_id, member)
            .any(|it| it.operands[2] == Operand::Decoration(decoration))
    }

    /// Variables that loads and stores reach, straight or through access chains.
    fn touched_variables(&self) -> (HashSet<u32>, HashSet<u32>) {
        let mut base: HashMap<u32, u32> = HashMap::new();
        let (mut read, mut written) = (HashSet::new(), HashSet::new());
        for it in self.module.all_inst_iter() {
            let root = |operand: &Operand| {
                let pointer = id(operand);
                base.get(&pointer).copied().unwrap_or(pointer)
            };
            match it.class.opcode {
                Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject => {
                    if let (Some(result), Some(operand)) = (it.result_id, it.operands.first()) {
                        let root = root(operand);
                        base.insert(result, root);
                    }
                }
                Op::Load | Op::AtomicLoad | Op::ArrayLength => {
                    read.extend(it.operands.first().map(root));
                }
                Op::Store | Op::AtomicStore | Op::CopyMemory => {
                    written.extend(it.operands.first().map(root));
                }
                Op::AtomicExchange
                | Op::AtomicCompareExchange
                | Op::AtomicIAdd
                | Op::AtomicISub
                | Op::AtomicIIncrement
                | Op::AtomicIDecrement
                | Op::AtomicUMin
                | Op::AtomicUMax
                | Op::AtomicSMin
                | Op::AtomicSMax
                | Op::AtomicAnd
                | Op::AtomicOr
                | Op::AtomicXor => {
                    let root = it.operands.first().map(root);
                    read.extend(root);
                    written.extend(root);
                }
                _ => {}
            }
        }
        (read, written)
    }
}

/// One side of a workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalSize {
    /// The specialization constant of this id.
    Specialization(u32),
    /// A number.
    Fixed(u32),
}

fn id(operand: &Operand) -> u32 {
    operand.id_ref_any().unwrap_or(u32::MAX)
}

fn number(operand: &Operand) -> u32 {
    if let Operand::LiteralBit32(number) = operand {
        *number
    } else {
        u32::MAX
    }
}

fn string(operand: &Operand) -> String {
    if let Operand::LiteralString(text) = operand {
        text.clone()
    } else {
        String::new()
    }
}
