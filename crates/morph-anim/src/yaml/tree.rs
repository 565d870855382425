//! A YAML document as lists and maps with their places.

use std::cell::Cell;
use std::str::Chars;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::YamlErrorKind;

/// How deep a clip is: the document, its tracks, a track, its values, one value.
pub(super) const MAX_DEPTH: usize = 5;

/// More fields than any map of a clip has.
const MAX_FIELDS: usize = 16;

/// How many characters the parser may read for one more piece of the document.
///
/// A list or map in brackets that stands where a key could stand is read to its end before any of it is given out,
/// which takes hundreds of bytes for each character of it; this bounds that to some 25 MiB.
/// A list on the line of its field stands where no key could.
const MAX_LOOKAHEAD: usize = 1 << 16;

/// How many characters of a text an error shows.
const EXCERPT_LENGTH: usize = 60;

/// A place in the text: the index of a character. An error makes line and column of it.
pub(super) type Place = u32;

/// An error at its place.
pub(super) type Fault = (Place, YamlErrorKind);

#[derive(Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    /// Text without quotes, which may mean a number or nothing.
    Plain(String),
    /// Text in quotes or in a block.
    Quoted(String),
    /// Numbers with their places. They are most of a file, and take no more room here than there.
    Numbers(Vec<(Place, f32)>),
    /// Lists or maps; or nothing, which may also be meant as no numbers.
    List(Vec<Node>),
    /// The keys and values in turn.
    Map(Vec<Node>),
}

impl Node {
    /// What it is, in words for an error.
    pub(super) fn describe(&self) -> String {
        match &self.content {
            Content::Plain(text) if is_nothing(text) => "nothing".to_owned(),
            Content::Plain(text) | Content::Quoted(text) => format!("the text {:?}", excerpt(text)),
            Content::Numbers(_) => "a list of numbers".to_owned(),
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "a map".to_owned(),
        }
    }

    /// That this is not what is needed.
    pub(super) fn expected(&self, what: &'static str) -> Fault {
        let found = self.describe();
        (self.place, YamlErrorKind::Expected { what, found })
    }

    fn number(&self, what: &'static str) -> Result<f32, Fault> {
        let Content::Plain(text) = &self.content else {
            return Err(self.expected(what));
        };
        // What YAML and what Rust call these.
        let word = text.trim_start_matches(['+', '-', '.']);
        let is_named = ["nan", "inf", "infinity"]
            .iter()
            .any(|name| word.eq_ignore_ascii_case(name));
        match text.parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            Err(_) if !is_named => Err(self.expected(what)),
            _ => {
                let text = excerpt(text);
                Err((self.place, YamlErrorKind::NotFinite { text }))
            }
        }
    }
}

/// The line and the character in it, both counted from 1, of a place in a text.
pub(super) fn line_and_column(text: &str, place: Place) -> (usize, usize) {
    let (mut line, mut column, mut before) = (1, 1, ' ');
    for c in text.chars().take(place as usize) {
        match c {
            '\n' if before == '\r' => {}
            '\n' | '\r' => (line, column) = (line + 1, 1),
            _ => column += 1,
        }
        before = c;
    }
    (line, column)
}

/// The beginning of a text, for an error: a file may have one of megabytes.
pub(super) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether text without quotes stands for no value.
pub(super) fn is_nothing(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// Characters that end where the parser looks too far ahead.
struct Bounded<'a> {
    chars: Chars<'a>,
    /// How many more may be read; zero once one more was asked for.
    left: &'a Cell<usize>,
}

impl Iterator for Bounded<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let next = self.chars.next()?;
        self.left.set(self.left.get().saturating_sub(1));
        (self.left.get() > 0).then_some(next)
    }
}

/// Reads the one document of a text.
pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let left = Cell::new(MAX_LOOKAHEAD);
    let chars = text.chars();
    let mut parser = Parser::new_from_iter(Bounded { chars, left: &left });
    let mut last = 0;
    // Lists and maps that are not closed yet. No recursion: depth comes from the file.
    let mut open: Vec<Node> = Vec::new();
    let mut document = None;
    while let Some(event) = parser.next_event() {
        if left.replace(MAX_LOOKAHEAD) == 0 {
            let limit = MAX_LOOKAHEAD;
            return Err((last, YamlErrorKind::TooLong { limit }));
        }
        let (event, span) = event.map_err(|error| {
            let message = error.info().to_owned();
            (error.marker().index() as Place, YamlErrorKind::Syntax { message })
        })?;
        let place = span.start.index() as Place;
        last = place;
        let closed = match event {
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {
                if document.is_some() && matches!(event, Event::DocumentStart(_)) {
                    return Err((place, YamlErrorKind::SecondDocument));
                }
                continue;
            }
            Event::Alias(_) => return Err((place, YamlErrorKind::Alias)),
            Event::Scalar(text, style, anchor, tag) => {
                check(place, anchor, tag.is_some())?;
                let content = if style == ScalarStyle::Plain {
                    Content::Plain(text.into_owned())
                } else {
                    Content::Quoted(text.into_owned())
                };
                Some(Node { place, content })
            }
            Event::SequenceStart(anchor, tag) => {
                check(place, anchor, tag.is_some())?;
                let content = Content::List(Vec::new());
                open_up(&mut open, Node { place, content })?;
                None
            }
            Event::MappingStart(anchor, tag) => {
                check(place, anchor, tag.is_some())?;
                let content = Content::Map(Vec::new());
                open_up(&mut open, Node { place, content })?;
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop(),
        };
        let Some(node) = closed else { continue };
        match open.last_mut() {
            Some(around) => put_into(&mut around.content, node)?,
            None => document = Some(node),
        }
    }
    document.ok_or_else(|| {
        let found = "empty".to_owned();
        let what = "a clip";
        (0, YamlErrorKind::Expected { what, found })
    })
}

/// Puts a node into the list or map that is open around it.
fn put_into(around: &mut Content, node: Node) -> Result<(), Fault> {
    let is_text = matches!(node.content, Content::Plain(_) | Content::Quoted(_));
    match around {
        Content::Map(nodes) if nodes.len() == 2 * MAX_FIELDS => {
            return Err((node.place, YamlErrorKind::TooManyFields { limit: MAX_FIELDS }));
        }
        Content::List(nodes) if is_text => {
            if !nodes.is_empty() {
                return Err(node.expected("a list or map, like what stands before it,"));
            }
            *around = Content::Numbers(vec![(node.place, node.number("a number, list or map")?)]);
        }
        Content::Numbers(numbers) => {
            numbers.push((node.place, node.number("a number, like what stands before it,")?));
        }
        Content::List(nodes) | Content::Map(nodes) => nodes.push(node),
        Content::Plain(_) | Content::Quoted(_) => {}
    }
    Ok(())
}

fn open_up(open: &mut Vec<Node>, node: Node) -> Result<(), Fault> {
    if open.len() == MAX_DEPTH {
        return Err((node.place, YamlErrorKind::TooDeep { limit: MAX_DEPTH }));
    }
    open.push(node);
    Ok(())
}

/// Refuses anchors, which are numbered from 1, and tags.
fn check(place: Place, anchor: usize, is_tagged: bool) -> Result<(), Fault> {
    if anchor != 0 {
        return Err((place, YamlErrorKind::Alias));
    }
    if is_tagged {
        return Err((place, YamlErrorKind::Tag));
    }
    Ok(())
}
