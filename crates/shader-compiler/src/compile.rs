//! From GLSL to SPIR-V, by shaderc.

use anyhow::{Context, anyhow, bail};
use shaderc::{
    CompileOptions, Compiler, EnvVersion, OptimizationLevel, ResolvedInclude, ShaderKind, SourceLanguage,
    SpirvVersion, TargetEnv,
};

use crate::list::{Module, Stage};
use crate::sources::{Sources, include_path};

/// The options in words; part of every module's source hash, so that changing an option makes all modules stale.
///
/// - Vulkan 1.1 with SPIR-V 1.3 is the least that the drivers we support share.
/// - No optimization: the optimizer of SPIRV-Tools fuses a multiply and an add where `precise` is missing, which a
///   software driver never shows, and drivers optimize for themselves. What is committed is what was written.
/// - Debug information: tests read the names of members and bindings from the modules, and a capture shows the source.
/// - Warnings are errors.
pub(crate) const OPTIONS: &str = "vulkan1.1 spirv1.3 no-optimization debug-info warnings-are-errors";

/// Compiles one module.
///
/// # Errors
/// The compiler's own messages, one a line as `file:line: error: what`, with paths below the workspace root.
pub(crate) fn compile(compiler: &Compiler, module: &Module, sources: &Sources) -> anyhow::Result<Vec<u8>> {
    let mut options = CompileOptions::new().context("shaderc gave no options object")?;
    options.set_source_language(SourceLanguage::GLSL);
    options.set_target_env(TargetEnv::Vulkan, EnvVersion::Vulkan1_1 as u32);
    options.set_target_spirv(SpirvVersion::V1_3);
    options.set_optimization_level(OptimizationLevel::Zero);
    options.set_generate_debug_info();
    options.set_warnings_as_errors();
    for (name, value) in module.definitions() {
        options.add_macro_definition(name, value);
    }
    options.set_include_callback(|name, _, wanted_by, _| {
        let path = include_path(name);
        // Files come from the set that was hashed: what cannot be found there would not be noticed when it changes.
        match sources.texts.get(&path) {
            Some(text) => Ok(ResolvedInclude {
                resolved_name: path,
                content: text.clone(),
            }),
            None => Err(format!(
                "{wanted_by} includes {path}, which was not found when the sources were read"
            )),
        }
    });
    let artifact = compiler
        .compile_into_spirv(
            sources.main_text(),
            kind(module.stage),
            &sources.main,
            "main",
            Some(&options),
        )
        .map_err(|error| match error {
            shaderc::Error::CompilationError(_, messages) => anyhow!("{}", messages.trim_end()),
            other => anyhow!("{}: {other}", sources.main),
        })?;
    let spv = artifact.as_binary_u8();
    if spv.is_empty() {
        bail!("{}: the compiler gave an empty module", sources.main);
    }
    Ok(spv.to_vec())
}

/// The compiler's name for a stage.
fn kind(stage: Stage) -> ShaderKind {
    match stage {
        Stage::Compute => ShaderKind::Compute,
        Stage::Vertex => ShaderKind::Vertex,
        Stage::Fragment => ShaderKind::Fragment,
        Stage::Task => ShaderKind::Task,
        Stage::Mesh => ShaderKind::Mesh,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn sources(main: &str, include: &str) -> Sources {
        Sources {
            main: "shaders/t.comp".into(),
            texts: BTreeMap::from([
                ("shaders/t.comp".into(), main.into()),
                ("shaders/include/t.glsl".into(), include.into()),
            ]),
        }
    }

    fn module() -> Module {
        Module {
            name: "t".into(),
            source: "t.comp".into(),
            stage: Stage::Compute,
            defines: vec!["COUNT=3".into()],
        }
    }

    const MAIN: &str = "#version 450\n#include \"t.glsl\"\nlayout(local_size_x = 8) in;\n\
        layout(std430, set = 0, binding = 0) buffer Named { float values[COUNT]; } named;\n\
        void main() { named.values[0] = twice(named.values[1]); }\n";
    const INCLUDE: &str = "float twice(float x) { precise float y = x * 2.0 + x; return y; }\n";

    #[test]
    fn is_deterministic_keeps_names_and_does_not_fuse() {
        let compiler = Compiler::new().unwrap();
        let spv = compile(&compiler, &module(), &sources(MAIN, INCLUDE)).unwrap();
        assert_eq!(
            spv,
            compile(&Compiler::new().unwrap(), &module(), &sources(MAIN, INCLUDE)).unwrap()
        );
        assert_eq!(spv[..4], 0x0723_0203_u32.to_le_bytes());
        assert_eq!(spv[4..8], 0x0001_0300_u32.to_le_bytes(), "SPIR-V 1.3");
        let text = String::from_utf8_lossy(&spv);
        assert!(text.contains("values"));
        assert!(text.contains("Named"));
    }

    #[test]
    fn errors_name_file_and_line_in_includes_too() {
        let compiler = Compiler::new().unwrap();
        let broken_include = "\nfloat twice(float x) { return y; }\n";
        let message = compile(&compiler, &module(), &sources(MAIN, broken_include))
            .unwrap_err()
            .to_string();
        assert!(message.contains("shaders/include/t.glsl:2:"), "{message}");
        let broken_main = MAIN.replace("named.values[0] =", "named.valeus[0] =");
        let message = compile(&compiler, &module(), &sources(&broken_main, INCLUDE))
            .unwrap_err()
            .to_string();
        assert!(message.contains("shaders/t.comp:5:"), "{message}");
    }

    #[test]
    fn an_include_outside_the_hashed_set_is_refused() {
        let main = MAIN.replace("t.glsl", "other.glsl");
        let message = compile(&Compiler::new().unwrap(), &module(), &sources(&main, INCLUDE))
            .unwrap_err()
            .to_string();
        assert!(message.contains("shaders/include/other.glsl"), "{message}");
    }
}
