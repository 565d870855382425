//! JSON files of MakeHuman: read whole, with the line of an error.

use std::collections::HashSet;
use std::fmt;
use std::io::{Error, ErrorKind};
use std::marker::PhantomData;
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Visitor};

use super::target::{fault, read_error};
use crate::error::{ImportError, MakeHumanError};
use crate::text::shorten;

/// Reads and parses a file.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, ImportError> {
    let read = || {
        // A pipe would block or never end.
        if !path.metadata()?.is_file() {
            return Err(Error::new(ErrorKind::InvalidInput, "it is not a file"));
        }
        std::fs::read(path)
    };
    let bytes = read().map_err(|reason| read_error(path, reason))?;
    // Some editors put a byte order mark before the text, which JSON does not allow and which means nothing.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    serde_json::from_slice(bytes).map_err(|error| {
        let text = error.to_string();
        // The place is told on its own.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = text.strip_suffix(&place).unwrap_or(&text).to_owned();
        let column = error.column();
        fault(
            path,
            Some(error.line() as u64),
            MakeHumanError::Json { column, message },
        )
    })
}

/// The members of an object in the order of the file; each name stands once.
#[derive(Debug)]
pub(super) struct Entries<T>(pub(super) Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with a member for each bone")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                let mut names = HashSet::new();
                while let Some(name) = map.next_key::<String>()? {
                    if !names.insert(name.clone()) {
                        let name = shorten(&name);
                        return Err(A::Error::custom(format_args!(
                            "the bone {name:?} is listed a second time"
                        )));
                    }
                    entries.push((name, map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Members(PhantomData))
    }
}
