//! The expression presets of VRM.

use crate::names::vocabulary::VRM;

/// What drives an expression by itself, so that others may hold it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Procedural {
    /// The eyelids: `blink`, `blinkLeft`, `blinkRight`.
    Blink,
    /// The gaze: `lookUp`, `lookDown`, `lookLeft`, `lookRight`.
    LookAt,
    /// Lip sync: `aa`, `ih`, `ou`, `ee`, `oh`.
    Mouth,
}

impl Procedural {
    /// All kinds, in the order of [`Overrides`](super::Overrides).
    pub const ALL: [Procedural; 3] = [Procedural::Blink, Procedural::LookAt, Procedural::Mouth];

    /// The kind that a preset of VRM 1.0 is of; `None` for emotions and names that are no preset.
    pub fn of_preset(name: &str) -> Option<Self> {
        match name {
            "blink" | "blinkLeft" | "blinkRight" => Some(Procedural::Blink),
            "lookUp" | "lookDown" | "lookLeft" | "lookRight" => Some(Procedural::LookAt),
            "aa" | "ih" | "ou" | "ee" | "oh" => Some(Procedural::Mouth),
            _ => None,
        }
    }
}

/// The name that a preset of VRM 0.x, in any case, has in VRM 1.0; `None` for what is no preset there.
///
/// ```
/// use morph_core::expression::preset_of_vrm0;
/// assert_eq!(preset_of_vrm0("Blink_L"), Some("blinkLeft"));
/// assert_eq!(preset_of_vrm0("unknown"), None);
/// ```
pub fn preset_of_vrm0(name: &str) -> Option<&'static str> {
    let is = |old: &str| old.eq_ignore_ascii_case(name);
    VRM.iter()
        .find(|(_, old)| old.is_some_and(is))
        .map(|(new, _)| *new)
}
