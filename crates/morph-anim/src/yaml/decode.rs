//! From a YAML document to a clip.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tree::{Content, Fault, Node, Place, excerpt, is_nothing, line_and_column, parse};
use super::{MAX_BYTES, NEWEST_VERSION, YamlError, YamlErrorKind, version_of, word};
use crate::clip::{Channel, Clip, Property, Track, describe};
use crate::curve::{CubicKey, Curve, CurveError, Keys};

const CLIP_FIELDS: &[&str] = &[word::VERSION, word::NAME, word::TRACKS];
const TRACK_FIELDS: &[&str] = &[
    word::NODE,
    word::PROPERTY,
    word::TARGET,
    word::INTERPOLATION,
    word::TIMES,
    word::VALUES,
    word::IN_TANGENTS,
    word::OUT_TANGENTS,
];
const INTERPOLATIONS: &[&str] = &[word::STEP, word::LINEAR, word::CUBIC_SPLINE];
const PROPERTIES: &[&str] = &{
    let mut names = [""; Property::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Property::ALL[i].name();
        i += 1;
    }
    names
};

/// Reads a clip from the bytes of a file; `file` is what errors call it.
///
/// # Errors
/// Where the file is no clip as this module's documentation defines it, with line and column.
///
/// ```
/// let text = "version: 2\ntracks:\n- node: head\n  property: weight\n";
/// let error = morph_anim::yaml::read(text, "talk.yaml").expect_err("no target");
/// assert_eq!(
///     error.to_string(),
///     "talk.yaml:4:13: a weight track needs the name of its morph target in the field `target`"
/// );
/// ```
pub fn read(bytes: impl AsRef<[u8]>, file: &str) -> Result<Clip, YamlError> {
    let bytes = bytes.as_ref();
    let at = |(line, column), kind| YamlError {
        file: file.to_owned(),
        line,
        column,
        kind,
    };
    if bytes.len() > MAX_BYTES {
        let (bytes, limit) = (bytes.len(), MAX_BYTES);
        return Err(at((1, 1), YamlErrorKind::TooLarge { bytes, limit }));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let text = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        at(line_and_column(&text, Place::MAX), YamlErrorKind::NotText)
    })?;
    // A mark of the byte order is no character of the first line.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let clip = parse(text).and_then(|document| clip(&document));
    clip.map_err(|(place, kind)| at(line_and_column(text, place), kind))
}

fn clip(document: &Node) -> Result<Clip, Fault> {
    // The version first: a file of a newer one may have fields that are not known here.
    if let Content::Map(nodes) = &document.content {
        let named = nodes
            .chunks_exact(2)
            .find(|pair| is_word(&pair[0], word::VERSION));
        named.map_or(Ok(0), |pair| version(&pair[1]))?;
    }
    let fields = Fields::new(document, "of the clip", CLIP_FIELDS)?;
    let version = version(fields.needed(word::VERSION)?)?;
    let name = fields.get(word::NAME).map_or(Ok(""), string)?.to_owned();
    let list = fields.needed(word::TRACKS)?;
    let Content::List(nodes) = &list.content else {
        return Err(list.expected("a list of tracks"));
    };
    let mut tracks: Vec<Track> = Vec::with_capacity(nodes.len());
    let mut times = Arc::from([]);
    for node in nodes {
        tracks.push(track(node, version, &mut times)?);
    }
    check_distinct(&tracks, nodes)?;
    Ok(Clip { name, tracks })
}

fn check_distinct(tracks: &[Track], nodes: &[Node]) -> Result<(), Fault> {
    let mut first = BTreeMap::new();
    for (index, (track, node)) in tracks.iter().zip(nodes).enumerate() {
        if let Some(first) = first.insert(track.identity(), index) {
            let kind = YamlErrorKind::DuplicateTrack {
                driven: describe(track.identity()),
                first,
            };
            return Err((node.place, kind));
        }
    }
    Ok(())
}

