//! A model that was cooked is the model.

use morph_core::{BuildOptions, MorphMesh, Quantization, RestStreams, morph};
use morph_import::cooked::{CookError, CookOptions, CookedModel, cook};
use morph_import::{Format, Model};

use super::{avatar, file_of, model, open, rigged_model, still_model};
use crate::common::check;

/// Compares all but the targets, which come back as they are stored.
pub(crate) fn assert_same_frame(found: &Model, expected: &Model) {
    let without_targets = |model: &Model| {
        let mut model = model.clone();
        model.warnings.clear();
        for primitive in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            primitive.targets.clear();
        }
        // The debug text has every field, and no two floats have the same.
        format!("{model:?}")
    };
    assert_eq!(without_targets(found), without_targets(expected));
}

/// Compares each mesh with one that is built from the source, and what both morph to.
pub(crate) fn assert_same_meshes(cooked: &CookedModel, expected: &Model, quantization: Quantization) {
    let found = cooked.to_model();
    let expected = expected.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let found = found.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let primitives = cooked.cooked().primitives();
    assert_eq!(primitives.len(), expected.clone().count());
    for ((primitive, source), decoded) in primitives.iter().zip(expected).zip(found) {
        let tangents = source
            .tangents
            .as_ref()
            .map(|tangents| tangents.iter().map(|&[x, y, z, _]| [x, y, z]).collect());
        let (rest, _) = RestStreams::new(source.positions.clone(), source.normals.clone(), tangents).unwrap();
        let options = BuildOptions {
            rest: Some(&rest),
            ..BuildOptions::new(quantization)
        };
        let (mesh, report) =
            MorphMesh::build(source.positions.len() as u32, &source.targets, &options).unwrap();
        assert!(format!("{:?}", primitive.mesh()) == format!("{mesh:?}"));
        assert!(format!("{:?}", primitive.report()) == format!("{report:?}"));
        assert!(format!("{:?}", primitive.rest_streams()) == format!("{rest:?}"));

        let weights: Vec<f32> = (0..mesh.target_count())
            .map(|slot| [0.6, -0.35, 1.3, 0.0, 0.125][slot % 5])
            .collect();
        let morphed = format!("{:?}", morph(&mesh, &rest, &weights).unwrap());
        let again = morph(primitive.mesh(), &primitive.rest_streams(), &weights).unwrap();
        assert!(format!("{again:?}") == morphed);
        // Decoded deltas in f32 give the same bits, whatever they were stored as.
        let (plain, _) = MorphMesh::build(
            mesh.vertex_count(),
            &decoded.targets,
            &BuildOptions::new(Quantization::F32),
        )
        .unwrap();
        assert!(format!("{:?}", morph(&plain, &rest, &weights).unwrap()) == morphed);
    }
}

#[test]
fn a_model_comes_back_as_it_was() {
    for source in [still_model(), model(), rigged_model(), avatar()] {
        for quantization in Quantization::ALL {
            let cooked = open(&file_of(&source, quantization)).unwrap();
            let found = cooked.to_model();
            check(&found);
            assert_same_frame(&found, &source);
            assert_same_meshes(&cooked, &source, quantization);
            assert_eq!(cooked.format(), Format::Glb);
        }
    }
}

/// A cache that mixes streams up shows as normals where positions were.
#[test]
fn b118_streams_keep_their_identity() {
    let cooked = open(&file_of(&model(), Quantization::F32)).unwrap();
    for primitive in &cooked.to_model().meshes[0].primitives {
        let target = &primitive.targets[0];
        assert_eq!(
            target.positions.as_deref(),
            Some([[0.0, 0.0, 1.0], [0.5, 0.25, 0.0]].as_slice())
        );
        assert_eq!(
            target.normals.as_deref(),
            Some([[0.0, 0.5, 0.0], [0.25, 0.0, 0.0]].as_slice())
        );
        assert_eq!(target.tangents, None);
    }
}

