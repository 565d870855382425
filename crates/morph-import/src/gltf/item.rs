//! Items of the file's lists: what points to them, and what is malformed in itself.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::value::RawValue;

use crate::error::GltfError;
use crate::text::shorten;

/// An item of a list that fails by itself: what is wrong with its shape is told by what uses it.
#[derive(Debug)]
pub(crate) enum Item<T> {
    Sound(T),
    /// What the parser said.
    Malformed(Box<str>),
}

impl<T> Item<T> {
    /// The item, where it has its shape.
    pub(crate) fn sound(&self) -> Option<&T> {
        match self {
            Item::Sound(item) => Some(item),
            Item::Malformed(_) => None,
        }
    }

    /// The item; `kind` and `index` are what the error calls it by.
    pub(crate) fn get(&self, kind: &'static str, index: u64) -> Result<&T, GltfError> {
        match self {
            Item::Sound(item) => Ok(item),
            Item::Malformed(message) => Err(GltfError::Malformed {
                kind,
                index,
                message: message.to_string(),
            }),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?;
        Ok(match serde_json::from_str(text.get()) {
            Ok(item) => Item::Sound(item),
            Err(error) => Item::Malformed(message(&error).into()),
        })
    }
}

/// The item of a list that the file points to.
pub(crate) fn item<'a, T>(list: &'a [T], index: u64, kind: &'static str) -> Result<&'a T, GltfError> {
    usize::try_from(index)
        .ok()
        .and_then(|index| list.get(index))
        .ok_or(GltfError::NoSuchItem {
            kind,
            index,
            count: list.len(),
        })
}

/// The item of a list that the file points to, which has to have its shape.
pub(crate) fn sound_item<'a, T>(
    list: &'a [Item<T>],
    index: u64,
    kind: &'static str,
) -> Result<&'a T, GltfError> {
    item(list, index, kind)?.get(kind, index)
}

/// What a parser said, without the place, which is one in a part of the text.
pub(crate) fn message(error: &serde_json::Error) -> String {
    let full = error.to_string();
    let told = full
        .rsplit_once(" at line ")
        .map_or(full.as_str(), |(told, _)| told);
    shorten(told)
}
