//! Damaged files of whole models, and files with right checksums that describe no model.

use morph_anim::CurveError;
use morph_core::Quantization;
use morph_core::cooked::{AlignedBytes, Cooked, CookedError, SectionError, SectionId, SectionKind, Writer};
use morph_import::Model;
use morph_import::cooked::CookedModelError;

use super::{avatar, file_of, model, open, rigged_model};

/// Changes the bytes of a section of the model, puts the checksums right, and says why the file is refused.
fn refusal(kind: SectionKind, change: impl FnOnce(&mut Vec<u8>)) -> CookedModelError {
    refusal_of(&model(), SectionId::of_model(kind), change)
}

fn refusal_of(model: &Model, id: SectionId, change: impl FnOnce(&mut Vec<u8>)) -> CookedModelError {
    let file = AlignedBytes::from(file_of(model, Quantization::Half).as_slice());
    let cooked = Cooked::parse(file.as_slice()).unwrap();
    let mut sections: Vec<(SectionId, Vec<u8>)> = cooked
        .container()
        .sections()
        .iter()
        .map(|section| (section.id(), section.bytes().to_vec()))
        .collect();
    let section = sections.iter_mut().find(|(found, _)| *found == id).unwrap();
    change(&mut section.1);
    let mut writer = Writer::new();
    for (id, bytes) in &sections {
        writer.add(*id, bytes.as_slice());
    }
    let mut file = Vec::new();
    writer.write_to(&mut file).unwrap();
    match open(&file) {
        Err(error) => error,
        Ok(_) => panic!("a wrong file was accepted"),
    }
}

fn section_error(error: CookedModelError) -> (SectionKind, SectionError) {
    match error {
        CookedModelError::File { path, reason } => {
            assert_eq!(path, std::path::Path::new("x.morph"));
            match *reason {
                CookedError::Section { section, source, .. } => (section.kind, *source),
                other => panic!("no section is at fault: {other}"),
            }
        }
        other => panic!("no section is at fault: {other}"),
    }
}

/// Sets 32-bit words of a section.
fn with_words(kind: SectionKind, words: &[(usize, u32)]) -> SectionError {
    let error = refusal(kind, |bytes| {
        for &(at, word) in words {
            bytes[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
        }
    });
    section_error(error).1
}

/// Words of a record of a node.
const NODE: usize = 35;
const NODE_PARENT: usize = 6;
const NODE_MESH: usize = 7;
const NODE_SKIN: usize = 8;
const NODE_LOCAL: usize = 9;
/// Words of a record of a track.
const TRACK: usize = 10;

#[test]
fn no_byte_can_change_and_no_cut_be_made_unnoticed() {
    let file = file_of(&avatar(), Quantization::Snorm16);
    assert!(open(&file).is_ok());
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 0x10;
        assert!(open(&changed).is_err(), "byte {at}");
        assert!(open(&file[..at]).is_err(), "{at} bytes");
    }
}

#[test]
fn nodes_make_a_forest() {
    // Node 0 is below node 2, node 1 below node 0.
    let error = with_words(SectionKind::NODES, &[(2 * NODE + NODE_PARENT, 1)]);
    assert!(
        matches!(
            error,
            SectionError::Field {
                field: "the parent",
                ..
            }
        ),
        "{error}"
    );
    let error = with_words(SectionKind::NODES, &[(2 * NODE + NODE_PARENT, 2)]);
    assert!(
        matches!(
            error,
            SectionError::Field {
                field: "the parent",
                record: 2,
                ..
            }
        ),
        "{error}"
    );
    for field in [NODE_PARENT, NODE_MESH, NODE_SKIN] {
        let error = with_words(SectionKind::NODES, &[(field, 3)]);
        assert!(
            matches!(error, SectionError::OutOfRange { at: 0, index: 3, .. }),
            "{error}"
        );
    }
}

