//! Cooked files on disk: written whole, read, mapped, and loaded like any other.

use std::path::Path;

use morph_core::Quantization;
use morph_core::cooked::CookedError;
use morph_import::cooked::{CookError, CookOptions, CookedModel, CookedModelError, cook, is_cooked};
use morph_import::{ImportError, ImportOptions, load};

use super::round_trip::assert_same_frame;
use super::{avatar, file_of, model, still_model};

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_file_is_written_whole_and_can_be_read_and_mapped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.morph");
    let model = model();
    let built = cook(&model, &CookOptions::new(Quantization::Half)).unwrap();
    let saved = built.save(&path).unwrap();
    assert_eq!(
        (saved.path(), names_in(folder.path())),
        (path.as_path(), vec!["x.morph".to_owned()])
    );
    let bytes = std::fs::read(&path).unwrap();
    assert!(is_cooked(&bytes));
    assert_eq!(bytes, file_of(&model, Quantization::Half));

    let read = CookedModel::read(&path).unwrap();
    // SAFETY: the file lies in a folder of this test, and what replaces it below is another file.
    let mapped = unsafe { CookedModel::map(&path) }.unwrap();
    assert_same_frame(&read.to_model(), &model);
    assert_same_frame(&mapped.to_model(), &model);
    let words = mapped.cooked().primitives()[0].vertex_major().words;
    assert_eq!(words.as_ptr().addr() % 16, 0);
    assert_eq!(words, read.cooked().primitives()[0].vertex_major().words);

    // Another one in its place leaves the map as it was.
    let still = still_model();
    cook(&still, &CookOptions::new(Quantization::F32))
        .unwrap()
        .save(&path)
        .unwrap();
    assert_same_frame(&mapped.to_model(), &model);
    assert_same_frame(&CookedModel::read(&path).unwrap().to_model(), &still);
}

#[test]
fn what_no_reader_takes_is_not_put_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.morph");
    std::fs::write(&path, "as it was").unwrap();
    let mut odd = still_model();
    odd.nodes[2].parent = Some(1);
    let refused = cook(&odd, &CookOptions::new(Quantization::Half))
        .unwrap()
        .save(&path)
        .err();
    assert!(matches!(refused, Some(CookError::Refused { .. })), "{refused:?}");
    assert_eq!(std::fs::read(&path).unwrap(), b"as it was");
    assert_eq!(names_in(folder.path()).len(), 1);

    let nowhere = folder.path().join("no/x.morph");
    let model = still_model();
    let refused = cook(&model, &CookOptions::new(Quantization::Half))
        .unwrap()
        .save(&nowhere)
        .err();
    assert!(matches!(refused, Some(CookError::Write { path, .. }) if path == nowhere));
}

#[test]
fn files_that_cannot_be_opened_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.morph");
    let error = CookedModel::read(&missing).err().unwrap();
    assert!(matches!(&error, CookedModelError::Read { path, .. } if *path == missing));
    assert!(matches!(
        CookedModel::read(folder.path()),
        Err(CookedModelError::Read { .. })
    ));
    let empty = folder.path().join("empty.morph");
    std::fs::write(&empty, "").unwrap();
    // SAFETY: the file lies in a folder of this test, which does not change it.
    let mapped = unsafe { CookedModel::map(&empty) };
    for opened in [CookedModel::read(&empty), mapped] {
        assert!(
            matches!(opened, Err(CookedModelError::File { reason, .. }) if matches!(*reason, CookedError::NoHeader { .. } ))
        );
    }
}

#[test]
fn a_cooked_file_loads_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no-ending");
    std::fs::write(&path, file_of(&model(), Quantization::Snorm16)).unwrap();
    assert_same_frame(&load(&path, &ImportOptions::default()).unwrap(), &model());

    let without = ImportOptions {
        morphs: false,
        ..ImportOptions::default()
    };
    let loaded = load(&path, &without).unwrap();
    crate::common::check(&loaded);
    assert!(loaded.meshes[0].target_names.is_empty() && loaded.nodes[0].weights.is_none());

    let with_normals = ImportOptions {
        generate_normals: true,
        ..ImportOptions::default()
    };
    let mut bare = still_model();
    for primitive in &mut bare.meshes[0].primitives {
        primitive.normals = None;
        primitive.targets[0].normals = None;
    }
    std::fs::write(&path, file_of(&bare, Quantization::F32)).unwrap();
    let loaded = load(&path, &with_normals).unwrap();
    let primitive = &loaded.meshes[0].primitives[1];
    assert!(primitive.normals.is_some() && primitive.targets[0].normals.is_some());

    std::fs::write(&path, file_of(&avatar(), Quantization::F32)).unwrap();
    let loaded = load(&path, &ImportOptions::default()).unwrap();
    assert_eq!(loaded.expressions, avatar().expressions);
    assert!(load(&path, &without).unwrap().expressions.is_empty());

    let mut damaged = file_of(&model(), Quantization::Snorm16);
    damaged[100] ^= 1;
    std::fs::write(&path, damaged).unwrap();
    let error = load(&path, &ImportOptions::default()).err().unwrap();
    assert!(matches!(error, ImportError::Cooked(_)), "{error}");
    assert!(
        error.to_string().starts_with(&path.display().to_string()),
        "{error}"
    );

    let named = folder.path().join("x.morph");
    std::fs::write(&named, "nothing of the kind, but long enough for a header").unwrap();
    let error = load(&named, &ImportOptions::default()).err().unwrap();
    assert!(error.to_string().contains("no cooked file"), "{error}");
}