fn version(node: &Node) -> Result<u32, Fault> {
    let Content::Plain(text) = &node.content else {
        return Err(node.expected("a whole number"));
    };
    match text.parse() {
        Ok(version) if (1..=NEWEST_VERSION).contains(&version) => Ok(version),
        _ => {
            let (version, newest) = (excerpt(text), NEWEST_VERSION);
            let meant = |whole: &u32| text.parse() == Ok(f64::from(*whole));
            if let Some(whole) = (1..=NEWEST_VERSION).find(meant) {
                return Err((node.place, YamlErrorKind::VersionNotWhole { version, whole }));
            }
            Err((node.place, YamlErrorKind::UnknownVersion { version, newest }))
        }
    }
}

fn track(node: &Node, version: u32, times: &mut Arc<[f32]>) -> Result<Track, Fault> {
    let fields = Fields::new(node, "of the track", TRACK_FIELDS)?;
    let named = fields.needed(word::PROPERTY)?;
    let property = choose(named, "property", PROPERTIES, &Property::ALL)?;
    let needed = version_of(property);
    if version < needed {
        let kind = YamlErrorKind::VersionTooLow {
            property: property.name(),
            needed,
            declared: version,
        };
        return Err((named.place, kind));
    }
    let target = match (property, fields.get(word::TARGET)) {
        (Property::Weight, None) => return Err((named.place, YamlErrorKind::WeightWithoutTarget)),
        (_, None) => None,
        (Property::Weight, Some(target)) => Some(string(target)?.to_owned()),
        (_, Some(target)) => return Err(misplaced(target, word::TARGET, "weight tracks")),
    };
    let name = string(fields.needed(word::NODE)?)?.to_owned();
    let channel = match (property, target) {
        (Property::Translation, _) => Channel::Translation(curve(&fields, times)?),
        (Property::Rotation, _) => Channel::Rotation(curve(&fields, times)?),
        (Property::Scale, _) => Channel::Scale(curve(&fields, times)?),
        (Property::Weight, target) => Channel::Weight {
            target: target.unwrap_or_default(),
            curve: curve(&fields, times)?,
        },
    };
    Ok(Track { node: name, channel })
}

/// Reads a curve. `shared` are the times of the track before, which are shared where they are the same.
fn curve<const N: usize>(fields: &Fields, shared: &mut Arc<[f32]>) -> Result<Curve<N>, Fault> {
    let interpolation = choose(
        fields.needed(word::INTERPOLATION)?,
        "interpolation",
        INTERPOLATIONS,
        INTERPOLATIONS,
    )?;
    let time_node = fields.needed(word::TIMES)?;
    let timed = numbers(time_node, "a list of times")?;
    let is_shared = timed.len() == shared.len()
        && timed
            .iter()
            .zip(shared.iter())
            .all(|(&(_, time), same)| time.to_bits() == same.to_bits());
    if !is_shared {
        *shared = timed.iter().map(|&(_, time)| time).collect();
    }
    let value_node = fields.needed(word::VALUES)?;
    let values = rows::<N>(value_node)?;
    let keys = if interpolation == word::CUBIC_SPLINE {
        let ins = tangents::<N>(fields, word::IN_TANGENTS, shared.len())?;
        let outs = tangents::<N>(fields, word::OUT_TANGENTS, shared.len())?;
        if values.len() != shared.len() {
            let (times, values) = (shared.len(), values.len());
            return Err((value_node.place, CurveError::Count { times, values }.into()));
        }
        let keys = values.into_iter().zip(ins.into_iter().zip(outs));
        let keys = keys.map(|(value, (in_tangent, out_tangent))| CubicKey {
            in_tangent,
            value,
            out_tangent,
        });
        Keys::CubicSpline(keys.collect())
    } else {
        for name in [word::IN_TANGENTS, word::OUT_TANGENTS] {
            if let Some(node) = fields.get(name) {
                return Err(misplaced(node, name, "splines"));
            }
        }
        if interpolation == word::STEP {
            Keys::Step(values)
        } else {
            Keys::Linear(values)
        }
    };
    Curve::new(Arc::clone(shared), keys).map_err(|error| {
        let place = match error {
            CurveError::Time { key, .. } => timed.get(key).map_or(time_node.place, |&(place, _)| place),
            CurveError::TooFewKeys { .. } => time_node.place,
            _ => value_node.place,
        };
        (place, error.into())
    })
}

