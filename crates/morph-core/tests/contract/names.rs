//! Names: other spellings, ids, and maps from one order of slots to another.

use morph_core::names::{
    Aliases, IdError, IdTable, Match, ResolveError, Resolved, SlotMap, SlotMapError, vocabulary,
};
use morph_core::{
    BuildError, BuildOptions, MorphMesh, MorphTarget, NameError, NameTable, Quantization, TargetId,
};
use proptest::prelude::*;

fn table(names: &[&str]) -> NameTable {
    NameTable::new(names.iter().copied()).unwrap()
}

/// The name that a name is resolved to, and how.
fn found<'a>(names: &'a NameTable, name: &str) -> Option<(&'a str, Match)> {
    let Resolved { slot, how } = names.resolve(name).ok()?;
    Some((names.name(slot).unwrap(), how))
}

fn candidates(names: &NameTable, name: &str) -> Vec<String> {
    match names.resolve(name) {
        Err(ResolveError::Ambiguous { candidates, .. }) => candidates,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn b044_a_doubled_name_is_refused_with_both_places() {
    let error = NameTable::new(["b", "a", "b"]).unwrap_err();
    assert_eq!(
        error,
        NameError::Duplicate {
            name: "b".to_owned(),
            first: 0,
            second: 2
        }
    );
    assert_eq!(error.to_string(), "names 0 and 2 are both `b`: give each its own");
    let targets = [MorphTarget::empty("a"), MorphTarget::empty("a")];
    let error = MorphMesh::build(1, &targets, &BuildOptions::new(Quantization::F32)).unwrap_err();
    assert!(
        matches!(
            error,
            BuildError::DuplicateName {
                first: 0,
                second: 1,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn b046_a_deformers_prefix_may_be_left_out_until_two_clash() {
    let names = table(&["Squish.TopH", "Squish.TopL", "Squash.TopL"]);
    assert_eq!(found(&names, "TopH"), Some(("Squish.TopH", Match::Deformer)));
    assert_eq!(found(&names, "Squash.TopL"), Some(("Squash.TopL", Match::Exact)));
    assert_eq!(candidates(&names, "TopL"), ["Squish.TopL", "Squash.TopL"]);
    let error = names.resolve("TopL").unwrap_err().to_string();
    assert_eq!(
        error,
        "`TopL` could be any of `Squish.TopL`, `Squash.TopL`: give the whole name"
    );
    // The other way round, and between files whose deformers have other names.
    assert_eq!(
        found(&table(&["TopH"]), "Squish.TopH"),
        Some(("TopH", Match::Deformer))
    );
    assert_eq!(
        found(&names, "blendShape1.TopH"),
        Some(("Squish.TopH", Match::OtherDeformer))
    );
}

#[test]
fn exact_names_win_and_the_surest_match_decides() {
    let names = table(&["Jaw_Open", "jawOpen", "x.jawOpen", "blink_L", "blinkLeft"]);
    assert_eq!(found(&names, "jawOpen"), Some(("jawOpen", Match::Exact)));
    assert_eq!(found(&names, "blink_L"), Some(("blink_L", Match::Exact)));
    assert_eq!(candidates(&names, "JAWOPEN"), ["Jaw_Open", "jawOpen"]);
    assert_eq!(candidates(&names, "leftBlink"), ["blink_L", "blinkLeft"]);
    assert_eq!(found(&names, "Blink_l"), Some(("blink_L", Match::Spelling)));
}

#[test]
fn sides_are_marked_in_many_ways() {
    let names = table(&[
        "eyeBlinkLeft",
        "eyeBlinkRight",
        "smile.L",
        "R_Brow",
        "left",
        "jawOpen",
    ]);
    for name in [
        "eyeBlink_L",
        "eyeBlink.L",
        "eyeBlinkL",
        "L_eyeBlink",
        "leftEyeBlink",
        "eye blink l",
    ] {
        assert_eq!(found(&names, name), Some(("eyeBlinkLeft", Match::Side)), "{name}");
    }
    assert_eq!(
        found(&names, "Head.eyeBlink_R"),
        Some(("eyeBlinkRight", Match::Deformer))
    );
    assert_eq!(found(&names, "smileLeft"), Some(("smile.L", Match::Side)));
    assert_eq!(found(&names, "Face.smile.L"), Some(("smile.L", Match::Deformer)));
    assert_eq!(found(&names, "brow_right"), Some(("R_Brow", Match::Side)));
    for name in [
        "smile",
        "smileRight",
        "eyeBlink",
        "L",
        "jawOpenLeft",
        "",
        ".",
        "_",
    ] {
        assert_eq!(found(&names, name), None, "{name}");
    }
}

#[test]
fn signs_that_say_something_are_kept() {
    let names = table(&["brow+", "brow-", "笑い_左", "a-b"]);
    assert_eq!(found(&names, "Brow+"), Some(("brow+", Match::Spelling)));
    assert_eq!(found(&names, "BROW-"), Some(("brow-", Match::Spelling)));
    assert_eq!(found(&names, "brow"), None);
    assert_eq!(found(&names, "笑い左"), Some(("笑い_左", Match::Spelling)));
    assert_eq!(found(&names, "A_B"), Some(("a-b", Match::Spelling)));
}

#[test]
fn presets_of_vrm_0_and_1_are_one() {
    let new = NameTable::new(vocabulary::VRM.map(|(new, _)| new)).unwrap();
    for (name, old) in vocabulary::VRM {
        if let Some(old) = old {
            assert_eq!(found(&new, old).map(|it| it.0), Some(name), "{old}");
            assert_eq!(found(&table(&[old]), name).map(|it| it.0), Some(old), "{name}");
        }
    }
    assert_eq!(
        found(&table(&["Face.Joy"]), "happy"),
        Some(("Face.Joy", Match::Vrm))
    );
}

#[test]
fn an_unknown_name_gets_the_nearest() {
    let error = table(&["jawOpen", "smile"]).resolve("jawOpn").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no target is named `jawOpn` or like it: the nearest names are `jawOpen`, `smile`"
    );
    let error = NameTable::default().resolve("a").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no target is named `a` or like it: the mesh has no targets"
    );
}

#[test]
fn trackers_are_bound_by_name_and_what_has_no_target_is_told() {
    assert!(vocabulary::ARKIT.is_sorted(), "and so each name is there once");
    assert!(NameTable::new(vocabulary::ARKIT).is_ok());
    let suffixed = vocabulary::ARKIT.map(|name| name.replace("Left", "_L").replace("Right", "_R"));
    let mesh = NameTable::new(suffixed.iter().rev().map(String::as_str)).unwrap();
    let map = SlotMap::by_name(vocabulary::MEDIAPIPE, &mesh, Match::Side).unwrap();
    assert_eq!(map.lost().collect::<Vec<_>>(), [0], "`_neutral` is no target");
    assert_eq!(map.added(), [0], "MediaPipe has no `tongueOut`");
    let scores: Vec<f32> = (0..52u8).map(f32::from).collect();
    let weights = map.remap(&scores);
    assert_eq!(weights[0], 0.0);
    // Both are in alphabetical order, one of them backwards.
    assert!(
        (1..52).all(|slot| weights[slot] == scores[52 - slot]),
        "{weights:?}"
    );
    let exact = SlotMap::by_name(vocabulary::MEDIAPIPE, &mesh, Match::Exact).unwrap();
    assert!(exact.lost().count() > 30, "sides are not spelled in one way");
}

#[test]
fn ids_are_the_hash_that_is_documented() {
    for (name, id) in [
        ("", 0xcbf2_9ce4_8422_2325),
        ("a", 0xaf63_dc4c_8601_ec8c),
        ("foobar", 0x8594_4171_f739_67e8),
    ] {
        assert_eq!(TargetId::new(name).get(), id);
        assert_eq!(TargetId::from_raw(id), TargetId::new(name));
    }
    assert_eq!(TargetId::from_raw(0xff).to_string(), "00000000000000ff");
}

#[test]
fn two_names_with_one_id_are_refused() {
    let names = table(&["a", "8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"]);
    let IdError::Collision { first, second, .. } = IdTable::new(&names).unwrap_err() else {
        panic!("another error");
    };
    assert_eq!([first, second], ["8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"]);
}

#[test]
fn weights_survive_an_export_with_a_target_more_and_one_less() {
    let stored = IdTable::new(&table(&["smile", "frown", "blink"])).unwrap();
    let now = IdTable::new(&table(&["blink", "jaw", "smile"])).unwrap();
    let map = SlotMap::by_id(stored.ids(), &now).unwrap();
    assert_eq!(map.remap(&[0.25, 0.5, 0.75]), [0.75, 0.0, 0.25]);
    assert_eq!(map.remap(&[0.25]), [0.0, 0.0, 0.25]);
    assert_eq!(
        (map.new_slot(0), map.new_slot(1), map.new_slot(9)),
        (Some(2), None, None)
    );
    assert_eq!(map.lost().collect::<Vec<_>>(), [1]);
    assert_eq!(map.added(), [1]);
    assert_eq!((map.old_count(), map.new_count()), (3, 3));
    let mut kept = [9.0; 3];
    map.remap_into(&[0.25, 0.5, 0.75], &mut kept);
    assert_eq!(kept, [0.75, 9.0, 0.25]);
    let id = TargetId::new("smile");
    let error = SlotMap::by_id(&[id, id], &now).unwrap_err();
    assert_eq!(
        error,
        SlotMapError::Clash {
            first: 0,
            second: 1,
            slot: 2
        }
    );
}

#[test]
fn a_map_by_name_refuses_what_is_not_clear() {
    let names = table(&["A.TopH", "B.TopH", "jawOpen"]);
    let error = SlotMap::by_name(["jawOpen", "TopH"], &names, Match::Deformer).unwrap_err();
    assert!(
        matches!(error, SlotMapError::Ambiguous { old_slot: 1, .. }),
        "{error}"
    );
    let map = SlotMap::by_name(["jawOpen", "TopH"], &names, Match::Side).unwrap();
    assert_eq!(map.lost().collect::<Vec<_>>(), [1]);
    let error = SlotMap::by_name(["jawOpen", "JawOpen"], &names, Match::Spelling).unwrap_err();
    assert_eq!(
        error,
        SlotMapError::Clash {
            first: 0,
            second: 1,
            slot: 2
        }
    );
}

fn any_names() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::hash_set("[a-cA-C_.L-]{0,5}|[ -~éŁ左]{0,6}", 0..16)
        .prop_map(|set| set.into_iter().collect())
}

proptest! {
    #[test]
    fn resolving_never_prefers_another_to_the_exact_name(names in any_names(), asked in "[a-cA-C_.L-]{0,5}|\\PC{0,6}") {
        let names = NameTable::new(names).unwrap();
        let aliases = Aliases::new(&names);
        for (slot, name) in names.iter().enumerate() {
            prop_assert_eq!(aliases.resolve(name), Ok(Resolved { slot, how: Match::Exact }));
        }
        match aliases.resolve(&asked) {
            Ok(Resolved { slot, how }) => {
                prop_assert_eq!(how == Match::Exact, names.name(slot) == Some(&asked));
            }
            Err(ResolveError::Ambiguous { candidates, .. }) => {
                prop_assert!(candidates.len() > 1);
                prop_assert!(candidates.iter().all(|name| names.slot(name).is_some()));
            }
            Err(_) => prop_assert_eq!(names.slot(&asked), None),
        }
        prop_assert_eq!(names.resolve(&asked), aliases.resolve(&asked));
    }

    #[test]
    fn weights_are_kept_by_name_through_any_new_order(old in any_names(), new in any_names()) {
        let old = NameTable::new(old).unwrap();
        let new = NameTable::new(new).unwrap();
        let map = SlotMap::by_id(IdTable::new(&old).unwrap().ids(), &IdTable::new(&new).unwrap()).unwrap();
        let weights: Vec<f32> = (1..=old.len() as u8).map(f32::from).collect();
        let mapped = map.remap(&weights);
        for (slot, name) in new.iter().enumerate() {
            prop_assert_eq!(mapped[slot], old.slot(name).map_or(0.0, |slot| weights[slot]));
        }
        prop_assert_eq!(map.lost().count(), old.iter().filter(|name| new.slot(name).is_none()).count());
        prop_assert_eq!(map.added().len(), new.iter().filter(|name| old.slot(name).is_none()).count());
    }
}
