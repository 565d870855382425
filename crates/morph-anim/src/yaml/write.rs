//! From a clip to text.

use std::fmt::Write;

use super::{needed_version, word};
use crate::clip::{Channel, Clip, ClipError};
use crate::curve::{Curve, Keys};

/// Lists are broken before they are longer than this.
const LINE_WIDTH: usize = 100;

/// The text of a clip, of the least version that it needs; the same for the same clip.
///
/// # Errors
/// Where two tracks of the clip drive the same thing.
pub fn write(clip: &Clip) -> Result<String, ClipError> {
    clip.check()?;
    let mut text = String::new();
    line(&mut text, "", word::VERSION, &needed_version(clip).to_string());
    line(&mut text, "", word::NAME, &quoted(&clip.name));
    if clip.tracks.is_empty() {
        line(&mut text, "", word::TRACKS, "[]");
        return Ok(text);
    }
    text += word::TRACKS;
    text += ":\n";
    for track in &clip.tracks {
        line(&mut text, "- ", word::NODE, &quoted(&track.node));
        line(&mut text, "  ", word::PROPERTY, track.channel.property().name());
        match &track.channel {
            Channel::Translation(curve) | Channel::Scale(curve) => write_curve(&mut text, curve),
            Channel::Rotation(curve) => write_curve(&mut text, curve),
            Channel::Weight { target, curve } => {
                line(&mut text, "  ", word::TARGET, &quoted(target));
                write_curve(&mut text, curve);
            }
        }
    }
    Ok(text)
}

fn line(text: &mut String, indent: &str, name: &str, value: &str) {
    text.extend([indent, name, ": ", value, "\n"]);
}

fn write_curve<const N: usize>(text: &mut String, curve: &Curve<N>) {
    let interpolation = match curve.keys() {
        Keys::Step(_) => word::STEP,
        Keys::Linear(_) => word::LINEAR,
        Keys::CubicSpline(_) => word::CUBIC_SPLINE,
    };
    line(text, "  ", word::INTERPOLATION, interpolation);
    write_list(text, word::TIMES, curve.times().iter().map(|&time| number(time)));
    match curve.keys() {
        Keys::Step(values) | Keys::Linear(values) => write_list(text, word::VALUES, values.iter().map(row)),
        Keys::CubicSpline(keys) => {
            write_list(
                text,
                word::IN_TANGENTS,
                keys.iter().map(|key| row(&key.in_tangent)),
            );
            write_list(text, word::VALUES, keys.iter().map(|key| row(&key.value)));
            write_list(
                text,
                word::OUT_TANGENTS,
                keys.iter().map(|key| row(&key.out_tangent)),
            );
        }
    }
}

fn write_list(text: &mut String, name: &str, items: impl Iterator<Item = String>) {
    text.extend(["  ", name, ": ["]);
    let mut width = name.len() + 5;
    for (index, item) in items.enumerate() {
        if index > 0 {
            text.push(',');
            // A comma and a space before the item, a comma or bracket behind it.
            if width + item.len() + 3 > LINE_WIDTH {
                text.push_str("\n    ");
                width = 4;
            } else {
                text.push(' ');
                width += 2;
            }
        }
        width += item.len();
        text.push_str(&item);
    }
    text.push_str("]\n");
}

fn row<const N: usize>(row: &[f32; N]) -> String {
    let numbers = row.map(number).join(", ");
    if N == 1 { numbers } else { format!("[{numbers}]") }
}

/// The shortest decimal that no other `f32` is nearer to.
///
/// A mantissa has a point and an exponent a sign, since readers of YAML 1.1 take anything else for text.
fn number(x: f32) -> String {
    let text = format!("{x:?}");
    match text.split_once('e') {
        None => text,
        Some((mantissa, exponent)) => {
            let point = if mantissa.contains('.') { "" } else { ".0" };
            let sign = if exponent.starts_with('-') { "" } else { "+" };
            format!("{mantissa}{point}e{sign}{exponent}")
        }
    }
}

/// Text in double quotes; what an editor would not show or could change is escaped.
fn quoted(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 2);
    text.push('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\0'..='\x1f' | '\x7f'..='\u{9f}' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\x{:02X}", u32::from(c));
            }
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(text, "\\u{:04X}", u32::from(c));
            }
            _ => text.push(c),
        }
    }
    text.push('"');
    text
}
