//! Clips as text: what is read and written, and what is refused, where.
#![cfg(feature = "yaml")]

mod common;

use common::{clip, cubic, hold, linear, step, track, weight_track};
use morph_anim::yaml::{self, YamlErrorKind};
use morph_anim::{Channel, Clip, ClipError, CurveError};
use proptest::prelude::*;

const TALK: &str = "\
version: 2
name: \"talk\"
tracks:
- node: \"head\"
  property: weight
  target: \"jawOpen\"
  interpolation: linear
  times: [0.0, 0.5]
  values: [0.0, 1.0]
- node: \"head\"
  property: rotation
  interpolation: cubicspline
  times: [0.0, 0.5]
  in_tangents: [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
  values: [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]
  out_tangents: [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
";

fn talk() -> Clip {
    let zero = [0.0; 4];
    let turn = [
        [zero, [0.0, 0.0, 0.0, 1.0], zero],
        [zero, [0.0, 1.0, 0.0, 0.0], zero],
    ];
    Clip {
        name: "talk".to_owned(),
        tracks: vec![
            weight_track("head", "jawOpen", linear(&[0.0, 0.5], &[[0.0], [1.0]])),
            track("head", Channel::Rotation(cubic(&[0.0, 0.5], &turn))),
        ],
    }
}

#[test]
fn a_clip_is_written_and_read() {
    assert_eq!(yaml::write(&talk()).as_deref(), Ok(TALK));
    assert_eq!(yaml::read(TALK, "talk.yaml"), Ok(talk()));
}

#[test]
fn what_people_write_otherwise_is_read_too() {
    let text = "
# A clip without a name, in whatever order.
tracks:
  - { node: head, target: 'yes', property: weight, interpolation: step, values: [1, -2.5e-1], times: [0,
      1.] }
version: 2
";
    let clip = yaml::read(text, "clip.yaml").expect("a clip");
    assert_eq!(clip.name, "");
    assert_eq!(
        clip.tracks,
        [weight_track("head", "yes", step(&[0.0, 1.0], &[[1.0], [-0.25]]))]
    );
    let windows = TALK.replace('\n', "\r\n");
    assert_eq!(yaml::read(windows, "talk.yaml"), Ok(talk()));
    let windows = TALK.replace('\n', "\r\n").replace("0.5]", "0.0]");
    let refused = yaml::read(windows, "talk.yaml").expect_err("refused");
    assert_eq!((refused.line, refused.column), (8, 16));
    let marked = format!("\u{feff}{}", TALK.replacen("version: 2", "version: 7", 1));
    let refused = yaml::read(marked, "talk.yaml").expect_err("refused");
    assert_eq!((refused.line, refused.column), (1, 10));
    let marked = format!("\u{feff}{TALK}");
    assert_eq!(yaml::read(marked, "talk.yaml"), Ok(talk()));
}

#[test]
fn the_version_is_the_least_that_the_content_needs() {
    let still = Clip::default();
    let moving = clip(vec![
        track("a", Channel::Translation(hold([0.0; 3]))),
        track("a", Channel::Rotation(hold([0.0, 0.0, 0.0, 1.0]))),
        track("a", Channel::Scale(hold([1.0; 3]))),
    ]);
    for (clip, version) in [(&still, 1), (&*moving, 1), (&talk(), 2)] {
        assert_eq!(yaml::needed_version(clip), version);
        let text = yaml::write(clip).expect("nothing comes twice");
        assert!(text.starts_with(&format!("version: {version}\n")), "{text}");
        assert_eq!(yaml::read(&text, "clip.yaml").as_ref(), Ok(clip));
    }
    // More than is needed may be said.
    let text = yaml::write(&moving).expect("nothing comes twice");
    let text = text.replacen("version: 1", "version: 2", 1);
    assert_eq!(yaml::read(&text, "clip.yaml").as_ref(), Ok(&*moving));
}

#[test]
fn equal_times_are_shared_again() {
    let tracks = ["a", "b", "c"].map(|target| weight_track("head", target, linear(&[0.0, 1.0], &[[0.0]; 2])));
    let text = yaml::write(&clip(tracks.to_vec())).expect("nothing comes twice");
    let read = yaml::read(text, "clip.yaml").expect("a clip");
    let times: Vec<_> = read
        .tracks
        .iter()
        .map(|track| match &track.channel {
            Channel::Weight { curve, .. } => curve.times().as_ptr(),
            _ => unreachable!("only weights were written"),
        })
        .collect();
    assert!(times.iter().all(|&at| at == times[0]));
}

#[test]
fn a_clip_that_drives_a_thing_twice_is_not_written() {
    let twice = clip(vec![weight_track("head", "jaw", hold([0.0])); 2]);
    assert!(matches!(
        yaml::write(&twice),
        Err(ClipError::DuplicateTrack { .. })
    ));
}

/// What is said about the example with one thing in it replaced.
fn refusal(from: &str, to: &str) -> String {
    assert!(TALK.contains(from), "{from}");
    let text = TALK.replacen(from, to, 1);
    yaml::read(text, "talk.yaml").expect_err(to).to_string()
}

#[test]
fn a_weight_track_without_a_target_is_an_error_with_file_line_and_column() {
    assert_eq!(
        refusal("  target: \"jawOpen\"\n", ""),
        "talk.yaml:5:13: a weight track needs the name of its morph target in the field `target`"
    );
}

/// What replaces what in the example, and what is then said of it.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "version: 2\n",
        "",
        "1:1: the field `version` is missing of the clip",
    ),
    (
        "version: 2",
        "version: 3",
        "1:10: the file is of version 3: versions 1 to 2 are read",
    ),
    (
        "version: 2",
        "version: 3\nfuture: 1",
        "1:10: the file is of version 3",
    ),
    ("version: 2", "version: 0", "1:10: the file is of version 0"),
    (
        "version: 2",
        "version: \"2\"",
        "1:10: a whole number is needed here",
    ),
    (
        "version: 2",
        "version: 1",
        "5:13: a weight track needs version 2, and the file says that it is of version 1",
    ),
    (
        "name:",
        "title:",
        "2:1: there is no field `title` of the clip: the fields are `version`, `name`, `tracks`",
    ),
    (
        "name: \"talk\"",
        "name: ~",
        "2:7: a name, in quotes where it is empty or `null` is needed here, and this is nothing",
    ),
    ("name: \"talk\"", "name: [1]", "2:7: a name"),
    (
        "  target:",
        "  taget:",
        "6:3: there is no field `taget` of the track",
    ),
    (
        "  target:",
        "  node: head\n  target:",
        "6:3: the field `node` comes a second time",
    ),
    (
        "- node: \"head\"\n",
        "- # no node\n",
        "5:3: the field `node` is missing of the track",
    ),
    (
        "weight",
        "weights",
        "5:13: `weights` is no property: choose among `translation`, `rotation`, `scale`, `weight`",
    ),
    (
        "linear",
        "cubic",
        "7:18: `cubic` is no interpolation: choose among `step`, `linear`, `cubicspline`",
    ),
    (
        "rotation\n",
        "rotation\n  target: jaw\n",
        "12:11: the field `target` belongs to weight tracks, which this is not",
    ),
    (
        "cubicspline",
        "linear",
        "14:16: the field `in_tangents` belongs to splines, which this is not",
    ),
    (
        "times: [0.0, 0.5]",
        "times: [0.5, 0.5]",
        "8:16: the time of key 1 is 0.5",
    ),
    (
        "times: [0.0, 0.5]",
        "times: [0.5,\n    0.25]",
        "9:5: the time of key 1 is 0.25",
    ),
    (
        "times: [0.0, 0.5]",
        "times: []",
        "9:11: there are 2 values for 0 times",
    ),
    (
        "times: [0.0, 0.5]",
        "times: 0.5",
        "8:10: a list of times is needed here, and this is the text \"0.5\"",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [0.0]",
        "9:11: there are 1 values for 2 times",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [0.0, .nan]",
        "9:17: `.nan` is no finite number",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [NaN, 1.0]",
        "9:12: `NaN` is no finite number",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [0.0, -.Inf]",
        "9:17: `-.Inf` is no finite number",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [0.0, infinity]",
        "9:17: `infinity` is no finite number",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [0.0, 1e39]",
        "9:17: `1e39` is no finite number",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [0.0, 0x10]",
        "9:17: a number, like what stands before it, is needed here, and this is the text \"0x10\"",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [0.0, \"1\"]",
        "9:17: a number, like what stands before it, is needed here",
    ),
    (
        "values: [0.0, 1.0]",
        "values: [0.0, [1.0]]",
        "9:17: a number, like what stands before it, is needed here, and this is a list",
    ),
    (
        "values: [[0.0, 0.0, 0.0, 1.0]",
        "values: [[0.0, 0.0, 1.0]",
        "15:12: this has 3 numbers: 4 are needed",
    ),
    (
        "values: [[0.0, 0.0, 0.0, 1.0]",
        "values: [1.0",
        "15:17: a number, like what stands before it, is needed here, and this is a list",
    ),
    (
        "values: [[0.0, 0.0, 0.0, 1.0], ",
        "values: [",
        "15:11: there are 1 values for 2 times",
    ),
    (
        "in_tangents: [[0.0, 0.0, 0.0, 0.0], ",
        "in_tangents: [",
        "14:16: there are 1 tangents for 2 times",
    ),
    (
        "  out_tangents",
        "  # out_tangents",
        "10:3: the field `out_tangents` is missing of the track",
    ),
    (
        "head\"\n  property: rotation\n",
        "head\"\n  property: weight\n  target: jawOpen\n",
        "16:11: a list of numbers, one for each time, is needed here, and this is a list",
    ),
];

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (from, to, said) in REFUSED {
        let refusal = refusal(from, to);
        assert!(
            refusal.starts_with(&format!("talk.yaml:{said}")),
            "{to:?} gives {refusal}"
        );
    }
}

