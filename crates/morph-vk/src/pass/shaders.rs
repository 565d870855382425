//! Pipelines: built later, built elsewhere, replaced while frames run.

use crate::error::MorphError;
use crate::pass::MorphPass;
use crate::pass::parts::pipeline_builder;
use crate::pipeline_builder::{BuiltPipelines, PipelineBuilder};
use crate::shader_modules::ShaderModules;

impl MorphPass {
    /// Builds the pipelines that [`MorphPassDesc::defer_pipelines`](crate::MorphPassDesc::defer_pipelines) left out;
    /// does nothing where all are there.
    ///
    /// On an error the pass goes on as before: frames stay degraded and this may be called again.
    ///
    /// # Safety
    ///
    /// The device must be live.
    pub unsafe fn build_pipelines(&mut self) -> Result<(), MorphError> {
        if self.pipelines_ready() {
            return Ok(());
        }
        // SAFETY: handed on; the crate's own modules are valid.
        unsafe { self.reload_shaders(&ShaderModules::built_in()) }
    }

    /// Whether kernels can run; until then frames are degraded.
    pub fn pipelines_ready(&self) -> bool {
        self.pipelines.ready(self.desc.kernels())
    }

    /// Builds all pipelines anew out of other modules and uses them from the next frame on, which writes every morphed
    /// instance again. Those before are destroyed when the last frame that may use them is done.
    ///
    /// On an error the pipelines before stay in use.
    ///
    /// # Safety
    ///
    /// As for [`PipelineBuilder::build`].
    pub unsafe fn reload_shaders(&mut self, modules: &ShaderModules) -> Result<(), MorphError> {
        if self.destroyed {
            return Err(MorphError::Destroyed);
        }
        // SAFETY: handed on; the pass lives.
        let built = unsafe { self.pipeline_builder().build(modules) }?;
        // SAFETY: the device is live; the pipelines are this pass's.
        unsafe { self.install_pipelines(built) }
    }

    /// For building pipelines on another thread.
    pub fn pipeline_builder(&self) -> PipelineBuilder {
        pipeline_builder(&self.device.0, &self.names, &self.desc, &self.pipelines)
    }

    /// Takes pipelines that were built elsewhere, as [`reload_shaders`](Self::reload_shaders) does.
    ///
    /// An error, which destroys them, where they were built for another pass or the pass was destroyed.
    ///
    /// # Safety
    ///
    /// The device that they were built on must be live.
    pub unsafe fn install_pipelines(&mut self, pipelines: BuiltPipelines) -> Result<(), MorphError> {
        let refusal = if self.destroyed {
            Some(MorphError::Destroyed)
        } else if pipelines.belong_to(&self.device.0, self.pipelines.layout) {
            None
        } else {
            Some(MorphError::ForeignPipelines)
        };
        if let Some(error) = refusal {
            // SAFETY: handed on.
            unsafe { pipelines.destroy() };
            return Err(error);
        }
        let replaces = self.pipelines_ready();
        self.pipelines
            .replace(pipelines.into_table(), self.scene.last_frame());
        if replaces {
            self.scene.write_all_again();
        }
        Ok(())
    }
}
