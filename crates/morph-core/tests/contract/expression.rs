//! Expressions and how they hold one another back.

use morph_core::NameTable;
use morph_core::expression::{
    Expression, ExpressionError, ExpressionSet, ExpressionValueError, Override, Procedural, preset_of_vrm0,
};
use morph_core::names::vocabulary::VRM;
use proptest::collection::vec;
use proptest::prelude::*;

fn targets() -> NameTable {
    NameTable::new(["eyesClosed", "smile", "mouthOpen", "browUp"]).unwrap()
}

fn happy_and_blink(override_blink: Override) -> [Expression; 2] {
    let mut happy = Expression::new("happy", [("smile", 1.0)]);
    happy.overrides.blink = override_blink;
    [happy, Expression::new("blink", [("eyesClosed", 1.0)])]
}

fn evaluated(expressions: impl Into<Vec<Expression>>, values: &[f32]) -> [f32; 4] {
    let set = ExpressionSet::new(expressions.into(), &targets()).unwrap();
    let mut weights = [0.0; 4];
    set.evaluate(values, &mut weights).unwrap();
    weights
}

#[test]
fn expressions_add_up_and_leave_other_targets_alone() {
    let expressions = vec![
        Expression::new("happy", [("smile", 1.0), ("mouthOpen", 0.5)]),
        Expression::new("aa", [("mouthOpen", 1.0)]),
        Expression::new("nothing", [] as [(&str, f32); 0]),
    ];
    let set = ExpressionSet::new(expressions, &targets()).unwrap();
    let mut weights = [0.25; 4];
    set.evaluate(&[0.5, 0.5], &mut weights).unwrap();
    assert_eq!(weights, [0.25, 0.5, 0.75, 0.25]);
    set.evaluate(&[], &mut weights).unwrap();
    assert_eq!(weights, [0.25, 0.0, 0.0, 0.25]);
}

#[test]
fn values_are_clamped_and_binary_ones_are_off_or_on() {
    let mut expression = Expression::new("angry", [("browUp", -1.0)]);
    assert_eq!(evaluated([expression.clone()], &[2.0])[3], -1.0);
    assert_eq!(evaluated([expression.clone()], &[-2.0])[3], 0.0);
    assert_eq!(evaluated([expression.clone()], &[f32::INFINITY])[3], -1.0);
    expression.is_binary = true;
    assert_eq!(evaluated([expression.clone()], &[0.5])[3], 0.0);
    assert_eq!(evaluated([expression], &[0.51])[3], -1.0);
}

#[test]
fn overrides_block_and_blend() {
    for (how, closed) in [
        (Override::None, 1.0),
        (Override::Block, 0.0),
        (Override::Blend, 0.75),
    ] {
        assert_eq!(
            evaluated(happy_and_blink(how), &[0.25, 1.0]),
            [closed, 0.25, 0.0, 0.0],
            "{how:?}"
        );
        assert_eq!(evaluated(happy_and_blink(how), &[0.0, 1.0])[0], 1.0, "{how:?}");
    }
}

#[test]
fn blends_add_up_to_no_more_than_all() {
    let [happy, blink] = happy_and_blink(Override::Blend);
    let sad = Expression {
        name: "sad".to_owned(),
        ..happy.clone()
    };
    assert_eq!(
        evaluated([happy.clone(), sad.clone(), blink.clone()], &[0.25, 0.5, 1.0])[0],
        0.25
    );
    assert_eq!(evaluated([happy, sad, blink], &[0.75, 0.75, 1.0])[0], 0.0);
}

#[test]
fn a_binary_expression_overrides_by_what_it_shows() {
    for how in [Override::Block, Override::Blend] {
        let [mut happy, blink] = happy_and_blink(how);
        happy.is_binary = true;
        assert_eq!(evaluated([happy.clone(), blink.clone()], &[0.5, 1.0])[0], 1.0);
        assert_eq!(evaluated([happy, blink], &[0.75, 1.0])[0], 0.0);
    }
}

#[test]
fn a_binary_expression_is_overridden_wholly() {
    for how in [Override::Block, Override::Blend] {
        let [happy, mut blink] = happy_and_blink(how);
        blink.is_binary = true;
        assert_eq!(evaluated([happy.clone(), blink.clone()], &[0.125, 1.0])[0], 0.0);
        assert_eq!(evaluated([happy, blink], &[0.0, 1.0])[0], 1.0);
    }
}

