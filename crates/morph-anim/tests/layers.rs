//! What layers and blend trees promise, to the last bit where they do.

mod common;

use std::sync::Arc;

use common::{bits, bound, face, hold, layout, node, track, weight_track};
use glam::{Quat, Vec3};
use morph_anim::{
    BlendError, BlendTree, BoundClip, Channel, ClipPlayer, Layer, LayerMode, LoopMode, Pose, PoseLayout, Trs,
};
use proptest::prelude::*;

/// A player that plays each clip in a layer of its own.
fn layered(layout: &Arc<PoseLayout>, layers: &[(LayerMode, f32, &Arc<BoundClip>)]) -> ClipPlayer {
    let mut player = ClipPlayer::new(Arc::clone(layout));
    for &(mode, weight, clip) in layers {
        let clip = player
            .add_clip(Arc::clone(clip), LoopMode::Loop)
            .expect("the same layout");
        let tree = BlendTree::of_clip(clip);
        player
            .add_layer(Layer { mode, weight, tree })
            .expect("a clip of the player");
    }
    player
}

/// A player that weighs clips in one override layer.
fn blended(layout: &Arc<PoseLayout>, clips: &[(f32, &Arc<BoundClip>)]) -> ClipPlayer {
    let mut player = ClipPlayer::new(Arc::clone(layout));
    let mut tree = BlendTree::new();
    for &(weight, clip) in clips {
        let clip = player
            .add_clip(Arc::clone(clip), LoopMode::Loop)
            .expect("the same layout");
        tree.add_clip(BlendTree::ROOT, weight, clip)
            .expect("the root is a branch");
    }
    let layer = Layer {
        mode: LayerMode::Override,
        weight: 1.0,
        tree,
    };
    player.add_layer(layer).expect("clips of the player");
    player
}

#[test]
fn b100_a_layer_of_weight_three_tenths_over_zero_gives_three_tenths() {
    let layout = face();
    let jaw = |value| bound(vec![weight_track("face", "jaw", hold([value]))], &layout);
    let (shut, open) = (jaw(0.0), jaw(1.0));
    for mode in [LayerMode::Override, LayerMode::Additive] {
        let mut player = layered(&layout, &[(LayerMode::Override, 1.0, &shut), (mode, 0.3, &open)]);
        assert_eq!(player.evaluate().weights(0), [0.3, 0.0, 0.0]);
    }
}

#[test]
fn an_override_layer_replaces_only_what_it_drives_and_a_zero_is_a_value() {
    let layout = face();
    let smile_and_jaw = bound(
        vec![
            weight_track("face", "jaw", hold([0.5])),
            weight_track("face", "smile", hold([0.75])),
        ],
        &layout,
    );
    let shut = bound(vec![weight_track("face", "jaw", hold([0.0]))], &layout);
    let mut player = layered(
        &layout,
        &[
            (LayerMode::Override, 1.0, &smile_and_jaw),
            (LayerMode::Override, 1.0, &shut),
        ],
    );
    let pose = player.evaluate();
    assert_eq!(pose.weights(0), [0.0, 0.75, 0.0]);
    assert_eq!(pose.driven_weights(0), [true, true, false]);
}

#[test]
fn weights_are_never_clamped() {
    let layout = face();
    let jaw = bound(vec![weight_track("face", "jaw", hold([1.5]))], &layout);
    let additive = (LayerMode::Additive, 1.0, &jaw);
    assert_eq!(
        layered(&layout, &[additive, additive]).evaluate().weights(0)[0],
        3.0
    );
    let taken = (LayerMode::Additive, -2.0, &jaw);
    assert_eq!(layered(&layout, &[taken]).evaluate().weights(0)[0], -3.0);
    let past = (LayerMode::Override, 2.0, &jaw);
    assert_eq!(layered(&layout, &[past]).evaluate().weights(0)[0], 3.0);
}

#[test]
fn an_absent_child_contributes_nothing_and_nothing_is_renormalized() {
    let layout = layout(vec![node("hip", &["jaw", "smile"])]);
    let one = bound(
        vec![
            weight_track("hip", "jaw", hold([1.0])),
            track("hip", Channel::Translation(hold([4.0, 0.0, 0.0]))),
        ],
        &layout,
    );
    let other = bound(
        vec![
            weight_track("hip", "jaw", hold([0.5])),
            weight_track("hip", "smile", hold([1.0])),
        ],
        &layout,
    );
    let mut player = blended(&layout, &[(0.5, &one), (0.25, &other)]);
    let pose = player.evaluate();
    assert_eq!(pose.weights(0), [0.625, 0.25]);
    assert_eq!(pose.locals()[0].translation, Vec3::new(2.0, 0.0, 0.0));
}

