//! What is wrong with a clip file, and where.

use crate::curve::CurveError;

/// An error in a clip file, with its place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}:{line}:{column}: {kind}")]
pub struct YamlError {
    /// The file as the reader was told it.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub kind: YamlErrorKind,
}

/// What is wrong with a clip file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum YamlErrorKind {
    /// The file is larger than is read.
    #[error("the file has {bytes} bytes: at most {limit} are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The largest size.
        limit: usize,
    },
    /// The file is no UTF-8 text.
    #[error("the file is no UTF-8 text from here on")]
    NotText,
    /// The text is no YAML.
    #[error("this is no YAML: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// An anchor or alias.
    #[error("anchors and aliases are refused: write the value out")]
    Alias,
    /// A tag.
    #[error("tags are refused: leave it out")]
    Tag,
    /// Something is nested deeper than anything in a clip.
    #[error("this is nested deeper than anything in a clip, {limit} levels")]
    TooDeep {
        /// How deep a clip is.
        limit: usize,
    },
    /// A map has more fields than any of a clip.
    #[error("this map has more fields than any in a clip, {limit}")]
    TooManyFields {
        /// More than any has.
        limit: usize,
    },
    /// Something takes more characters than is looked ahead.
    #[error(
        "what follows here takes more than {limit} characters: begin a list on the line of its field, as in `values: \
         [0.0`, and give each field of a track a line of its own"
    )]
    TooLong {
        /// How many characters are looked ahead.
        limit: usize,
    },
    /// A second document.
    #[error("a second document begins here: a file holds one clip")]
    SecondDocument,
    /// Something else than it has to be.
    #[error("{what} is needed here, and this is {found}")]
    Expected {
        /// What has to be here.
        what: &'static str,
        /// What is here.
        found: String,
    },
    /// A field that is not known.
    #[error("there is no field `{name}` {of}: the fields are `{}`", known.join("`, `"))]
    UnknownField {
        /// Its name.
        name: String,
        /// What it is a field of.
        of: &'static str,
        /// The fields that there are.
        known: &'static [&'static str],
    },
    /// A field that comes twice.
    #[error("the field `{name}` comes a second time")]
    DuplicateField {
        /// Its name.
        name: String,
    },
    /// A field that is missing.
    #[error("the field `{name}` is missing {of}")]
    MissingField {
        /// Its name.
        name: &'static str,
        /// What it is missing of.
        of: &'static str,
    },
    /// A field that belongs to other tracks.
    #[error("the field `{name}` belongs to {belongs_to}, which this is not")]
    MisplacedField {
        /// Its name.
        name: &'static str,
        /// The tracks that it belongs to.
        belongs_to: &'static str,
    },
    /// A weight track that does not say of which target.
    #[error("a weight track needs the name of its morph target in the field `target`")]
    WeightWithoutTarget,
    /// A property or interpolation that is not known.
    #[error("`{word}` is no {what}: choose among `{}`", known.join("`, `"))]
    UnknownWord {
        /// What stands there.
        word: String,
        /// What it should be.
        what: &'static str,
        /// Those that there are.
        known: &'static [&'static str],
    },
    /// A version that is not known.
    #[error("the file is of version {version}: versions 1 to {newest} are read")]
    UnknownVersion {
        /// The file's version.
        version: String,
        /// The newest version that is read.
        newest: u32,
    },
    /// A version that is a number and not a whole one.
    #[error("the version is a whole number: write {whole}, not {version}")]
    VersionNotWhole {
        /// What stands there.
        version: String,
        /// What it means.
        whole: u32,
    },
    /// A version too low for what is in the file.
    #[error("a {property} track needs version {needed}, and the file says that it is of version {declared}")]
    VersionTooLow {
        /// What is driven.
        property: &'static str,
        /// The version that it needs.
        needed: u32,
        /// The file's version.
        declared: u32,
    },
    /// NaN, infinity, or a number past the largest `f32`.
    #[error("`{text}` is no finite number of 32 bits: the largest is 3.4028235e38")]
    NotFinite {
        /// What stands there.
        text: String,
    },
    /// Keys that are no curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// As many tangents are needed as there are times.
    #[error("there are {tangents} tangents for {times} times: give one for each")]
    TangentCount {
        /// How many times there are.
        times: usize,
        /// How many tangents there are.
        tangents: usize,
    },
    /// A value or tangent of the wrong length.
    #[error("this has {found} numbers: {needed} are needed")]
    ComponentCount {
        /// How many there have to be.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A track for something that another drives already.
    #[error("this track drives {driven}, which track {first}, counted from 0, does already")]
    DuplicateTrack {
        /// What is driven.
        driven: String,
        /// The index of the track that does already.
        first: usize,
    },
}