#[test]
fn views_show_what_the_model_has() {
    let source = model();
    let cooked = open(&file_of(&source, Quantization::Half)).unwrap();
    assert_eq!(cooked.mesh_count(), 2);
    assert!(cooked.mesh(2).is_none());
    let mesh = cooked.mesh(0).unwrap();
    assert_eq!(
        (mesh.name(), mesh.default_weights()),
        (Some("Head"), [0.25, 0.0].as_slice())
    );
    assert_eq!(mesh.primitives().len(), 2);
    assert_eq!(mesh.primitive_name(0), Some("face"));
    assert_eq!(mesh.material(1), Some(&source.meshes[0].primitives[1].material));
    assert_eq!(mesh.topology(7), None);
    assert_eq!(mesh.primitives()[0].mesh().names().slot("rest"), Some(1));
    assert_eq!(cooked.clips(), source.clips);
    assert_eq!(cooked.skins(), source.skins);
    assert_eq!(cooked.expressions(), []);
}

#[test]
fn curves_share_times_as_they_did() {
    let clips = open(&file_of(&model(), Quantization::Half))
        .unwrap()
        .to_model()
        .clips;
    let times = |track: usize| match &clips[0].tracks[track].channel {
        morph_anim::Channel::Translation(curve) => curve.times().as_ptr(),
        morph_anim::Channel::Weight { curve, .. } => curve.times().as_ptr(),
        other => panic!("{other:?}"),
    };
    assert_eq!(times(0), times(3));
}

#[test]
fn the_bytes_are_always_the_same_and_the_version_the_least() {
    assert_eq!(
        file_of(&model(), Quantization::Half),
        file_of(&model(), Quantization::Half)
    );
    let version = |model: &Model| {
        let cooked = open(&file_of(model, Quantization::Half)).unwrap();
        cooked.cooked().container().version()
    };
    assert_eq!(version(&still_model()), 1);
    let mut with_clip = still_model();
    with_clip.clips = model().clips;
    assert_eq!(version(&with_clip), 2);
    let mut with_skin = model();
    with_skin.clips.clear();
    assert_eq!(version(&with_skin), 2);
    assert_eq!(version(&rigged_model()), 3);
    assert_eq!(version(&avatar()), 4);
}

#[test]
fn a_model_without_anything_passes() {
    let mut empty = still_model();
    empty.meshes.clear();
    empty.nodes.clear();
    let cooked = open(&file_of(&empty, Quantization::Half)).unwrap();
    assert_same_frame(&cooked.to_model(), &empty);
    // A mesh without primitives, and a primitive without vertices.
    let mut hollow = still_model();
    hollow.meshes[1].primitives.clear();
    let nothing = &mut hollow.meshes[0].primitives[1];
    nothing.positions.clear();
    nothing.source_points = Some(Vec::new());
    nothing.indices.clear();
    nothing.normals = Some(Vec::new());
    nothing.tangents = Some(Vec::new());
    nothing.texcoords = vec![Vec::new()];
    nothing.colors.clear();
    nothing.targets[0] = morph_core::MorphTarget::empty("smile ü");
    let cooked = open(&file_of(&hollow, Quantization::Snorm16)).unwrap();
    assert_same_frame(&cooked.to_model(), &hollow);
}

#[test]
fn what_cannot_be_built_is_named() {
    let mut odd = still_model();
    odd.meshes[0].primitives[1].positions[2][0] = f32::NAN;
    let refused = cook(&odd, &CookOptions::new(Quantization::Half)).err();
    assert!(matches!(
        refused,
        Some(CookError::Rest {
            mesh: 0,
            primitive: 1,
            ..
        })
    ));
    let mut odd = still_model();
    odd.meshes[0].primitives[1].targets[0].vertices = vec![1, 9];
    let refused = cook(&odd, &CookOptions::new(Quantization::Half)).err();
    assert!(matches!(
        refused,
        Some(CookError::Build {
            mesh: 0,
            primitive: 1,
            ..
        })
    ));
}
