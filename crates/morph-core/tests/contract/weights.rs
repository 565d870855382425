//! Weights and names.

use morph_core::{
    MorphMesh, MorphTarget, NameTable, Quantization, WeightError, WeightState, weights_from_names,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{build, padded, weight};

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
}
