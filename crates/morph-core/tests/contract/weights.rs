//! Weights and names.

use morph_core::{
    MorphMesh, MorphTarget, NameTable, Quantization, WeightError, WeightState, morph, weights_from_names,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{build, padded, positions, rest, weight};

fn mesh(names: &[&str]) -> MorphMesh {
    let targets: Vec<MorphTarget> = names.iter().map(|&name| MorphTarget::empty(name)).collect();
    build(1, &targets, Quantization::F32).0
}

fn names() -> NameTable {
    mesh(&["jawOpen", "mouthSmileLeft", "mouthSmileRight", "eyeBlinkLeft"])
        .names()
        .clone()
}

#[test]
fn names_are_found_both_ways() {
    let names = names();
    assert_eq!((names.len(), names.is_empty()), (4, false));
    for (slot, name) in names.iter().enumerate() {
        assert_eq!(names.slot(name), Some(slot));
        assert_eq!(names.name(slot), Some(name));
    }
    assert_eq!(names.slot("jawopen"), None, "names are matched exactly");
    assert_eq!(names.slot(""), None);
    assert_eq!(names.name(4), None);
    assert!(mesh(&[]).names().is_empty());
}

#[test]
fn the_nearest_names_come_first() {
    let names = names();
    assert_eq!(names.nearest("jawOpn", 1), ["jawOpen"]);
    assert_eq!(names.nearest("JAWOPEN", 1), ["jawOpen"]);
    assert_eq!(names.nearest("smile", 2), ["mouthSmileLeft", "mouthSmileRight"]);
    assert_eq!(names.nearest("jawOpen", 9).len(), 4);
    assert!(names.nearest("jawOpen", 0).is_empty());
    assert_eq!(names.nearest("", 4).len(), 4);
}

#[test]
fn a_short_array_reads_as_zero_for_the_rest_and_an_empty_one_is_rest() {
    let names = names();
    let mut state = WeightState::new(4);
    assert_eq!(state.set_all(&[1.0, 0.5, -0.25, 3.0], &names), Ok(true));
    assert_eq!(state.set_all(&[1.0, 0.5], &names), Ok(true));
    assert_eq!(state.values(), [1.0, 0.5, 0.0, 0.0]);
    assert_eq!(state.set_all(&[], &names), Ok(true));
    assert_eq!(state.values(), [0.0; 4]);
    assert_eq!(state.active().count(), 0);
}

#[test]
fn setting_what_is_set_changes_nothing() {
    let names = names();
    let mut state = WeightState::new(4);
    assert_eq!(state.version(), 0);
    assert_eq!(state.set_all(&[0.0, 0.5], &names), Ok(true));
    assert_eq!(state.version(), 1);
    assert_eq!(state.set_all(&[-0.0, 0.5, 1.0e-20], &names), Ok(false));
    assert_eq!(state.set_slot(1, 0.5, &names), Ok(false));
    assert_eq!(state.set_named("mouthSmileLeft", 0.5, &names), Ok(false));
    assert_eq!(state.version(), 1);
    assert_eq!(state.set_named("mouthSmileLeft", 0.75, &names), Ok(true));
    assert_eq!(state.set_slot(3, -1.0, &names), Ok(true));
    assert_eq!(state.version(), 3);
    assert_eq!(state.active().collect::<Vec<_>>(), [(1, 0.75), (3, -1.0)]);
}

#[test]
fn weights_below_the_domain_are_zero() {
    let names = names();
    let mut state = WeightState::new(4);
    assert_eq!(state.set_all(&[1.0e-13, -1.0e-13, -0.0], &names), Ok(false));
    assert!(state.values().iter().all(|w| w.to_bits() == 0));
}

#[test]
fn weights_that_are_not_finite_are_refused_by_name_and_change_nothing() {
    let names = names();
    let mut state = WeightState::new(4);
    state.set_all(&[0.25; 4], &names).unwrap();
    let before = state.clone();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = state.set_all(&[1.0, value], &names).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the weight of target 1 `mouthSmileLeft` is {value}: weights must be finite numbers")
        );
        assert!(matches!(
            state.set_slot(2, value, &names),
            Err(WeightError::NotFinite { slot: 2, .. })
        ));
        assert!(matches!(
            state.set_named("jawOpen", value, &names),
            Err(WeightError::NotFinite { slot: 0, .. })
        ));
        assert!(matches!(
            weights_from_names(&[("jawOpen", value)], &names),
            Err(WeightError::NotFinite { slot: 0, .. })
        ));
    }
    assert_eq!(state, before);
}

