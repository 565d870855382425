//! The hazard controls: scenes with a barrier left out, which the layer must report.
//!
//! A silent run proves nothing until each barrier has one.

use morph_core::plan::BarrierKind;
use morph_render::{DeviceError, ValidationDesc, ValidationMessage};

use crate::cast::Reading;
use crate::drivers::Driver;
use crate::judge::{Generation, Judged, with_validation};
use crate::rig::RigError;
use crate::scenes::{
    DEGRADED, GATHER_X8Y16, GATHER_X32Y1, HIDE_AND_RETURN, ONE_COMMAND_BUFFER, SCATTER, Scene, SceneDesc,
    SceneReport,
};

const READ_AFTER_WRITE: &str = "SYNC-HAZARD-READ-AFTER-WRITE";
const WRITE_AFTER_WRITE: &str = "SYNC-HAZARD-WRITE-AFTER-WRITE";
const WRITE_AFTER_READ: &str = "SYNC-HAZARD-WRITE-AFTER-READ";

/// A scene with a barrier left out.
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// What is left out, and what meets then.
    pub name: &'static str,
    /// The barrier.
    pub barrier: BarrierKind,
    /// The scene.
    pub scene: Scene,
    /// Who reads in it.
    pub reading: Reading,
    /// Id of the message that a layer gives which sees it. There may be others beside it.
    pub message: &'static str,
    /// Whether layers of [`Generation::Old`] see it; those of [`Generation::New`] see them all.
    pub old_layers_see_it: bool,
}

impl Control {
    /// Id of the message that a layer of this generation must give, measured on lavapipe and SwiftShader alike; `None`
    /// where it is known to give none.
    pub fn expected(&self, generation: Generation) -> Option<&'static str> {
        (generation == Generation::New || self.old_layers_see_it).then_some(self.message)
    }

    /// Runs it under the layer.
    ///
    /// # Errors
    /// No device, or no layer.
    pub fn run(&self, driver: &Driver) -> Result<Judged<Result<SceneReport, RigError>>, DeviceError> {
        with_validation(driver, ValidationDesc::SYNCHRONIZATION, |device| {
            self.scene.run(
                device,
                SceneDesc {
                    reading: self.reading,
                    removed: Some(self.barrier),
                },
            )
        })
    }
}

/// Whether a hazard of this id was told.
pub fn is_reported(messages: &[ValidationMessage], id: &str) -> bool {
    messages.iter().any(|message| message.id == id)
}

/// Every control.
pub const CONTROLS: &[Control] = &[
    Control {
        name: "B3 publish: dispatch to draw",
        barrier: BarrierKind::Publish,
        scene: GATHER_X32Y1,
        reading: Reading::Draws,
        message: READ_AFTER_WRITE,
        old_layers_see_it: true,
    },
    Control {
        name: "B3 publish: dispatch to copy",
        barrier: BarrierKind::Publish,
        scene: GATHER_X8Y16,
        reading: Reading::Copies,
        message: READ_AFTER_WRITE,
        old_layers_see_it: true,
    },
    Control {
        name: "B3 publish: rest copy to draw (degraded)",
        barrier: BarrierKind::Publish,
        scene: DEGRADED,
        reading: Reading::Draws,
        message: READ_AFTER_WRITE,
        old_layers_see_it: true,
    },
    Control {
        name: "B2 between targets of scatter",
        barrier: BarrierKind::DispatchToDispatch,
        scene: SCATTER,
        reading: Reading::Nobody,
        message: WRITE_AFTER_WRITE,
        old_layers_see_it: false,
    },
    Control {
        name: "B1 copies to gather",
        barrier: BarrierKind::CopyToDispatch,
        scene: GATHER_X32Y1,
        reading: Reading::Nobody,
        message: READ_AFTER_WRITE,
        old_layers_see_it: true,
    },
    Control {
        name: "B1 rest copies to scatter",
        barrier: BarrierKind::CopyToDispatch,
        scene: SCATTER,
        reading: Reading::Nobody,
        message: WRITE_AFTER_WRITE,
        old_layers_see_it: true,
    },
    Control {
        name: "B0 reuse: across submits, draw to next dispatch",
        barrier: BarrierKind::Reuse,
        scene: GATHER_X8Y16,
        reading: Reading::Draws,
        message: WRITE_AFTER_READ,
        old_layers_see_it: false,
    },
    Control {
        name: "B0 reuse: across submits, nobody reads",
        barrier: BarrierKind::Reuse,
        scene: HIDE_AND_RETURN,
        reading: Reading::Nobody,
        message: WRITE_AFTER_WRITE,
        old_layers_see_it: false,
    },
    Control {
        name: "B0 reuse: across submits, scatter's rest copies",
        barrier: BarrierKind::Reuse,
        scene: SCATTER,
        reading: Reading::Nobody,
        message: WRITE_AFTER_WRITE,
        old_layers_see_it: false,
    },
    Control {
        name: "B0 reuse: within a command buffer",
        barrier: BarrierKind::Reuse,
        scene: ONE_COMMAND_BUFFER,
        reading: Reading::Draws,
        message: WRITE_AFTER_READ,
        old_layers_see_it: true,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_barrier_has_a_control_that_new_layers_see() {
        for kind in BarrierKind::ALL {
            let controls = CONTROLS.iter().filter(|control| control.barrier == kind);
            assert!(
                controls
                    .clone()
                    .any(|control| control.expected(Generation::New).is_some()),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn the_readme_has_the_table() {
        let readme = include_str!("../README.md");
        for control in CONTROLS {
            let old = if control.old_layers_see_it {
                "reported"
            } else {
                "not seen"
            };
            let row = format!("| {} | `{}` | reported | {old} |", control.name, control.message);
            assert!(readme.contains(&row), "validation/README.md lacks the row\n{row}");
        }
    }
}
