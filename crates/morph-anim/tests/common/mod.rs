//! What several of the tests build their clips and models from.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::Arc;

use morph_anim::{
    BoundClip, Channel, Clip, CubicKey, Curve, Keys, Pose, PoseLayout, PoseNode, Track, Trs, WeightBinding,
};
use morph_core::NameTable;

pub(crate) fn names(names: &[&str]) -> NameTable {
    NameTable::new(names.iter().copied()).expect("names that differ")
}

/// A node with a mesh of these targets.
pub(crate) fn node(id: &str, targets: &[&str]) -> PoseNode {
    PoseNode {
        id: id.to_owned(),
        rest: Trs::IDENTITY,
        targets: names(targets),
        start_weights: Vec::new(),
    }
}

pub(crate) fn layout(nodes: Vec<PoseNode>) -> Arc<PoseLayout> {
    Arc::new(PoseLayout::new(nodes).expect("a layout"))
}

/// A model without a rig.
pub(crate) fn face() -> Arc<PoseLayout> {
    Arc::new(PoseLayout::of_mesh("face", names(&["jaw", "smile", "blink"])))
}

pub(crate) fn weight_track(node: &str, target: &str, curve: Curve<1>) -> Track {
    Track {
        node: node.to_owned(),
        channel: Channel::Weight {
            target: target.to_owned(),
            curve,
        },
    }
}

pub(crate) fn track(node: &str, channel: Channel) -> Track {
    Track {
        node: node.to_owned(),
        channel,
    }
}

pub(crate) fn step<const N: usize>(times: &[f32], values: &[[f32; N]]) -> Curve<N> {
    Curve::new(times, Keys::Step(values.to_vec())).expect("a curve")
}

pub(crate) fn linear<const N: usize>(times: &[f32], values: &[[f32; N]]) -> Curve<N> {
    Curve::new(times, Keys::Linear(values.to_vec())).expect("a curve")
}

pub(crate) fn cubic<const N: usize>(times: &[f32], keys: &[[[f32; N]; 3]]) -> Curve<N> {
    let keys = keys.iter().map(|&[in_tangent, value, out_tangent]| CubicKey {
        in_tangent,
        value,
        out_tangent,
    });
    Curve::new(times, Keys::CubicSpline(keys.collect())).expect("a curve")
}

/// A curve that holds one value.
pub(crate) fn hold<const N: usize>(value: [f32; N]) -> Curve<N> {
    step(&[0.0], &[value])
}

pub(crate) fn clip(tracks: Vec<Track>) -> Arc<Clip> {
    Arc::new(Clip {
        name: "clip".to_owned(),
        tracks,
    })
}

pub(crate) fn bound(tracks: Vec<Track>, layout: &Arc<PoseLayout>) -> Arc<BoundClip> {
    let bound = BoundClip::new(&clip(tracks), layout, WeightBinding::ByNode).expect("no track comes twice");
    assert!(bound.unresolved().is_empty(), "{:?}", bound.unresolved());
    Arc::new(bound)
}

/// The bits of everything in a pose, to tell -0 from 0.
pub(crate) fn bits(pose: &Pose) -> Vec<u32> {
    let locals = pose.locals().iter().flat_map(|local| {
        let Trs {
            translation,
            rotation,
            scale,
        } = *local;
        let parts = [translation.extend(0.0), rotation.into(), scale.extend(0.0)];
        parts.into_iter().flat_map(|part| part.to_array())
    });
    let weights = (0..pose.locals().len()).flat_map(|node| pose.weights(node).iter().copied());
    locals.chain(weights).map(f32::to_bits).collect()
}