#[test]
fn what_is_missing_to_a_whole_transform_is_the_rest_pose() {
    let mut hip = node("hip", &[]);
    hip.rest = Trs {
        translation: Vec3::new(0.0, 1.0, 0.0),
        rotation: Quat::from_rotation_y(0.5),
        scale: Vec3::splat(2.0),
    };
    let layout = layout(vec![hip]);
    let value = Quat::from_rotation_y(1.5).to_array();
    let clip = bound(
        vec![
            track("hip", Channel::Translation(hold([4.0, 3.0, 0.0]))),
            track("hip", Channel::Rotation(hold(value))),
            track("hip", Channel::Scale(hold([4.0; 3]))),
        ],
        &layout,
    );
    let mut player = blended(&layout, &[(0.5, &clip)]);
    let local = player.evaluate().locals()[0];
    assert_eq!(local.translation, Vec3::new(2.0, 2.0, 0.0));
    assert_eq!(local.scale, Vec3::splat(3.0));
    assert!(local.rotation.abs_diff_eq(Quat::from_rotation_y(1.0), 1.0e-6));
}

#[test]
fn a_child_of_weight_zero_drives_what_it_drives_to_nothing() {
    let layout = face();
    let jaw = bound(vec![weight_track("face", "jaw", hold([1.0]))], &layout);
    let smile = bound(vec![weight_track("face", "smile", hold([1.0]))], &layout);
    let mut player = blended(&layout, &[(0.0, &jaw), (1.0, &smile)]);
    let pose = player.evaluate();
    assert_eq!(pose.weights(0), [0.0, 1.0, 0.0]);
    assert_eq!(pose.driven_weights(0), [true, true, false]);
}

#[test]
fn weights_multiply_down_a_tree() {
    let layout = face();
    let jaw = bound(vec![weight_track("face", "jaw", hold([1.0]))], &layout);
    let mut player = ClipPlayer::new(Arc::clone(&layout));
    let clip = player.add_clip(jaw, LoopMode::Loop).expect("the same layout");
    let mut tree = BlendTree::new();
    let branch = tree
        .add_branch(BlendTree::ROOT, 0.5)
        .expect("the root is a branch");
    let leaf = tree.add_clip(branch, 0.5, clip).expect("a branch");
    assert_eq!(tree.add_branch(leaf, 1.0), Err(BlendError::Leaf));
    assert_eq!(tree.add_branch(branch, f32::INFINITY), Err(BlendError::NotFinite));
    let mode = LayerMode::Override;
    let layer = player
        .add_layer(Layer {
            mode,
            weight: 1.0,
            tree,
        })
        .expect("a clip of the player");
    assert_eq!(player.evaluate().weights(0)[0], 0.25);

    let tree = player.tree_mut(layer).expect("the layer");
    tree.set_weight(branch, 1.0).expect("in the tree");
    assert_eq!(tree.set_weight(branch, f32::NAN), Err(BlendError::NotFinite));
    assert_eq!(BlendTree::new().set_weight(leaf, 1.0), Err(BlendError::NoNode));
    assert_eq!(player.evaluate().weights(0)[0], 0.5);
}

#[test]
fn an_additive_layer_turns_a_node_by_its_own_part_of_the_turn_from_rest() {
    let mut arm = node("arm", &[]);
    arm.rest.rotation = Quat::from_rotation_x(0.5);
    let layout = layout(vec![arm]);
    let raised = arm_clip(&layout, Quat::from_rotation_z(1.0));
    let bent = arm_clip(&layout, Quat::from_rotation_x(0.5) * Quat::from_rotation_y(0.5));
    let mut player = layered(
        &layout,
        &[
            (LayerMode::Override, 1.0, &raised),
            (LayerMode::Additive, 0.5, &bent),
        ],
    );
    let expected = Quat::from_rotation_z(1.0) * Quat::from_rotation_y(0.25);
    assert!(
        player.evaluate().locals()[0]
            .rotation
            .abs_diff_eq(expected, 1.0e-6)
    );
}

fn arm_clip(layout: &Arc<PoseLayout>, rotation: Quat) -> Arc<BoundClip> {
    let turn = Channel::Rotation(hold(rotation.to_array()));
    bound(vec![track("arm", turn)], layout)
}

/// Everything that one node of two targets can have.
#[derive(Clone, Copy, Debug)]
struct Values {
    local: Trs,
    weights: [f32; 2],
}

impl Values {
    fn node(self, id: &str) -> morph_anim::PoseNode {
        let mut node = node(id, &["jaw", "smile"]);
        node.rest = self.local;
        node
    }

    /// A clip that holds them.
    fn clip(self, layout: &Arc<PoseLayout>) -> Arc<BoundClip> {
        let Trs {
            translation,
            rotation,
            scale,
        } = self.local;
        let tracks = vec![
            track("hip", Channel::Translation(hold(translation.to_array()))),
            track("hip", Channel::Rotation(hold(rotation.to_array()))),
            track("hip", Channel::Scale(hold(scale.to_array()))),
            weight_track("hip", "jaw", hold([self.weights[0]])),
            weight_track("hip", "smile", hold([self.weights[1]])),
        ];
        bound(tracks, layout)
    }

