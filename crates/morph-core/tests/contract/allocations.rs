//! What a frame may call as often as it likes allocates nothing.

use allocation_counter::measure;
use morph_core::expression::{Expression, ExpressionSet, Override};
use morph_core::names::{IdTable, Match, SlotMap, vocabulary};
use morph_core::rig::{Channel, Clamp, Parent, Rig};
use morph_core::{NameTable, TargetId, WeightState};

fn assert_allocates_nothing(what: &str, run: impl FnOnce()) {
    let info = measure(run);
    assert_eq!(info.count_total, 0, "{what}: {} bytes", info.bytes_total);
}

fn arkit() -> NameTable {
    NameTable::new(vocabulary::ARKIT).unwrap()
}

#[test]
fn looking_up_and_remapping_allocate_nothing() {
    let names = arkit();
    let ids = IdTable::new(&names).unwrap();
    let map = SlotMap::by_name(vocabulary::MEDIAPIPE, &names, Match::Exact).unwrap();
    let mut weights = [0.0; 52];
    assert_allocates_nothing("names", || {
        for (slot, name) in vocabulary::ARKIT.iter().enumerate() {
            assert_eq!(names.slot(name), Some(slot));
            assert_eq!(ids.slot(TargetId::new(name)), Some(slot));
            assert!(names.resolve(name).is_ok());
        }
        assert_eq!(names.slot("no such name"), None);
        map.remap_into(&[0.5; 52], &mut weights);
    });
    assert_eq!(weights[0], 0.5);
}

#[test]
fn setting_weights_allocates_nothing() {
    let names = arkit();
    let mut state = WeightState::with_authored(&[0.25; 52], &names).unwrap();
    assert_allocates_nothing("weights", || {
        state.set_all(&[0.5; 50], &names).unwrap();
        state.set_slot(3, 1.0, &names).unwrap();
        state.set_named("jawOpen", 0.75, &names).unwrap();
        state.get_named("jawOpen", &names).unwrap();
        state.set_authored(&[1.0; 3], &names).unwrap();
        state.set_enabled(false);
        assert_eq!(state.effective(), [0.0; 52]);
        state.author();
        state.reset();
    });
}

#[test]
fn evaluating_rigs_and_expressions_allocates_nothing() {
    let names = arkit();
    let channels = vec![
        Channel::combination([Parent::Target(1), Parent::Control(1)], Clamp::Parents, 3),
        Channel::in_between(0, [(1.0, 1), (0.5, 0), (-1.0, 2)]),
    ];
    let rig = Rig::new(names.clone(), &names, channels).unwrap();
    let mut happy = Expression::new("happy", [("mouthSmileLeft", 1.0), ("mouthSmileRight", 1.0)]);
    happy.overrides.mouth = Override::Blend;
    let aa = Expression::new("aa", [("jawOpen", 1.0)]);
    let expressions = ExpressionSet::new(vec![happy, aa], &names).unwrap();
    let mut weights = [0.0; 52];
    assert_allocates_nothing("evaluation", || {
        rig.evaluate(&[0.75, 0.5], &mut weights).unwrap();
        expressions.evaluate(&[0.5, 1.0], &mut weights).unwrap();
    });
    assert_eq!(weights[..4], [0.5, 0.5, 0.0, 0.25]);
}
