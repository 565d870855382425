//! An error together with its place in the file, so that the reader of an accessor need not know who asked.

use crate::error::GltfError;
use crate::text::shorten;

/// What is wrong, and where; the file's path is added at the end.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: String,
    pub(crate) error: GltfError,
}

/// Adds the place to an error; the text is made only when there is one.
pub(crate) trait At<T> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Fault>;
}

impl<T> At<T> for Result<T, GltfError> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Fault> {
        self.map_err(|error| Fault {
            place: place(),
            error,
        })
    }
}

/// `mesh 3 "Head"`: the kind, the index, and the name where there is one, shortened so that a name of a megabyte does
/// not come back in every warning.
pub(crate) fn place(kind: &str, index: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{kind} {index} {:?}", shorten(name)),
        None => format!("{kind} {index}"),
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