#[test]
fn nodes_are_finite_and_named_apart() {
    for word in [NODE_LOCAL, NODE_LOCAL + 16, NODE_LOCAL + 19, NODE_LOCAL + 23] {
        let error = with_words(SectionKind::NODES, &[(NODE + word, f32::NAN.to_bits())]);
        assert!(matches!(error, SectionError::NotFinite { at: 1, .. }), "{error}");
    }
    let (kind, error) = section_error(refusal(SectionKind::NODES, |bytes| {
        // The id of node 0 for node 1.
        let id = bytes[8..16].to_vec();
        bytes[4 * NODE + 8..4 * NODE + 16].copy_from_slice(&id);
    }));
    assert_eq!(kind, SectionKind::NODES);
    assert!(
        matches!(
            error,
            SectionError::DuplicateName {
                first: 0,
                second: 1,
                ..
            }
        ),
        "{error}"
    );
    let error = with_words(SectionKind::NODES, &[(2, u32::MAX), (3, 0)]);
    assert!(matches!(error, SectionError::TextRange { at: 0, .. }), "{error}");
    let error = with_words(SectionKind::NODES, &[(3, u32::MAX)]);
    assert!(matches!(error, SectionError::TextRange { at: 0, .. }), "{error}");
}

#[test]
fn weights_are_as_many_as_targets_and_finite() {
    let error = with_words(SectionKind::WEIGHTS, &[(1, f32::INFINITY.to_bits())]);
    assert!(matches!(error, SectionError::NotFinite { at: 1, .. }), "{error}");
    // The weights of node 0: two of its own behind the two of the mesh.
    let error = with_words(SectionKind::NODES, &[(5, 1)]);
    assert!(
        matches!(
            error,
            SectionError::Field {
                field: "the number of weights",
                ..
            }
        ),
        "{error}"
    );
    let error = with_words(SectionKind::NODES, &[(4, u32::MAX)]);
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
    let error = with_words(SectionKind::NODES, &[(4, u32::MAX), (5, 0)]);
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
    let error = with_words(SectionKind::NODES, &[(4, 0)]);
    assert!(matches!(error, SectionError::Field { found: 0, .. }), "{error}");
    let error = with_words(SectionKind::NODES, &[(5, u32::MAX)]);
    assert!(matches!(error, SectionError::OutOfRange { at: 0, .. }), "{error}");
}

#[test]
fn meshes_share_the_primitives_out() {
    // Mesh 0 has primitives 0 and 1, mesh 1 has primitive 2; words 2 and 3 of a record are the run.
    let error = with_words(SectionKind::MESHES, &[(3, 3)]);
    assert!(matches!(error, SectionError::Mismatch { at: 2, .. }), "{error}");
    let error = with_words(SectionKind::MESHES, &[(3, 1)]);
    assert!(matches!(error, SectionError::Field { record: 1, .. }), "{error}");
    let error = with_words(SectionKind::MESHES, &[(9, 0)]);
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
    let error = with_words(SectionKind::MESHES, &[(9, u32::MAX)]);
    assert!(matches!(error, SectionError::OutOfRange { at: 1, .. }), "{error}");
    // Weights of mesh 0.
    let error = with_words(SectionKind::MESHES, &[(5, 1)]);
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
}

#[test]
fn parts_are_possible() {
    for (word, value) in [(10, 2), (11, 0), (11, 4)] {
        let error = with_words(SectionKind::PARTS, &[(word, value)]);
        assert!(matches!(error, SectionError::Field { record: 0, .. }), "{error}");
    }
    let error = with_words(SectionKind::PARTS, &[(4, f32::NAN.to_bits())]);
    assert!(matches!(error, SectionError::NotFinite { at: 0, .. }), "{error}");
    for (word, value) in [(0, 4), (0, u32::MAX), (1, 1)] {
        let error = with_words(SectionKind::MODEL, &[(word, value)]);
        assert!(matches!(error, SectionError::Field { .. }), "{error}");
    }
    let (kind, error) = section_error(refusal(SectionKind::TEXT, |bytes| bytes[0] = 0xff));
    assert_eq!(
        (kind, error),
        (SectionKind::TEXT, SectionError::NotUtf8 { at: 0 })
    );
    let (_, error) = section_error(refusal(SectionKind::PARTS, |bytes| {
        bytes.truncate(48);
    }));
    assert!(matches!(error, SectionError::Length { .. }), "{error}");
}

