//! Playing allocates nothing, and reading no more than the file can justify.

mod common;

use std::sync::Arc;

use allocation_counter::measure;
use common::{bound, cubic, layout, linear, node, track, weight_track};
use morph_anim::{
    BlendTree, Channel, ClipPlayer, Hierarchy, Layer, LayerMode, LoopMode, joint_matrices_into,
};

#[test]
fn a_frame_of_two_layers_a_skin_and_moving_weights_allocates_nothing() {
    let names: Vec<String> = (0..52).map(|slot| format!("shape{slot}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let layout = layout(vec![node("hip", &[]), node("head", &names)]);
    let wobble = linear(&[0.0, 0.3, 1.0], &[[0.0], [1.0], [0.0]]);
    let mut tracks: Vec<_> = names
        .iter()
        .map(|name| weight_track("head", name, wobble.clone()))
        .collect();
    let turn = cubic(
        &[0.0, 1.0],
        &[
            [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4]],
            [[0.0; 4], [0.0, 1.0, 0.0, 0.0], [0.0; 4]],
        ],
    );
    tracks.push(track("hip", Channel::Rotation(turn)));
    let clip = bound(tracks, &layout);

    let mut player = ClipPlayer::of_clip(Arc::clone(&clip), LoopMode::PingPong);
    let other = player.add_clip(clip, LoopMode::Loop).expect("the same layout");
    let mut tree = BlendTree::new();
    let branch = tree
        .add_branch(BlendTree::ROOT, 0.5)
        .expect("the root is a branch");
    let leaf = tree.add_clip(branch, 0.5, other).expect("a branch");
    let mode = LayerMode::Additive;
    let layer = player
        .add_layer(Layer {
            mode,
            weight: 0.5,
            tree,
        })
        .expect("a clip of the player");
    let hierarchy = Hierarchy::new(vec![None, Some(0)]).expect("a hierarchy");
    let (mut worlds, mut matrices) = (Vec::new(), Vec::new());

    let mut frame = |step: f64| {
        let tree = player.tree_mut(layer).expect("the layer");
        tree.set_weight(leaf, step as f32).expect("finite");
        let pose = player.update(step).expect("finite");
        hierarchy
            .world_matrices_into(pose.locals(), &mut worlds)
            .expect("as many as nodes");
        joint_matrices_into(&worlds, &[1], &[glam::Mat4::IDENTITY], &mut matrices).expect("fits");
        assert_eq!(pose.weights(1).len(), 52);
    };
    frame(0.1);
    // The counter has to see what there is to see.
    assert!(measure(|| drop(std::hint::black_box(vec![0_u8; 16]))).count_total > 0);
    let counted = measure(|| {
        for count in 0..1000 {
            frame(f64::from(count % 7) * 0.13 - 0.3);
        }
    });
    assert_eq!((counted.count_total, counted.bytes_total), (0, 0));
}

#[cfg(feature = "yaml")]
#[test]
fn reading_takes_at_most_fifty_times_the_size_of_the_file() {
    let block = "version: 2\ntracks:\n- node: a\n  property: weight\n  target: b\n  interpolation: linear\n  values: ";
    for (start, repeated) in [
        (block, "0,"),
        (block, "[],"),
        (block, "[0],"),
        (block, "{},"),
        (block, "{a: },"),
        ("- {a: ", "0,"),
        ("", "0,"),
        ("version: 1\ntracks: ", "[],"),
        ("", "- a: b\n"),
        ("", "-\n"),
        ("name: ", "long "),
        ("name: '", "\n\n"),
    ] {
        let open = if repeated.ends_with(',') { "[" } else { "" };
        let text = format!("{start}{open}{}", repeated.repeat((1 << 20) / repeated.len()));
        let mut refused = false;
        let counted = measure(|| refused = morph_anim::yaml::read(&text, "clip.yaml").is_err());
        assert!(refused, "{start}{repeated}");
        let times = counted.bytes_max / text.len() as u64;
        assert!(times <= 50, "{start}{repeated} takes {times} times its size");
    }
}
