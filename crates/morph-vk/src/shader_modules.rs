//! Which SPIR-V the pipelines are built from: the crate's own, or what an engine compiled anew.

use std::borrow::Cow;

use morph_core::plan::Kernel;

use crate::error::MorphError;
use crate::pipelines::modules;
use crate::shader_interface::bindings;
use crate::spirv_check::{ShaderProblem, check};

/// Modules for [`MorphPass::reload_shaders`](crate::MorphPass::reload_shaders); a module that is not given is the
/// crate's own.
///
/// A module must have the interface of `shaders/morph/`: see [`shader_interface`](crate::shader_interface).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ShaderModules {
    gather: Option<Vec<u32>>,
    gather_skinned: Option<Vec<u32>>,
    scatter: Option<Vec<u32>>,
}

impl std::fmt::Debug for ShaderModules {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word_count = |words: &Option<Vec<u32>>| words.as_ref().map(Vec::len);
        formatter
            .debug_struct("ShaderModules")
            .field("gather_word_count", &word_count(&self.gather))
            .field("gather_skinned_word_count", &word_count(&self.gather_skinned))
            .field("scatter_word_count", &word_count(&self.scatter))
            .finish()
    }
}

impl ShaderModules {
    /// The crate's own.
    pub fn built_in() -> ShaderModules {
        ShaderModules::default()
    }

    /// Takes a module for the batched gather.
    ///
    /// Errors: words that are not SPIR-V, or whose interface is not the kernel's, as far as entry point, specialization
    /// constants and bindings tell. Whether the code is valid is for the compiler and `spirv-val` to say.
    pub fn with_gather(self, words: Vec<u32>) -> Result<ShaderModules, MorphError> {
        check_module("gather", &words, &[0, 1, 2], bindings::UNSKINNED_COUNT)?;
        Ok(ShaderModules {
            gather: Some(words),
            ..self
        })
    }

    /// Takes a module for the batched gather that skins; as [`with_gather`](Self::with_gather).
    pub fn with_gather_skinned(self, words: Vec<u32>) -> Result<ShaderModules, MorphError> {
        check_module("gather_skinned", &words, &[0, 1, 2], bindings::COUNT)?;
        Ok(ShaderModules {
            gather_skinned: Some(words),
            ..self
        })
    }

    /// Takes a module for scatter; as [`with_gather`](Self::with_gather).
    pub fn with_scatter(self, words: Vec<u32>) -> Result<ShaderModules, MorphError> {
        check_module("scatter", &words, &[0, 2], bindings::UNSKINNED_COUNT)?;
        Ok(ShaderModules {
            scatter: Some(words),
            ..self
        })
    }

    /// The words of a `.spv` file. An error where its size is not one of whole words.
    pub fn words(bytes: &[u8]) -> Result<Vec<u32>, MorphError> {
        let (words, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(MorphError::Shader {
                module: "file",
                problem: ShaderProblem::OddSize {
                    size_bytes: bytes.len(),
                },
            });
        }
        Ok(words.iter().map(|it| u32::from_le_bytes(*it)).collect())
    }

    pub(crate) fn of_kernel(&self, kernel: Kernel, round_to_nearest_even: bool) -> Cow<'_, [u32]> {
        let (given, plain, declared) = match kernel {
            Kernel::Scatter => (&self.scatter, modules::SCATTER, modules::SCATTER_RTE),
            Kernel::GatherX32Y1 | Kernel::GatherX8Y16 => (&self.gather, modules::GATHER, modules::GATHER_RTE),
            Kernel::SkinnedX32Y1 | Kernel::SkinnedX8Y16 => (
                &self.gather_skinned,
                modules::GATHER_SKINNED,
                modules::GATHER_SKINNED_RTE,
            ),
        };
        let own = if round_to_nearest_even { declared } else { plain };
        if let Some(words) = given {
            return Cow::Borrowed(words);
        }
        // `include_bytes!` promises no alignment; a module is words.
        let words = own.as_chunks::<4>().0.iter();
        words.map(|it| u32::from_le_bytes(*it)).collect()
    }
}

fn check_module(
    module: &'static str,
    words: &[u32],
    constants: &[u32],
    binding_count: u32,
) -> Result<(), MorphError> {
    check(words, constants, binding_count).map_err(|problem| MorphError::Shader { module, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_own_modules_pass_their_own_check() {
        type Take = fn(ShaderModules, Vec<u32>) -> Result<ShaderModules, MorphError>;
        let all: [(&[u8], Take); 6] = [
            (modules::GATHER, ShaderModules::with_gather),
            (modules::GATHER_RTE, ShaderModules::with_gather),
            (modules::GATHER_SKINNED, ShaderModules::with_gather_skinned),
            (modules::GATHER_SKINNED_RTE, ShaderModules::with_gather_skinned),
            (modules::SCATTER, ShaderModules::with_scatter),
            (modules::SCATTER_RTE, ShaderModules::with_scatter),
        ];
        for (bytes, take) in all {
            let words = ShaderModules::words(bytes).expect("whole words");
            let taken = take(ShaderModules::built_in(), words);
            assert!(taken.is_ok(), "{taken:?}");
        }
    }

    #[test]
    fn a_module_of_another_kernel_or_a_cut_off_file_is_refused() {
        let scatter = ShaderModules::words(modules::SCATTER).expect("whole words");
        let refused = ShaderModules::built_in().with_gather(scatter);
        assert!(
            matches!(
                refused,
                Err(MorphError::Shader {
                    module: "gather",
                    problem: ShaderProblem::NoConstant { id: 1 }
                })
            ),
            "{refused:?}"
        );
        let refused = ShaderModules::words(&modules::GATHER[..modules::GATHER.len() - 1]);
        assert!(refused.is_err_and(|error| error.to_string().contains("whole words")));
    }
}