#[test]
fn source_points_are_one_for_each_vertex() {
    let (kind, error) = section_error(refusal(SectionKind::SOURCE_POINTS, |bytes| bytes.truncate(12)));
    assert_eq!(kind, SectionKind::SOURCE_POINTS);
    assert!(matches!(error, SectionError::Length { .. }), "{error}");
}

#[test]
fn skins_have_joints_that_are_there() {
    let error = with_words(SectionKind::SKIN_NODES, &[(1, 3)]);
    assert!(
        matches!(error, SectionError::OutOfRange { at: 1, index: 3, .. }),
        "{error}"
    );
    let error = with_words(SectionKind::INVERSE_BINDS, &[(20, f32::NAN.to_bits())]);
    assert!(matches!(error, SectionError::NotFinite { at: 1, .. }), "{error}");
    let error = with_words(SectionKind::SKINS, &[(3, 1)]);
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
    let (kind, error) = section_error(refusal(SectionKind::SKIN_JOINTS, |bytes| bytes[2] = 2));
    assert_eq!(kind, SectionKind::SKIN_JOINTS);
    assert!(
        matches!(
            error,
            SectionError::OutOfRange {
                at: 1,
                index: 2,
                count: 2,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn tracks_are_curves_of_something() {
    for (word, value) in [(4, 4), (4, 3), (5, 3), (9, 8)] {
        let error = with_words(SectionKind::TRACKS, &[(word, value)]);
        assert!(
            matches!(error, SectionError::Field { record: 0, .. }),
            "{word}: {error}"
        );
    }
    for word in [6, 7, 8, 9] {
        let error = with_words(SectionKind::TRACKS, &[(word, u32::MAX)]);
        assert!(
            matches!(error, SectionError::OutOfRange { at: 0, .. }),
            "{word}: {error}"
        );
    }
    // The second track drives the translation of the same node as the first.
    let (first, second) = (TRACK + 4, TRACK + 9);
    let error = with_words(SectionKind::TRACKS, &[(first, 0), (second, 9)]);
    assert!(
        matches!(
            error,
            SectionError::DuplicateName {
                first: 0,
                second: 1,
                ..
            }
        ),
        "{error}"
    );
    let error = with_words(SectionKind::CLIPS, &[(3, 3)]);
    assert!(matches!(error, SectionError::Field { .. }), "{error}");

    let error = refusal(SectionKind::CURVES, |bytes| {
        bytes[4..8].copy_from_slice(&(-1.0_f32).to_le_bytes());
    });
    assert!(
        matches!(
            error,
            CookedModelError::Track {
                clip: 0,
                track: 0,
                reason: CurveError::Time { key: 1, .. },
                ..
            }
        ),
        "{error}"
    );
    let error = refusal(SectionKind::CURVES, |bytes| {
        bytes[12..16].copy_from_slice(&f32::NAN.to_le_bytes());
    });
    assert!(
        matches!(
            error,
            CookedModelError::Track {
                reason: CurveError::NotFinite { key: 0 },
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn rigs_drive_targets_that_are_there() {
    let refused = |part: u32, words: &[(usize, u32)]| {
        let id = SectionId {
            part,
            ..SectionId::of_model(SectionKind::RIGS)
        };
        refusal_of(&rigged_model(), id, |bytes| {
            for &(at, word) in words {
                bytes[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
            }
        })
    };
    let (_, error) = section_error(refused(0, &[(0, 2)]));
    assert!(
        matches!(error, SectionError::OutOfRange { index: 2, .. }),
        "{error}"
    );
    let (_, error) = section_error(refused(0, &[(4, 1)]));
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
    let (_, error) = section_error(refused(0, &[(4, u32::MAX)]));
    assert!(matches!(error, SectionError::OutOfRange { .. }), "{error}");
    let (_, error) = section_error(refused(1, &[(0, u32::MAX), (1, 0)]));
    assert!(matches!(error, SectionError::TextRange { .. }), "{error}");
    // The first channel is of a control, the second a combination.
    for (word, value) in [(1, 1), (6, 0), (7, 2)] {
        let (_, error) = section_error(refused(2, &[(word, value)]));
        assert!(matches!(error, SectionError::Field { .. }), "{error}");
    }
    let (_, error) = section_error(refused(3, &[(0, 2)]));
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
    for (part, word, value) in [
        (4, 1, 9),
        (4, 0, f32::NAN.to_bits()),
        (4, 3, 0),
        (3, 1, 9),
        (2, 0, 9),
    ] {
        let error = refused(part, &[(word, value)]);
        assert!(
            matches!(error, CookedModelError::Rig { mesh: 0, .. }),
            "{part} {word}: {error}"
        );
    }
}

#[test]
fn expressions_move_targets_that_are_there() {
    let part = |part| SectionId {
        part,
        ..SectionId::of_model(SectionKind::EXPRESSIONS)
    };
    let refused = |number: u32, words: &[(usize, u32)]| {
        let error = refusal_of(&avatar(), part(number), |bytes| {
            for &(at, word) in words {
                bytes[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
            }
        });
        section_error(error)
    };
    // Words of a record: name 0 and 1, preset 2, kind 3, binary 4, overrides 5 to 7, binds 8 and 9.
    for (word, value) in [(2, 2), (3, 4), (4, 2), (5, 3), (6, 3), (7, 3), (8, 1), (9, 1)] {
        let (kind, error) = refused(0, &[(word, value)]);
        assert_eq!(kind, SectionKind::EXPRESSIONS);
        assert!(matches!(error, SectionError::Field { .. }), "{word}: {error}");
    }
    let (_, error) = refused(0, &[(9, 9)]);
    assert!(matches!(error, SectionError::OutOfRange { at: 0, .. }), "{error}");
    let (_, error) = refused(0, &[(0, u32::MAX), (1, 0)]);
    assert!(matches!(error, SectionError::TextRange { at: 0, .. }), "{error}");
    let (_, error) = section_error(refusal_of(&avatar(), part(0), |bytes| {
        let name = bytes[..8].to_vec();
        bytes[40..48].copy_from_slice(&name);
    }));
    assert!(
        matches!(
            error,
            SectionError::DuplicateName {
                what: "expressions",
                first: 0,
                second: 1,
                ..
            }
        ),
        "{error}"
    );
    // Words of a bind: node, slot, weight. Node 1 shows a mesh without targets, node 2 none, and there is no node 3.
    for (word, value) in [(0, 1), (0, 2), (0, 3), (1, 2), (4, 2)] {
        let (_, error) = refused(1, &[(word, value)]);
        assert!(
            matches!(error, SectionError::OutOfRange { .. }),
            "{word}: {error}"
        );
    }
    let (_, error) = refused(1, &[(5, f32::INFINITY.to_bits())]);
    assert!(matches!(error, SectionError::NotFinite { at: 1, .. }), "{error}");
    let (_, error) = section_error(refusal_of(&avatar(), part(0), Vec::clear));
    assert!(matches!(error, SectionError::Unexpected), "{error}");
    let (_, error) = section_error(refusal_of(&avatar(), part(1), |bytes| bytes.truncate(12)));
    assert!(matches!(error, SectionError::OutOfRange { .. }), "{error}");
}