#[test]
fn too_many_weights_are_refused() {
    let mut state = WeightState::new(4);
    let error = state.set_all(&[0.0; 5], &names()).unwrap_err();
    assert_eq!(
        error,
        WeightError::TooMany {
            given: 5,
            target_count: 4
        }
    );
    assert_eq!(
        error.to_string(),
        "5 weights were given for a mesh of 4 targets: give at most 4"
    );
}

#[test]
fn slots_and_names_that_do_not_exist_are_refused() {
    let names = names();
    let mut state = WeightState::new(4);
    let error = state.set_slot(4, 1.0, &names).unwrap_err();
    assert_eq!(
        error,
        WeightError::SlotOutOfRange {
            slot: 4,
            target_count: 4
        }
    );
    assert_eq!(
        error.to_string(),
        "there is no target 4: the mesh has 4 targets, counted from 0"
    );
    let error = state.set_named("jawOpn", 1.0, &names).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no target is named `jawOpn`: the nearest names are `jawOpen`, `"),
        "{error}"
    );
    let error = weights_from_names(&[("a", 1.0)], mesh(&[]).names()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no target is named `a`: the mesh has no targets"
    );
    assert_eq!(state, WeightState::new(4));
}

#[test]
fn weights_from_names_come_in_slot_order() {
    let names = names();
    let weights = weights_from_names(
        &[("eyeBlinkLeft", 0.5), ("jawOpen", -2.0), ("jawOpen", 1.0)],
        &names,
    );
    assert_eq!(
        weights,
        Ok(vec![1.0, 0.0, 0.0, 0.5]),
        "the last one counts where a name is given twice"
    );
    assert_eq!(weights_from_names(&[], &names), Ok(vec![0.0; 4]));
}

#[test]
fn b035_arrays_of_any_length_are_zeros_or_an_error_and_never_a_read_past_the_end() {
    let (mesh, rest) = (mesh(&["a"]), rest(&[[0.5; 3]], None, None));
    let names = mesh.names();
    for count in [2, 300] {
        let refused = WeightError::TooMany {
            given: count,
            target_count: 1,
        };
        assert_eq!(
            WeightState::new(1).set_all(&vec![1.0; count], names),
            Err(refused.clone())
        );
        assert_eq!(WeightState::with_authored(&vec![1.0; count], names), Err(refused));
        assert!(morph(&mesh, &rest, &vec![1.0; count]).is_err());
    }
    assert_eq!(WeightState::new(1).set_all(&[], names), Ok(false));
    assert_eq!(morph(&mesh, &rest, &[]).unwrap().positions, [[0.5; 3]]);
    let error = WeightState::new(1).set_all(&[f32::NAN], names).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the weight of target 0 `a` is NaN: weights must be finite numbers"
    );
}

#[test]
fn b042_the_first_target_is_found_by_name() {
    let names = names();
    let mut state = WeightState::new(4);
    assert_eq!(state.set_named("jawOpen", 0.5, &names), Ok(true));
    assert_eq!(state.values(), [0.5, 0.0, 0.0, 0.0]);
    assert_eq!(state.get_named("jawOpen", &names), Ok(0.5));
    let error = state.get_named("mouthSmileUp", &names).unwrap_err();
    let WeightError::UnknownName { nearest, .. } = error else {
        panic!("{error}")
    };
    assert!(nearest[0].starts_with("mouthSmile"), "{nearest:?}");
}

#[test]
fn b047_without_authored_weights_every_target_has_the_weight_zero() {
    let mesh = mesh(&["a", "b"]);
    let mut state = WeightState::with_authored(&[], mesh.names()).unwrap();
    assert_eq!(state.values(), [0.0; 2]);
    assert_eq!(state.set_slot(1, 1.0, mesh.names()), Ok(true));
    assert_eq!(state.values(), [0.0, 1.0]);
}

#[test]
fn b053_a_state_that_nothing_was_set_in_is_the_rest_pose() {
    let target = positions("a", &[(0, [1.0; 3])]);
    let (mesh, _) = build(1, &[target], Quantization::F32);
    let rest = rest(&[[0.5; 3]], None, None);
    let state = WeightState::new(mesh.target_count());
    assert_eq!(
        morph(&mesh, &rest, state.effective()).unwrap().positions,
        [[0.5; 3]]
    );
}

#[test]
fn authored_weights_stand_apart_from_those_at_run_time() {
    let names = names();
    let mut state = WeightState::with_authored(&[0.25, 1.0e-20, -0.5], &names).unwrap();
    assert_eq!(state.values(), [0.25, 0.0, -0.5, 0.0]);
    assert_eq!(state.authored(), state.values());
    assert_eq!(state.version(), 0);
    assert!(!state.reset());
    state.set_all(&[1.0], &names).unwrap();
    assert_eq!(state.authored(), [0.25, 0.0, -0.5, 0.0]);
    assert_eq!(state.set_authored(&[0.75], &names), Ok(true));
    assert_eq!(state.set_authored(&[0.75], &names), Ok(false));
    assert_eq!(
        (state.get(0), state.get(4), state.version()),
        (Some(1.0), None, 1)
    );
    assert!(state.reset());
    assert_eq!((state.values(), state.version()), (&[0.75, 0.0, 0.0, 0.0][..], 2));
    state.set_slot(3, 2.0, &names).unwrap();
    assert!(state.author());
    assert!(!state.author());
    assert_eq!(state.authored(), [0.75, 0.0, 0.0, 2.0]);
    let before = state.clone();
    assert!(state.set_authored(&[f32::NAN], &names).is_err());
    assert!(state.set_authored(&[0.0; 5], &names).is_err());
    assert_eq!(state, before);
}

#[test]
fn morphs_that_are_off_show_zeros_and_keep_their_weights() {
    let names = names();
    let mut state = WeightState::new(4);
    state.set_all(&[0.5, 1.0], &names).unwrap();
    assert!(state.is_enabled());
    assert!(!state.set_enabled(true));
    assert!(state.set_enabled(false));
    assert_eq!(state.version(), 2, "what is shown changed");
    assert_eq!(state.effective(), [0.0; 4]);
    assert_eq!(state.values(), [0.5, 1.0, 0.0, 0.0]);
    state.set_slot(3, 2.0, &names).unwrap();
    assert_eq!(state.effective(), [0.0; 4]);
    assert!(state.set_enabled(true));
    assert_eq!(state.effective(), [0.5, 1.0, 0.0, 2.0]);
}

proptest! {
    #[test]
    fn a_state_holds_what_was_set_last(first in vec(weight(), 0..=4), second in vec(weight(), 0..=4)) {
        let names = names();
        let mut state = WeightState::new(4);
        state.set_all(&first, &names).unwrap();
        let version = state.version();
        let changed = state.set_all(&second, &names).unwrap();
        prop_assert_eq!(state.values(), padded(&second, 4));
        prop_assert_eq!(changed, padded(&first, 4) != padded(&second, 4));
        prop_assert_eq!(state.version() - version, u64::from(changed));
        let active: Vec<(usize, f32)> = state.active().collect();
        prop_assert!(active.iter().all(|&(slot, w)| w != 0.0 && state.values()[slot] == w));
        prop_assert!(active.windows(2).all(|pair| pair[0].0 < pair[1].0));
        prop_assert_eq!(active.len(), state.values().iter().filter(|&&w| w != 0.0).count());
    }

    #[test]
    fn every_name_is_found_in_any_table(set in proptest::collection::hash_set("[a-zA-Z_]{0,6}", 0..40)) {
        let set: Vec<&str> = set.iter().map(String::as_str).collect();
        let mesh = mesh(&set);
        for (slot, name) in set.iter().enumerate() {
            prop_assert_eq!(mesh.names().slot(name), Some(slot));
        }
        prop_assert_eq!(mesh.names().slot("not in there"), None);
    }

    #[test]
    fn reset_gives_the_authored_weights_whatever_came_between(
        authored in vec(weight(), 0..=4),
        set in vec((0usize..4, weight()), 0..8),
        off in any::<bool>(),
    ) {
        let names = names();
        let mut state = WeightState::with_authored(&authored, &names).unwrap();
        for &(slot, w) in &set {
            state.set_slot(slot, w, &names).unwrap();
        }
        state.set_enabled(!off);
        prop_assert_eq!(state.authored(), padded(&authored, 4));
        let changes = state.values() != state.authored();
        prop_assert_eq!(state.reset(), changes);
        prop_assert_eq!(state.values(), padded(&authored, 4));
        let shown = if off { vec![0.0; 4] } else { padded(&authored, 4) };
        prop_assert_eq!(state.effective(), shown);
    }
}
