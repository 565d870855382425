//! An error together with its place in the file, so that the reader of a part need not know who asked.

use crate::text::shorten;

/// What is wrong, and where; the file's path is added at the end.
#[derive(Debug, Clone)]
pub(crate) struct Fault<E> {
    pub(crate) place: String,
    pub(crate) error: E,
}

/// Adds the place to an error; the text is made only when there is one.
pub(crate) trait At<T, E> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Fault<E>>;
}

impl<T, E> At<T, E> for Result<T, E> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Fault<E>> {
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