fn tangents<const N: usize>(
    fields: &Fields,
    name: &'static str,
    times: usize,
) -> Result<Vec<[f32; N]>, Fault> {
    let node = fields.needed(name)?;
    let rows = rows::<N>(node)?;
    if rows.len() != times {
        let tangents = rows.len();
        return Err((node.place, YamlErrorKind::TangentCount { times, tangents }));
    }
    Ok(rows)
}

/// A list of numbers, or of lists of `N` numbers where `N` is more than one.
fn rows<const N: usize>(node: &Node) -> Result<Vec<[f32; N]>, Fault> {
    if N == 1 {
        let numbers = numbers(node, "a list of numbers, one for each time,")?;
        return Ok(numbers.iter().map(|&(_, number)| [number; N]).collect());
    }
    let Content::List(nodes) = &node.content else {
        return Err(node.expected("a list of lists of numbers, one for each time,"));
    };
    let row = |node: &Node| {
        let numbers = numbers(node, "a list of numbers")?;
        if numbers.len() != N {
            let (needed, found) = (N, numbers.len());
            return Err((node.place, YamlErrorKind::ComponentCount { needed, found }));
        }
        Ok(std::array::from_fn(|i| numbers[i].1))
    };
    nodes.iter().map(row).collect()
}

fn numbers<'a>(node: &'a Node, what: &'static str) -> Result<&'a [(Place, f32)], Fault> {
    match &node.content {
        Content::Numbers(numbers) => Ok(numbers),
        Content::List(nodes) if nodes.is_empty() => Ok(&[]),
        _ => Err(node.expected(what)),
    }
}

fn string(node: &Node) -> Result<&str, Fault> {
    match &node.content {
        Content::Quoted(text) => Ok(text),
        Content::Plain(text) if !is_nothing(text) => Ok(text),
        _ => Err(node.expected("a name, in quotes where it is empty or `null`")),
    }
}

fn choose<T: Copy>(
    node: &Node,
    what: &'static str,
    known: &'static [&'static str],
    meant: &[T],
) -> Result<T, Fault> {
    let word = string(node)?;
    let chosen = known.iter().zip(meant).find(|&(&name, _)| name == word);
    chosen.map(|(_, &meant)| meant).ok_or_else(|| {
        let word = excerpt(word);
        (node.place, YamlErrorKind::UnknownWord { word, what, known })
    })
}

fn is_word(node: &Node, word: &str) -> bool {
    matches!(&node.content, Content::Plain(text) | Content::Quoted(text) if text == word)
}

fn misplaced(node: &Node, name: &'static str, belongs_to: &'static str) -> Fault {
    (node.place, YamlErrorKind::MisplacedField { name, belongs_to })
}

/// The fields of a map, all of them known and none there twice.
struct Fields<'a> {
    place: Place,
    of: &'static str,
    by_name: BTreeMap<&'a str, &'a Node>,
}

impl<'a> Fields<'a> {
    fn new(node: &'a Node, of: &'static str, known: &'static [&'static str]) -> Result<Self, Fault> {
        let Content::Map(nodes) = &node.content else {
            return Err(node.expected("a map of fields"));
        };
        let mut by_name = BTreeMap::new();
        for pair in nodes.chunks_exact(2) {
            let (key, value) = (&pair[0], &pair[1]);
            let name = string(key)?;
            if !known.contains(&name) {
                let name = excerpt(name);
                return Err((key.place, YamlErrorKind::UnknownField { name, of, known }));
            }
            if by_name.insert(name, value).is_some() {
                let name = name.to_owned();
                return Err((key.place, YamlErrorKind::DuplicateField { name }));
            }
        }
        let place = node.place;
        Ok(Fields { place, of, by_name })
    }

    fn get(&self, name: &str) -> Option<&'a Node> {
        self.by_name.get(name).copied()
    }

    fn needed(&self, name: &'static str) -> Result<&'a Node, Fault> {
        let missing = YamlErrorKind::MissingField { name, of: self.of };
        self.get(name).ok_or((self.place, missing))
    }
}
