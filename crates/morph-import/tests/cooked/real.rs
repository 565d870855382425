//! Models that nobody here made, cooked and compared with what is built from the source.

use std::path::{Path, PathBuf};

use morph_core::{Quantization, SkinWeights};
use morph_import::cooked::{CookOptions, cook};
use morph_import::{ImportOptions, load};

use super::open;
use super::round_trip::{assert_same_frame, assert_same_meshes};
use crate::common::shared_or_skip;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| {
            ["glb", "gltf", "fbx"]
                .iter()
                .any(|it| ending.eq_ignore_ascii_case(it))
        }) {
            found.push(path);
        }
    }
}

/// What a cooked file keeps: numbers after the domain rule, and no count of what it changed.
fn admitted(model: &mut morph_import::Model) {
    let rule = |values: &mut [f32]| values.iter_mut().for_each(|x| *x = morph_core::to_domain(*x));
    for primitive in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        rule(primitive.positions.as_flattened_mut());
        if let Some(normals) = &mut primitive.normals {
            rule(normals.as_flattened_mut());
        }
        for tangent in primitive.tangents.iter_mut().flatten() {
            rule(&mut tangent[..3]);
        }
        if let Some(weights) = &mut primitive.skin_weights {
            let (joints, values) = (weights.joints().to_vec(), weights.weights().to_vec());
            *weights = SkinWeights::new(weights.influence_count(), joints, values).unwrap();
        }
    }
}

#[test]
fn models_of_others_come_back_equal() {
    let Some(shared) = shared_or_skip(&["every glTF and FBX model, cooked in each quantization"]) else {
        return;
    };
    let mut found = Vec::new();
    files(&shared.join("assets"), &mut found);
    found.sort();
    let mut cooked_count = 0;
    for path in found {
        // Files that are refused are the business of other tests.
        let Ok(mut model) = load(&path, &ImportOptions::default()) else {
            continue;
        };
        admitted(&mut model);
        for quantization in Quantization::ALL {
            let name = path.file_name().unwrap().to_string_lossy();
            let built = cook(&model, &CookOptions::new(quantization))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut file = Vec::new();
            built.write_to(&mut file).unwrap();
            let cooked = open(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_same_frame(&cooked.to_model(), &model);
            assert_same_meshes(&cooked, &model, quantization);
            cooked_count += 1;
        }
    }
    assert!(cooked_count >= 3, "there are models to cook");
    println!("cooked {cooked_count} times");
}