#[test]
fn an_override_of_its_own_kind_is_ignored_and_custom_ones_may_be_given_a_kind() {
    let [_, mut blink] = happy_and_blink(Override::None);
    blink.overrides.blink = Override::Block;
    blink.overrides.mouth = Override::Block;
    let mut shout = Expression::new("shout", [("mouthOpen", 1.0)]);
    assert_eq!(shout.kind, None);
    assert_eq!(
        evaluated([blink.clone(), shout.clone()], &[1.0, 1.0]),
        [1.0, 0.0, 1.0, 0.0]
    );
    shout.kind = Some(Procedural::Mouth);
    assert_eq!(evaluated([blink, shout], &[1.0, 1.0]), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn presets_of_both_versions_are_known() {
    for (new, old) in VRM {
        if let Some(old) = old {
            assert_eq!(preset_of_vrm0(old), Some(new));
            assert_eq!(preset_of_vrm0(&old.to_uppercase()), Some(new));
        }
    }
    assert_eq!(preset_of_vrm0("surprised"), None);
    let kinds = VRM.iter().filter_map(|(new, _)| Procedural::of_preset(new));
    assert_eq!(kinds.count(), 3 + 4 + 5);
}

#[test]
fn targets_may_be_spelled_in_another_way() {
    let expression = Expression::new("happy", [("Face.Mouth_Open", 0.5)]);
    assert_eq!(evaluated([expression], &[1.0]), [0.0, 0.0, 0.5, 0.0]);
}

#[test]
fn what_is_not_right_is_refused() {
    let set = |expressions: Vec<Expression>| ExpressionSet::new(expressions, &targets());
    let error = set(vec![Expression::new("happy", [("smle", 1.0)])])
        .unwrap_err()
        .to_string();
    let start = "expression `happy`: no target is named `smle` or like it: the nearest names are `smile`";
    assert!(error.starts_with(start), "{error}");
    let error = set(vec![Expression::new("happy", [("smile", f32::NAN)])]).unwrap_err();
    assert!(matches!(error, ExpressionError::NotFinite { .. }), "{error}");
    let error = set(vec![Expression::new("happy", [("smile", f32::MAX); 2])]).unwrap_err();
    assert!(matches!(error, ExpressionError::Overflow { .. }), "{error}");
    let [happy, blink] = happy_and_blink(Override::None);
    let error = set(vec![happy.clone(), happy.clone()]).unwrap_err();
    assert!(matches!(error, ExpressionError::Name(_)), "{error}");
    let set = set(vec![happy, blink]).unwrap();
    let mut weights = [0.5; 4];
    let error = set.evaluate(&[0.0, f32::NAN], &mut weights).unwrap_err();
    assert!(
        matches!(error, ExpressionValueError::NotANumber { expression: 1, .. }),
        "{error}"
    );
    let error = set.evaluate(&[0.0; 3], &mut weights).unwrap_err();
    assert!(
        matches!(error, ExpressionValueError::TooMany { given: 3, .. }),
        "{error}"
    );
    let error = set.evaluate(&[0.0], &mut weights[..3]).unwrap_err();
    assert!(
        matches!(error, ExpressionValueError::TargetCount { given: 3, .. }),
        "{error}"
    );
    assert_eq!(weights, [0.5; 4]);
}

proptest! {
    #[test]
    fn procedural_expressions_are_never_more_than_alone(
        values in vec(-1.0f32..2.0, 3),
        how in prop::sample::select(vec![Override::None, Override::Block, Override::Blend]),
        binary in any::<[bool; 3]>(),
    ) {
        let [happy, blink] = happy_and_blink(how);
        let angry = Expression { name: "angry".to_owned(), ..happy.clone() };
        let mut expressions = [happy, angry, blink];
        for (expression, binary) in expressions.iter_mut().zip(binary) {
            expression.is_binary = binary;
        }
        let closed = evaluated(expressions.clone(), &values)[0];
        let alone = evaluated(expressions, &[0.0, 0.0, values[2]])[0];
        prop_assert!((0.0..=alone).contains(&closed));
        prop_assert!(!binary[2] || closed == 0.0 || closed == 1.0);
    }
}
