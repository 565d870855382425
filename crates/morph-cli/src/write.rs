//! Files that are either whole or not there.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// Checks before any work that an output file has one of the endings, in lower case, and a folder to lie in.
///
/// Returns the ending. `expected` lists the endings for the error.
pub(crate) fn check_out<'a>(
    path: &Path,
    endings: &[&'a str],
    expected: &'static str,
) -> Result<&'a str, CliError> {
    let given = path.extension().unwrap_or_default();
    let ending = endings
        .iter()
        .find(|ending| given.eq_ignore_ascii_case(ending))
        .ok_or_else(|| CliError::OutEnding {
            path: path.to_owned(),
            expected,
        })?;
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(CliError::OutFolder {
            path: path.to_owned(),
            folder,
        });
    }
    if path.is_dir() {
        let source = io::Error::new(io::ErrorKind::IsADirectory, "there is a folder of this name");
        return Err(CliError::Write {
            path: path.to_owned(),
            source,
        });
    }
    Ok(ending)
}

/// Writes a file beside its place and moves it there once it is whole, so that nobody ever sees half of it.
pub(crate) fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    let failed = |source| CliError::Write {
        path: path.to_owned(),
        source,
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".morph-");
    // Temporary files are their owner's alone; a result is as open as any file of this person.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder
        .tempfile_in(folder_of(path))
        .map_err(|error| failed(without_temporary_name(error)))?;
    // The file itself, since the one with a name puts that into every error.
    let mut buffered = BufWriter::new(file.as_file_mut());
    write(&mut buffered)
        .and_then(|()| buffered.flush())
        .map_err(failed)?;
    drop(buffered);
    file.persist(path).map_err(|error| failed(error.error))?;
    tracing::info!(path = %path.display(), "written");
    Ok(())
}

/// The error without the temporary name at its end, which nobody asked for.
fn without_temporary_name(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((reason, _)) => io::Error::new(error.kind(), reason),
        None => error,
    }
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        write_whole(&path, |out| out.write_all(b"first")).unwrap();
        let error = write_whole(&path, |out| {
            out.write_all(b"second")?;
            Err(io::Error::other("disk full"))
        });
        assert!(error.unwrap_err().to_string().contains("disk full"));
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing else stays behind"
        );
        write_whole(&path, |out| out.write_all(b"third")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"third");
    }

    #[test]
    fn errors_name_the_file_that_was_asked_for() {
        // A folder that is none fails for everybody, also for those who may write everywhere.
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let path = folder.path().join("file/x.json");
        let error = write_whole(&path, |_| Ok(())).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("cannot write {}: ", path.display())),
            "{error}"
        );
        assert!(!error.contains(".morph-"), "{error}");
        if std::path::Path::new("/dev/full").exists() {
            let error = write_whole(&folder.path().join("y.json"), |out| {
                out.flush()?;
                std::fs::File::options()
                    .write(true)
                    .open("/dev/full")?
                    .write_all(b"x")
            });
            assert!(error.unwrap_err().to_string().contains("y.json: No space"));
        }
    }

    #[test]
    fn endings_and_folders_are_checked_first() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str| check_out(&folder.path().join(name), &["json", "obj"], ".json or .obj");
        assert_eq!(check("a.OBJ").unwrap(), "obj");
        assert!(
            check("a")
                .unwrap_err()
                .to_string()
                .ends_with("the ending has to be .json or .obj")
        );
        assert!(
            check("no/a.json")
                .unwrap_err()
                .to_string()
                .contains("make it first")
        );
        std::fs::create_dir(folder.path().join("d.json")).unwrap();
        assert!(
            check("d.json")
                .unwrap_err()
                .to_string()
                .contains("there is a folder of this name")
        );
    }
}
