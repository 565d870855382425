//! Reads the members of a JSON object as what they should be, and tells what they are not.
//!
//! Every reader gives `None` for what is absent or unusable, so that whoever asked goes on with the rest.

use std::collections::HashSet;

use super::json::{Json, Members, child};
use super::report::Findings;
use crate::text::shorten;

/// What every step of a check writes to and asks.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) findings: Findings,
    /// The names in `extensionsUsed`.
    pub(super) extensions_used: HashSet<String>,
}

/// An object of the file with its place.
#[derive(Debug)]
pub(super) struct Object<'j, 'r> {
    pub(super) members: &'j Members,
    pub(super) pointer: String,
    pub(super) reading: &'r mut Reading,
}

/// Whether a member has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

impl<'j> Object<'j, '_> {
    /// Checks what is the same for all objects: that the members are known ones, the name is text, extensions are
    /// declared, and `extras` is an object.
    pub(super) fn begin(&mut self, known: &[&str]) {
        for (name, _) in self.members.iter() {
            if !known.contains(&name) && name != "extensions" && name != "extras" {
                let message = format!("`{}` is no property of this object", shorten(name));
                let place = child(&self.pointer, name);
                self.reading
                    .findings
                    .warning("UNEXPECTED_PROPERTY", place, message);
            }
        }
        if known.contains(&"name") {
            self.text("name", Need::Optional);
        }
        self.check_extensions();
        if let Some(extras) = self.members.get("extras")
            && !matches!(extras, Json::Null | Json::Object(_))
        {
            let message = format!("`extras` is {}; programs expect an object", extras.kind());
            self.info("NON_OBJECT_EXTRAS", "extras", message);
        }
    }

    fn check_extensions(&mut self) {
        let Some(Json::Object(extensions)) =
            self.value("extensions", "an object", |json| json.object().is_some())
        else {
            return;
        };
        let place = child(&self.pointer, "extensions");
        for (name, value) in extensions.iter() {
            if value.object().is_none() {
                let message = format!("an extension's data is an object, this is {}", value.kind());
                self.reading
                    .findings
                    .error("TYPE_MISMATCH", child(&place, name), message);
            }
            if !self.reading.extensions_used.contains(name) {
                let message = format!("`{}` is not listed in `extensionsUsed`", shorten(name));
                self.reading
                    .findings
                    .error("UNDECLARED_EXTENSION", child(&place, name), message);
            }
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.get(name).is_some()
    }

    pub(super) fn error(&mut self, code: &'static str, name: &str, message: impl Into<String>) {
        let place = child(&self.pointer, name);
        self.reading.findings.error(code, place, message);
    }

    pub(super) fn warning(&mut self, code: &'static str, name: &str, message: impl Into<String>) {
        let place = child(&self.pointer, name);
        self.reading.findings.warning(code, place, message);
    }

    pub(super) fn info(&mut self, code: &'static str, name: &str, message: impl Into<String>) {
        let place = child(&self.pointer, name);
        self.reading.findings.info(code, place, message);
    }

    /// The member, where it is of the right type.
    fn value(
        &mut self,
        name: &str,
        expected: &'static str,
        is_right: impl Fn(&Json) -> bool,
    ) -> Option<&'j Json> {
        let value = self.members.get(name)?;
        if is_right(value) {
            return Some(value);
        }
        let message = format!("`{name}` is {}, it has to be {expected}", value.kind());
        self.error("TYPE_MISMATCH", name, message);
        None
    }

    /// As [`Object::value`], and tells that a required member is absent; null counts as absent.
    fn needed(
        &mut self,
        name: &str,
        need: Need,
        expected: &'static str,
        is_right: impl Fn(&Json) -> bool,
    ) -> Option<&'j Json> {
        if need == Need::Required && matches!(self.members.get(name), None | Some(Json::Null)) {
            let message = format!("`{name}` is missing");
            // The Khronos validator writes a slash for the root.
            let place = if self.pointer.is_empty() {
                "/"
            } else {
                &self.pointer
            };
            self.reading.findings.error("UNDEFINED_PROPERTY", place, message);
        }
        self.value(name, expected, is_right)
    }

    /// An index of a list of the file.
    pub(super) fn index(&mut self, name: &str, need: Need) -> Option<u64> {
        let value = self.needed(name, need, "a whole number", |json| json.whole().is_some())?;
        let index = value.index();
        if index.is_none() {
            self.error(
                "INVALID_INDEX",
                name,
                format!("`{name}` is negative; an index counts from 0"),
            );
        }
        index
    }

    /// A whole number in a range, ends included.
    pub(super) fn number(&mut self, name: &str, need: Need, least: u64, most: u64) -> Option<u64> {
        let whole = self
            .needed(name, need, "a whole number", |json| json.whole().is_some())?
            .whole()?;
        match u64::try_from(whole) {
            Ok(number) if (least..=most).contains(&number) => Some(number),
            _ => {
                let range = if most == u64::MAX {
                    format!("at least {least}")
                } else {
                    format!("from {least} to {most}")
                };
                self.error(
                    "VALUE_NOT_IN_RANGE",
                    name,
                    format!("`{name}` is {whole}, it has to be {range}"),
                );
                None
            }
        }
    }

    /// A whole number out of a list.
    pub(super) fn one_of(&mut self, name: &str, need: Need, allowed: &[u64]) -> Option<u64> {
        let whole = self
            .needed(name, need, "a whole number", |json| json.whole().is_some())?
            .whole()?;
        let found = allowed
            .iter()
            .copied()
            .find(|&number| i64::try_from(number) == Ok(whole));
        if found.is_none() {
            let list: Vec<String> = allowed.iter().map(ToString::to_string).collect();
            let message = format!("`{name}` is {whole}; there are {}", list.join(", "));
            self.warning("VALUE_NOT_IN_LIST", name, message);
        }
        found
    }

    pub(super) fn flag(&mut self, name: &str) -> bool {
        let value = self.value(name, "true or false", |json| {
            matches!(json, Json::False | Json::True)
        });
        matches!(value, Some(Json::True))
    }

    pub(super) fn text(&mut self, name: &str, need: Need) -> Option<&'j str> {
        self.needed(name, need, "text", |json| json.text().is_some())?
            .text()
    }

    /// A text out of a list. One that is not in it is told, and comes back all the same.
    pub(super) fn word(&mut self, name: &str, need: Need, allowed: &[&str]) -> Option<&'j str> {
        let text = self.text(name, need)?;
        if !allowed.contains(&text) {
            let message = format!(
                "`{name}` is {:?}; there are {}",
                shorten(text),
                allowed.join(", ")
            );
            self.warning("VALUE_NOT_IN_LIST", name, message);
        }
        Some(text)
    }

    /// An array that has items.
    pub(super) fn list(&mut self, name: &str, need: Need) -> Option<&'j [Json]> {
        let list = self
            .needed(name, need, "an array", |json| json.list().is_some())?
            .list()?;
        if list.is_empty() {
            self.error(
                "EMPTY_ENTITY",
                name,
                format!("`{name}` is there and has no items"),
            );
            return None;
        }
        Some(list)
    }

    /// Numbers, `length` of them where it is given, each from `least` to `most`.
    pub(super) fn floats(
        &mut self,
        name: &str,
        length: Option<usize>,
        (least, most): (f64, f64),
    ) -> Option<Vec<f64>> {
        let list = self.list(name, Need::Optional)?;
        self.has_length(name, list, length)?;
        let mut numbers = Vec::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            match item {
                Json::Number(number) if (least..=most).contains(number) => numbers.push(*number),
                Json::Number(number) => {
                    let place = child(&child(&self.pointer, name), index);
                    let message = format!("the number is {number}, it has to be from {least} to {most}");
                    self.reading.findings.error("VALUE_NOT_IN_RANGE", place, message);
                }
                other => self.wrong_item(name, index, other, "a number"),
            }
        }
        (numbers.len() == list.len()).then_some(numbers)
    }

    /// Whole numbers that a component type can hold, `length` of them.
    pub(super) fn integers(
        &mut self,
        name: &str,
        length: usize,
        (least, most): (i64, i64),
    ) -> Option<Vec<f64>> {
        let value = self.value(name, "an array", |json| json.list().is_some())?;
        let list = value.list()?;
        self.has_length(name, list, Some(length))?;
        let mut numbers = Vec::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            match item.whole() {
                Some(whole) if (least..=most).contains(&whole) => numbers.push(whole as f64),
                Some(whole) => {
                    let message = format!("{whole} does not fit the component type, {least} to {most}");
                    self.error("INVALID_GL_VALUE", name, message);
                }
                None => self.wrong_item(name, index, item, "a whole number"),
            }
        }
        (numbers.len() == list.len()).then_some(numbers)
    }

    fn has_length(&mut self, name: &str, list: &[Json], length: Option<usize>) -> Option<()> {
        match length {
            Some(length) if list.len() != length => {
                let message = format!("`{name}` has {} numbers, it has to have {length}", list.len());
                self.error("ARRAY_LENGTH_NOT_IN_LIST", name, message);
                None
            }
            _ => Some(()),
        }
    }

    fn wrong_item(&mut self, name: &str, index: usize, found: &Json, expected: &str) {
        let message = format!(
            "item {index} of `{name}` is {}, it has to be {expected}",
            found.kind()
        );
        self.error("ARRAY_TYPE_MISMATCH", name, message);
    }

    /// Different indices. An unusable one keeps its place as `None`.
    pub(super) fn indices(&mut self, name: &str, need: Need) -> Option<Vec<Option<u64>>> {
        let list = self.list(name, need)?;
        let place = child(&self.pointer, name);
        let mut seen = HashSet::new();
        let read = |(position, item): (usize, &Json)| {
            let index = item.index();
            match index {
                Some(index) if !seen.insert(index) => {
                    let message = format!("{index} is in `{name}` already");
                    self.reading
                        .findings
                        .error("DUPLICATE_ELEMENTS", child(&place, position), message);
                }
                Some(_) => {}
                None => self.reading.findings.error(
                    "INVALID_INDEX",
                    child(&place, position),
                    "an index is a whole number from 0 on",
                ),
            }
            index
        };
        Some(list.iter().enumerate().map(read).collect())
    }

    /// Names with indices, in the order of the file. An unusable index is `None`.
    pub(super) fn named_indices(&mut self, name: &str) -> Option<Vec<(&'j str, Option<u64>)>> {
        let members = self
            .needed(name, Need::Required, "an object", |json| json.object().is_some())?
            .object()?;
        if members.is_empty() {
            self.error("EMPTY_ENTITY", name, format!("`{name}` is there and empty"));
            return None;
        }
        let place = child(&self.pointer, name);
        Some(named_indices(members, &place, &mut self.reading.findings))
    }

    /// An array of objects; where one of its items is none, the array is not usable.
    pub(super) fn objects(&mut self, name: &str, need: Need) -> Option<Vec<&'j Members>> {
        let list = self.list(name, need)?;
        let mut objects = Vec::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            match item.object() {
                Some(object) => objects.push(object),
                None => self.wrong_item(name, index, item, "an object"),
            }
        }
        (objects.len() == list.len()).then_some(objects)
    }

    /// A member that is an object.
    pub(super) fn object(&mut self, name: &str, need: Need) -> Option<Object<'j, '_>> {
        let members = self
            .needed(name, need, "an object", |json| json.object().is_some())?
            .object()?;
        Some(self.at(members, name))
    }

    /// An object inside this one that was found before.
    pub(super) fn at(&mut self, members: &'j Members, name: &str) -> Object<'j, '_> {
        Object {
            members,
            pointer: child(&self.pointer, name),
            reading: self.reading,
        }
    }

    /// An item of an array of this object that was found before.
    pub(super) fn item(&mut self, members: &'j Members, list: &str, index: usize) -> Object<'j, '_> {
        Object {
            members,
            pointer: child(&child(&self.pointer, list), index),
            reading: self.reading,
        }
    }
}

/// The members of an object of names and indices.
pub(super) fn named_indices<'j>(
    members: &'j Members,
    place: &str,
    findings: &mut Findings,
) -> Vec<(&'j str, Option<u64>)> {
    let read = |(name, value): (&'j str, &Json)| {
        let index = value.index();
        if index.is_none() {
            let message = format!("`{}` has to be the index of an accessor", shorten(name));
            findings.error("INVALID_INDEX", child(place, name), message);
        }
        (name, index)
    };
    members.iter().map(read).collect()
}
