//! Names that trackers, avatars and tools agree on.

/// The 52 facial shapes of Apple's ARKit (`ARFaceAnchor.BlendShapeLocation`), in alphabetical order.
///
/// ARKit gives weights by name, so this order is of no meaning to it.
pub const ARKIT: [&str; 52] = [
    "browDownLeft",
    "browDownRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekPuff",
    "cheekSquintLeft",
    "cheekSquintRight",
    "eyeBlinkLeft",
    "eyeBlinkRight",
    "eyeLookDownLeft",
    "eyeLookDownRight",
    "eyeLookInLeft",
    "eyeLookInRight",
    "eyeLookOutLeft",
    "eyeLookOutRight",
    "eyeLookUpLeft",
    "eyeLookUpRight",
    "eyeSquintLeft",
    "eyeSquintRight",
    "eyeWideLeft",
    "eyeWideRight",
    "jawForward",
    "jawLeft",
    "jawOpen",
    "jawRight",
    "mouthClose",
    "mouthDimpleLeft",
    "mouthDimpleRight",
    "mouthFrownLeft",
    "mouthFrownRight",
    "mouthFunnel",
    "mouthLeft",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthPressLeft",
    "mouthPressRight",
    "mouthPucker",
    "mouthRight",
    "mouthRollLower",
    "mouthRollUpper",
    "mouthShrugLower",
    "mouthShrugUpper",
    "mouthSmileLeft",
    "mouthSmileRight",
    "mouthStretchLeft",
    "mouthStretchRight",
    "mouthUpperUpLeft",
    "mouthUpperUpRight",
    "noseSneerLeft",
    "noseSneerRight",
    "tongueOut",
];

/// The 52 categories of MediaPipe's face landmarker, in the order of its output.
///
/// They are ARKit's shapes without `tongueOut`, behind a score `_neutral` that no mesh has a target for.
pub const MEDIAPIPE: [&str; 52] = mediapipe();

const fn mediapipe() -> [&'static str; 52] {
    let mut names = ["_neutral"; 52];
    let mut at = 1;
    while at < names.len() {
        names[at] = ARKIT[at - 1];
        at += 1;
    }
    names
}

/// The expression presets of VRM, as (name in 1.0, name in 0.x).
///
/// `surprised` came with 1.0; 0.x writes its names in any case, of which these are the lower one.
pub const VRM: [(&str, Option<&str>); 18] = [
    ("happy", Some("joy")),
    ("angry", Some("angry")),
    ("sad", Some("sorrow")),
    ("relaxed", Some("fun")),
    ("surprised", None),
    ("aa", Some("a")),
    ("ih", Some("i")),
    ("ou", Some("u")),
    ("ee", Some("e")),
    ("oh", Some("o")),
    ("blink", Some("blink")),
    ("blinkLeft", Some("blink_l")),
    ("blinkRight", Some("blink_r")),
    ("lookUp", Some("lookup")),
    ("lookDown", Some("lookdown")),
    ("lookLeft", Some("lookleft")),
    ("lookRight", Some("lookright")),
    ("neutral", Some("neutral")),
];
