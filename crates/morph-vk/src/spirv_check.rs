//! Whether words are a compute module with a kernel's interface: one walk over the instructions, no validator.

/// What is wrong with a shader module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShaderProblem {
    /// A file that is not made of words.
    #[error("{size_bytes} bytes are not whole words of four bytes")]
    OddSize {
        /// The file's size.
        size_bytes: usize,
    },
    /// Not SPIR-V.
    #[error("it starts with {first_word:#010x}, not with SPIR-V's magic number 0x07230203")]
    NotSpirv {
        /// The first word; zero where there is none.
        first_word: u32,
    },
    /// A version that Vulkan 1.3 does not take.
    #[error("its SPIR-V version is {major}.{minor}; Vulkan 1.3 takes 1.0 to 1.6")]
    Version {
        /// Major version.
        major: u32,
        /// Minor version.
        minor: u32,
    },
    /// An instruction that is empty or passes the end.
    #[error(
        "the instruction at word {word} passes the end or is empty: the module was cut off or is damaged"
    )]
    Instruction {
        /// Its first word.
        word: usize,
    },
    /// The last function does not end.
    #[error("its last function does not end: the module was cut off")]
    CutOff,
    /// No entry point that the pipelines can name.
    #[error("it has no compute entry point `main`")]
    NoEntryPoint,
    /// A specialization constant that the pass sets is not there, so permutations would be alike.
    #[error("it has no specialization constant {id}: see `shader_interface` for what each means")]
    NoConstant {
        /// The constant's id.
        id: u32,
    },
    /// A resource that the pass does not bind.
    #[error("it uses binding {binding} of set {set}; the kernel has those below {binding_count} of set 0")]
    Binding {
        /// Descriptor set.
        set: u32,
        /// Binding.
        binding: u32,
        /// Bindings that the kernel has.
        binding_count: u32,
    },
}

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
const OP_ENTRY_POINT: u32 = 15;
const OP_FUNCTION_END: u32 = 56;
const OP_DECORATE: u32 = 71;
const MODEL_GL_COMPUTE: u32 = 5;
const DECORATION_SPEC_ID: u32 = 1;
const DECORATION_BINDING: u32 = 33;
const DECORATION_DESCRIPTOR_SET: u32 = 34;
/// `main` and the zero behind it, as the words of a literal.
const MAIN: [u32; 2] = [u32::from_le_bytes(*b"main"), 0];

/// Every one of `constants` must be declared, and no binding from `binding_count` on.
pub(crate) fn check(words: &[u32], constants: &[u32], binding_count: u32) -> Result<(), ShaderProblem> {
    let first_word = words.first().copied().unwrap_or(0);
    if first_word != MAGIC || words.len() < HEADER_WORDS {
        return Err(ShaderProblem::NotSpirv { first_word });
    }
    let (major, minor) = (words[1] >> 16 & 0xff, words[1] >> 8 & 0xff);
    if major != 1 || minor > 6 {
        return Err(ShaderProblem::Version { major, minor });
    }
    let mut has_entry_point = false;
    let mut declared = Vec::new();
    let mut last_operation = None;
    let mut at = HEADER_WORDS;
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        let Some(instruction) = words.get(at..at + length).filter(|it| !it.is_empty()) else {
            return Err(ShaderProblem::Instruction { word: at });
        };
        let (operation, operands) = (instruction[0] & 0xffff, &instruction[1..]);
        match (operation, operands) {
            (OP_ENTRY_POINT, [MODEL_GL_COMPUTE, _, name @ ..]) => has_entry_point |= name.starts_with(&MAIN),
            (OP_DECORATE, [_, DECORATION_SPEC_ID, id]) => declared.push(*id),
            (OP_DECORATE, [_, DECORATION_DESCRIPTOR_SET, set]) if *set != 0 => {
                return Err(ShaderProblem::Binding {
                    set: *set,
                    binding: 0,
                    binding_count,
                });
            }
            (OP_DECORATE, [_, DECORATION_BINDING, binding]) if *binding >= binding_count => {
                return Err(ShaderProblem::Binding {
                    set: 0,
                    binding: *binding,
                    binding_count,
                });
            }
            _ => {}
        }
        last_operation = Some(operation);
        at += length;
    }
    if !has_entry_point {
        return Err(ShaderProblem::NoEntryPoint);
    }
    if last_operation != Some(OP_FUNCTION_END) {
        return Err(ShaderProblem::CutOff);
    }
    match constants.iter().find(|id| !declared.contains(id)) {
        Some(id) => Err(ShaderProblem::NoConstant { id: *id }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pipelines::modules;
    use crate::shader_modules::ShaderModules;

    fn gather() -> Vec<u32> {
        ShaderModules::words(modules::GATHER).expect("whole words")
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(check(&[], &[], 4), Err(ShaderProblem::NotSpirv { first_word: 0 }));
        let mut words = gather();
        words[0] = MAGIC.swap_bytes();
        assert!(matches!(
            check(&words, &[], 4),
            Err(ShaderProblem::NotSpirv { .. })
        ));
        words[0] = MAGIC;
        words[1] = 0x0001_0700;
        assert_eq!(
            check(&words, &[], 4),
            Err(ShaderProblem::Version { major: 1, minor: 7 })
        );
        assert_eq!(
            check(&gather(), &[0, 99], 4),
            Err(ShaderProblem::NoConstant { id: 99 })
        );
        assert_eq!(
            check(&gather()[..HEADER_WORDS], &[], 4),
            Err(ShaderProblem::NoEntryPoint)
        );
        let mut words = gather();
        words.truncate(words.len() - 1);
        assert_eq!(check(&words, &[], 4), Err(ShaderProblem::CutOff));
        words.push(9 << 16);
        assert!(matches!(
            check(&words, &[], 4),
            Err(ShaderProblem::Instruction { .. })
        ));
        let mut words = gather();
        words.extend([4 << 16 | OP_DECORATE, 1, DECORATION_BINDING, 7]);
        assert_eq!(
            check(&words, &[], 4),
            Err(ShaderProblem::Binding {
                set: 0,
                binding: 7,
                binding_count: 4
            })
        );
    }

    proptest! {
        #[test]
        fn no_words_make_it_panic(
            cut in 0_usize..4000,
            changes in proptest::collection::vec((0_usize..4000, any::<u32>()), 0..8),
        ) {
            let mut words = gather();
            words.truncate(cut.max(1));
            for (at, word) in changes {
                let count = words.len();
                words[at % count] = word;
            }
            let _ = check(&words, &[0, 1, 2], 4);
        }
    }
}
