//! A run under the validation layer, and what the layer said of it.

use std::collections::BTreeMap;
use std::fmt;

use morph_render::{
    DeviceError, HeadlessDevice, MESSAGE_FILTERS, ValidationDesc, ValidationLayer, ValidationMessage,
};

use crate::drivers::Driver;

/// A validation layer, by what it can see.
///
/// The versions between the two were not at hand; by their release notes the shader access heuristic came in 2025.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// Layers without `VK_EXT_layer_settings`, such as Debian 12's 1.3.239: no shader access heuristic, and nothing
    /// across submits.
    Old,
    /// Layers that take their settings from the program, such as Chromium's of late 2026.
    New,
}

impl Generation {
    /// The generation of a layer.
    pub fn of(layer: &ValidationLayer) -> Generation {
        if layer.has_layer_settings {
            Generation::New
        } else {
            Generation::Old
        }
    }
}

/// What came out of a run under the layer.
#[derive(Debug, Clone)]
pub struct Judged<R> {
    /// What the run itself returned.
    pub result: R,
    /// Messages, the end of the device included.
    pub messages: Vec<ValidationMessage>,
    /// Messages that a filter of [`MESSAGE_FILTERS`] set apart.
    pub filtered: Vec<ValidationMessage>,
    /// The layer.
    pub layer: ValidationLayer,
}

/// Runs something on a validated device, ends the device, and hands back what the layer said.
///
/// # Errors
/// No device, or no layer.
pub fn with_validation<R>(
    driver: &Driver,
    validation: ValidationDesc,
    run: impl FnOnce(&HeadlessDevice) -> R,
) -> Result<Judged<R>, DeviceError> {
    judge_device(driver.validated_device(validation)?, run)
}

/// The same on a device of one's own, which is ended.
///
/// # Errors
/// The device was made without the layer.
pub fn judge_device<R>(
    device: HeadlessDevice,
    run: impl FnOnce(&HeadlessDevice) -> R,
) -> Result<Judged<R>, DeviceError> {
    let layer = device
        .validation_layer()
        .cloned()
        .ok_or(DeviceError::NoValidationLayer { layers: Vec::new() })?;
    let log = device.message_log();
    let result = run(&device);
    // What is left alive on a device is told when it ends.
    drop(device);
    Ok(Judged {
        result,
        messages: log.messages(),
        filtered: log.filtered(),
        layer,
    })
}

/// Messages that should not be there, all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSilent {
    /// What was run.
    pub scene: String,
    /// The messages.
    pub messages: Vec<ValidationMessage>,
}

impl fmt::Display for NotSilent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} messages", self.scene, self.messages.len())?;
        self.messages
            .iter()
            .try_for_each(|message| writeln!(f, "  {message}"))
    }
}

impl std::error::Error for NotSilent {}

/// Nothing may have been said; the error shows every message.
///
/// # Errors
/// There is a message.
pub fn check_silent(scene: &str, messages: &[ValidationMessage]) -> Result<(), NotSilent> {
    if messages.is_empty() {
        return Ok(());
    }
    Err(NotSilent {
        scene: scene.to_owned(),
        messages: messages.to_vec(),
    })
}

/// As [`check_silent`], for tests.
///
/// # Panics
/// There is a message.
pub fn assert_silent(scene: &str, messages: &[ValidationMessage]) {
    if let Err(error) = check_silent(scene, messages) {
        panic!("{error}");
    }
}

/// How many messages each filter set apart, with the reason why it may.
pub fn filter_lines(filtered: &[ValidationMessage]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for message in filtered {
        *counts.entry(&message.id).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|(id, count)| {
            let filter = MESSAGE_FILTERS.iter().find(|filter| id.contains(filter.id));
            format!(
                "{count} × {id}: {}",
                filter.map_or("no filter names it", |filter| filter.reason)
            )
        })
        .collect()
}