#[test]
fn a_track_that_comes_twice_is_an_error_at_the_second() {
    let (head, tracks) = TALK.split_once("tracks:\n").expect("tracks");
    let text = format!("{head}tracks:\n{tracks}{tracks}");
    let refused = yaml::read(text, "talk.yaml").expect_err("refused").to_string();
    assert_eq!(
        refused,
        "talk.yaml:17:3: this track drives the weight of target `jawOpen` of node `head`, which track 0, counted from 0, \
         does already"
    );
}

#[test]
fn a_spline_of_one_key_is_refused_at_its_times() {
    let text = "version: 2
tracks:
- {node: a, property: weight, target: b, interpolation: cubicspline, times: [0],
   values: [0], in_tangents: [0], out_tangents: [0]}
";
    let refused = yaml::read(text, "clip.yaml").expect_err("refused");
    assert_eq!((refused.line, refused.column), (3, 77));
    let too_few = CurveError::TooFewKeys { least: 2, found: 1 };
    assert_eq!(refused.kind, YamlErrorKind::Curve(too_few));
}

#[test]
fn what_could_grow_or_is_not_a_clip_is_refused() {
    let kind = |text: &[u8]| yaml::read(text, "clip.yaml").expect_err("refused").kind;
    assert_eq!(kind(b"a: &x 1\nb: *x\n"), YamlErrorKind::Alias);
    assert_eq!(kind(b"version: !!int 2\n"), YamlErrorKind::Tag);
    assert_eq!(kind(b"--- {}\n--- {}\n"), YamlErrorKind::SecondDocument);
    assert_eq!(kind(b"[[[[[[1]]]]]]"), YamlErrorKind::TooDeep { limit: 5 });
    assert_eq!(
        kind("a: 0\n".repeat(20).as_bytes()),
        YamlErrorKind::TooManyFields { limit: 16 }
    );
    assert!(matches!(kind(b""), YamlErrorKind::Expected { .. }));
    assert!(matches!(kind(b"a: [1, 2"), YamlErrorKind::Syntax { .. }));
    for opening in ["[", "{a: ", "- "] {
        let deep = opening.repeat(100_000);
        assert!(matches!(
            kind(deep.as_bytes()),
            YamlErrorKind::TooDeep { .. } | YamlErrorKind::Syntax { .. }
        ));
    }
    let in_brackets = format!("- {{times: [{}]}}", "0, ".repeat(40_000));
    assert_eq!(
        kind(in_brackets.as_bytes()),
        YamlErrorKind::TooLong { limit: 65_536 }
    );
    let large = vec![b' '; yaml::MAX_BYTES + 1];
    let too_large = YamlErrorKind::TooLarge {
        bytes: yaml::MAX_BYTES + 1,
        limit: yaml::MAX_BYTES,
    };
    assert_eq!(kind(&large), too_large);
    let broken = yaml::read(b"version: 2\nna\xffme:", "clip.yaml").expect_err("refused");
    assert_eq!(broken.kind, YamlErrorKind::NotText);
    assert_eq!((broken.line, broken.column), (2, 3));
}

proptest! {
    #[test]
    fn a_damaged_file_is_read_or_refused_at_a_place_in_it(
        at in 0..TALK.len(), length in 0_usize..12, with in "[\\[\\]{}:,&*!|>'\"%#@`?~ \n\t0-9a-z.\\-]{0,6}",
    ) {
        let mut text = TALK.to_owned();
        text.replace_range(at..(at + length).min(TALK.len()), &with);
        if let Err(error) = yaml::read(&text, "clip.yaml") {
            prop_assert!(error.line <= text.lines().count() + 1, "{}", error);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), text in ".{0,200}") {
        let _ = yaml::read(bytes, "clip.yaml");
        let _ = yaml::read(text, "clip.yaml");
    }
}
