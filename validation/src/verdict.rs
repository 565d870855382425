//! One driver under one layer: every scene, every control, summed up.

use std::fmt;

use morph_render::{DeviceError, ValidationDesc, ValidationLayer, ValidationMessage};

use crate::cast::Reading;
use crate::controls::{CONTROLS, Control, is_reported};
use crate::drivers::Driver;
use crate::judge::{Generation, filter_lines, with_validation};
use crate::scenes::{SCENES, Scene, SceneDesc};

/// A clean scene.
#[derive(Debug, Clone)]
pub struct SceneOutcome {
    /// Which.
    pub scene: Scene,
    /// Who read.
    pub reading: Reading,
    /// Frames submitted.
    pub frame_count: u32,
    /// Messages; there should be none.
    pub messages: Vec<ValidationMessage>,
    /// What went wrong apart from messages; a difference to the host among it.
    pub failure: Option<String>,
}

/// A control.
#[derive(Debug, Clone)]
pub struct ControlOutcome {
    /// Which.
    pub control: Control,
    /// What this layer should say; `None` where it is known not to see it.
    pub expected: Option<&'static str>,
    /// Whether it was said.
    pub is_reported: bool,
    /// The ids of all messages, each once.
    pub ids: Vec<String>,
    /// What went wrong; no barrier of the kind in any plan among it.
    pub failure: Option<String>,
}

impl ControlOutcome {
    /// Whether the control did what it is there for: reported where the layer can see it.
    pub fn is_good(&self) -> bool {
        self.failure.is_none() && (self.expected.is_none() || self.is_reported)
    }
}

/// What one driver under one layer gave.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The driver.
    pub driver: Driver,
    /// The layer.
    pub layer: ValidationLayer,
    /// Clean scenes.
    pub scenes: Vec<SceneOutcome>,
    /// Controls.
    pub controls: Vec<ControlOutcome>,
    /// Messages that filters set apart.
    pub filtered: Vec<ValidationMessage>,
}

/// Runs every scene and every control on a driver, under the layer that the loader takes.
///
/// # Errors
/// No device, or no layer.
pub fn judge_driver(driver: &Driver) -> Result<Verdict, DeviceError> {
    let mut filtered = Vec::new();
    let mut scenes = Vec::new();
    let mut layer = None;
    // Two kinds of readers: one that a frame is published to and nothing else, and everything at once.
    for reading in [Reading::Draws, Reading::Everything] {
        for scene in SCENES {
            let judged = with_validation(driver, ValidationDesc::SYNCHRONIZATION, |device| {
                scene.run(device, SceneDesc::clean(reading))
            })?;
            filtered.extend(judged.filtered);
            let (frame_count, failure) = match judged.result {
                Ok(report) => (report.frame_count, None),
                Err(error) => (0, Some(error.to_string())),
            };
            scenes.push(SceneOutcome {
                scene,
                reading,
                frame_count,
                messages: judged.messages,
                failure,
            });
            layer = Some(judged.layer);
        }
    }
    let layer = layer.ok_or(DeviceError::NoValidationLayer { layers: Vec::new() })?;
    let generation = Generation::of(&layer);
    let controls = CONTROLS
        .iter()
        .map(|control| {
            let judged = control.run(driver)?;
            let expected = control.expected(generation);
            let mut ids: Vec<String> = judged.messages.iter().map(|message| message.id.clone()).collect();
            ids.sort_unstable();
            ids.dedup();
            let failure = match judged.result {
                Ok(report) if report.removed_count == 0 => Some("no plan had such a barrier".to_owned()),
                Ok(_) => None,
                Err(error) => Some(error.to_string()),
            };
            let is_reported = expected.is_some_and(|id| is_reported(&judged.messages, id));
            Ok(ControlOutcome {
                control: *control,
                expected,
                is_reported,
                ids,
                failure,
            })
        })
        .collect::<Result<_, DeviceError>>()?;
    Ok(Verdict {
        driver: driver.clone(),
        layer,
        scenes,
        controls,
        filtered,
    })
}

impl Verdict {
    /// Whether every scene was silent and right, and every control reported that this layer can see.
    pub fn is_good(&self) -> bool {
        self.scenes
            .iter()
            .all(|it| it.messages.is_empty() && it.failure.is_none())
            && self.controls.iter().all(ControlOutcome::is_good)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames: u32 = self.scenes.iter().map(|it| it.frame_count).sum();
        let messages: usize = self.scenes.iter().map(|it| it.messages.len()).sum();
        let seen = self.controls.iter().filter(|it| it.expected.is_some());
        let reported = seen.clone().filter(|it| it.is_reported).count();
        writeln!(f, "{} under {}", self.driver, self.layer)?;
        writeln!(
            f,
            "  {} scenes, {frames} frames, {messages} messages; {reported} of {} controls reported, {} beyond this layer",
            self.scenes.len(),
            seen.count(),
            self.controls.iter().filter(|it| it.expected.is_none()).count(),
        )?;
        for scene in &self.scenes {
            if let Some(failure) = &scene.failure {
                writeln!(
                    f,
                    "  scene {} ({:?}) FAILED: {failure}",
                    scene.scene.name, scene.reading
                )?;
            }
            for message in &scene.messages {
                writeln!(f, "  scene {} ({:?}): {message}", scene.scene.name, scene.reading)?;
            }
        }
        for outcome in &self.controls {
            let verdict = match (outcome.expected, outcome.is_reported) {
                (Some(id), true) => format!("reported as {id}"),
                (Some(id), false) => format!("NOT REPORTED as {id}"),
                (None, _) => "not seen by this layer".to_owned(),
            };
            write!(f, "  control {}: {verdict}", outcome.control.name)?;
            writeln!(
                f,
                " (said: {})",
                if outcome.ids.is_empty() {
                    "nothing".to_owned()
                } else {
                    outcome.ids.join(", ")
                }
            )?;
            if let Some(failure) = &outcome.failure {
                writeln!(f, "    FAILED: {failure}")?;
            }
        }
        for line in filter_lines(&self.filtered) {
            writeln!(f, "  filtered: {line}")?;
        }
        Ok(())
    }
}