    fn pose(self, layout: &Arc<PoseLayout>) -> Pose {
        let mut pose = Pose::new(Arc::clone(layout));
        pose.set_local(0, self.local).expect("finite");
        for (slot, &weight) in self.weights.iter().enumerate() {
            pose.set_weight(0, slot, weight).expect("finite");
        }
        pose
    }
}

fn finite() -> impl Strategy<Value = f32> {
    let any = prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO;
    prop_oneof![-2.0_f32..2.0, any]
}

fn values() -> impl Strategy<Value = Values> {
    let vector = || prop::array::uniform3(finite()).prop_map(Vec3::from_array);
    let rotation = prop::array::uniform4(-1.0_f32..1.0).prop_filter_map("has a direction", |q| {
        let q = Quat::from_array(q);
        (q.length() > 0.1).then(|| q.normalize())
    });
    (vector(), rotation, vector(), prop::array::uniform2(finite())).prop_map(
        |(translation, rotation, scale, weights)| Values {
            local: Trs {
                translation,
                rotation,
                scale,
            },
            weights,
        },
    )
}

fn mode() -> impl Strategy<Value = LayerMode> {
    prop_oneof![Just(LayerMode::Override), Just(LayerMode::Additive)]
}

proptest! {
    #[test]
    fn a_layer_of_weight_zero_changes_no_bit_and_drives_nothing(
        rest in values(), below in values(), over in values(), mode in mode(),
    ) {
        let layout = layout(vec![rest.node("hip")]);
        for zero in [0.0, -0.0] {
            let mut player = layered(&layout, &[(mode, zero, &over.clip(&layout))]);
            *player.base_mut() = below.pose(&layout);
            prop_assert_eq!(player.evaluate(), &below.pose(&layout));
            prop_assert_eq!(bits(player.pose()), bits(&below.pose(&layout)));
        }
    }

    #[test]
    fn an_override_layer_of_weight_one_is_the_clip_to_the_last_bit(
        rest in values(), below in values(), over in values(),
    ) {
        let layout = layout(vec![rest.node("hip")]);
        let mut player = layered(&layout, &[(LayerMode::Override, 1.0, &over.clip(&layout))]);
        *player.base_mut() = below.pose(&layout);
        prop_assert_eq!(bits(player.evaluate()), bits(&over.pose(&layout)));
    }

    #[test]
    fn adding_zero_changes_no_bit(rest in values(), below in values(), weight in finite()) {
        let layout = layout(vec![rest.node("hip")]);
        let nothing = Values { weights: [0.0, -0.0], ..rest };
        let mut player = layered(&layout, &[(LayerMode::Additive, weight, &nothing.clip(&layout))]);
        *player.base_mut() = below.pose(&layout);
        prop_assert_eq!(bits(player.evaluate()), bits(&below.pose(&layout)));
    }

    #[test]
    fn a_tree_of_one_whole_clip_is_that_clip_to_the_last_bit(
        rest in values(), chosen in values(), others in prop::array::uniform2(values()), at in 0_usize..3,
    ) {
        let layout = layout(vec![rest.node("hip")]);
        let others = others.map(|other| other.clip(&layout));
        let chosen_clip = chosen.clip(&layout);
        let mut clips = vec![(0.0, &others[0]), (-0.0, &others[1])];
        clips.insert(at, (1.0, &chosen_clip));
        prop_assert_eq!(bits(blended(&layout, &clips).evaluate()), bits(&chosen.pose(&layout)));
    }

    #[test]
    fn whatever_is_mixed_stays_finite_and_unit(
        rest in values(), below in values(),
        over in prop::collection::vec((mode(), finite(), values()), 1..4),
        shares in prop::array::uniform3(finite()),
    ) {
        let layout = layout(vec![rest.node("hip")]);
        let clips: Vec<_> = over.iter().map(|(_, _, values)| values.clip(&layout)).collect();
        let layers: Vec<_> = over.iter().zip(&clips).map(|(&(mode, weight, _), clip)| (mode, weight, clip)).collect();
        let children: Vec<_> = shares.into_iter().zip(&clips).collect();
        for mut player in [layered(&layout, &layers), blended(&layout, &children)] {
            *player.base_mut() = below.pose(&layout);
            let pose = player.evaluate();
            prop_assert!(pose.locals()[0].is_finite());
            prop_assert!(pose.locals()[0].rotation.is_normalized(), "{:?}", pose.locals()[0].rotation);
            prop_assert!(pose.weights(0).iter().all(|weight| weight.is_finite()));
        }
    }
}
