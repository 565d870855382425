//! Cooked files of whole models: the round trip, damage, wrong content, and models that nobody here made.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may panic, and print what they measure"
)]

#[path = "../common/mod.rs"]
mod common;

mod content;
mod files;
mod real;
mod round_trip;

use std::path::Path;

use glam::{Mat4, Quat, Vec3};
use morph_anim::{Channel, Clip, CubicKey, Curve, Keys, Track, Trs};
use morph_core::cooked::AlignedBytes;
use morph_core::expression::{Override, Overrides, Procedural};
use morph_core::rig;
use morph_core::{InfluenceCount, MorphTarget, NameTable, Quantization, SkinWeights};
use morph_import::cooked::{CookOptions, CookedModel, CookedModelError, cook};
use morph_import::{
    ExpressionBind, Format, Material, Mesh, Model, ModelExpression, Node, Primitive, Skin, Topology,
};

/// A quad with two targets; the second moves nothing.
fn quad(name: Option<&str>) -> Primitive {
    let target = MorphTarget {
        vertices: vec![1, 2],
        positions: Some(vec![[0.0, 0.0, 1.0], [0.5, 0.25, 0.0]]),
        normals: Some(vec![[0.0, 0.5, 0.0], [0.25, 0.0, 0.0]]),
        ..MorphTarget::empty("smile ü")
    };
    Primitive {
        name: name.map(str::to_owned),
        positions: common::QUAD.to_vec(),
        source_points: name.map(|_| vec![0, 7, 2, 2]),
        normals: Some(common::QUAD_NORMALS.to_vec()),
        tangents: Some(common::QUAD_TANGENTS.to_vec()),
        texcoords: vec![vec![[0.25, 0.75]; 4], vec![[0.0, 1.0]; 4]],
        colors: vec![vec![[0.5, 0.25, 0.125, 1.0]; 4]],
        skin_weights: None,
        indices: vec![0, 1, 2, 0, 2, 3],
        topology: Topology::Triangles,
        targets: vec![target, MorphTarget::empty("rest")],
        material: Material {
            name: Some("skin".to_owned()),
            base_color: [0.5, 0.25, 0.125, 1.0],
            metallic: 0.0,
            roughness: 0.75,
            double_sided: true,
        },
    }
}

fn node(id: &str) -> Node {
    Node {
        name: None,
        parent: None,
        mesh: None,
        weights: None,
        local: Mat4::IDENTITY,
        trs: Trs::IDENTITY,
        skin: None,
        id: id.to_owned(),
    }
}

/// Two meshes, the second without targets, in a small tree of nodes; no skin and no clip.
fn still_model() -> Model {
    let plain = Primitive {
        name: Some("lines".to_owned()),
        normals: None,
        tangents: None,
        texcoords: Vec::new(),
        colors: Vec::new(),
        topology: Topology::Lines,
        targets: Vec::new(),
        material: Material::default(),
        ..quad(None)
    };
    let matrix = Mat4::from_scale_rotation_translation(
        Vec3::new(1.0, 2.0, 0.5),
        Quat::from_rotation_y(0.5),
        Vec3::new(1.0, 2.0, 3.0),
    );
    Model {
        format: Format::Glb,
        meshes: vec![
            Mesh {
                name: Some("Head".to_owned()),
                primitives: vec![quad(Some("face")), quad(None)],
                default_weights: vec![0.25, 0.0],
                target_names: vec!["smile ü".to_owned(), "rest".to_owned()],
                rig: None,
            },
            Mesh {
                name: None,
                primitives: vec![plain],
                default_weights: Vec::new(),
                target_names: Vec::new(),
                rig: None,
            },
        ],
        nodes: vec![
            Node {
                name: Some("head".to_owned()),
                // A parent may come after its child.
                parent: Some(2),
                mesh: Some(0),
                weights: Some(vec![-0.5, 1.5]),
                local: matrix,
                trs: Trs::nearest(&matrix),
                ..node("head")
            },
            Node {
                mesh: Some(1),
                parent: Some(0),
                ..node("node_1")
            },
            Node {
                name: Some(String::new()),
                ..node("root")
            },
        ],
        skins: Vec::new(),
        clips: Vec::new(),
        expressions: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The same with bones, and clips of every channel and interpolation.
fn model() -> Model {
    let mut model = still_model();
    let joints = [0, 1, 0, 0].repeat(4);
    let weights = [0.75_f32, 0.25, 0.0, 0.0].repeat(4);
    model.meshes[0].primitives[0].skin_weights =
        Some(SkinWeights::new(InfluenceCount::Four, joints, weights).unwrap());
    model.nodes[0].skin = Some(0);
    model.skins = vec![Skin {
        name: Some("bones".to_owned()),
        joints: vec![2, 1],
        inverse_bind: vec![Mat4::IDENTITY, model.nodes[0].local],
    }];
    let times: std::sync::Arc<[f32]> = vec![0.0, 0.5, 2.0].into();
    let track = |node: &str, channel| Track {
        node: node.to_owned(),
        channel,
    };
    let spline = |x: f32| CubicKey {
        in_tangent: [x],
        value: [x + 1.0],
        out_tangent: [-x],
    };
    let translation = Keys::Linear(vec![[0.0; 3], [1.0; 3], [2.0; 3]]);
    let rotation = Keys::Step(vec![[0.0, 0.0, 0.0, 1.0]; 3]);
    let weight = Keys::CubicSpline(vec![spline(0.5), spline(0.25), spline(-2.0)]);
    let talk = Clip {
        name: "talk".to_owned(),
        tracks: vec![
            track(
                "root",
                Channel::Translation(Curve::new(times.clone(), translation).unwrap()),
            ),
            track(
                "root",
                Channel::Rotation(Curve::new(times.clone(), rotation).unwrap()),
            ),
            track(
                "head",
                Channel::Scale(Curve::new(vec![1.0], Keys::Step(vec![[1.0, 2.0, 3.0]])).unwrap()),
            ),
            track(
                "head",
                Channel::Weight {
                    target: "smile ü".to_owned(),
                    curve: Curve::new(times, weight).unwrap(),
                },
            ),
        ],
    };
    model.clips = vec![talk, Clip::default()];
    model
}

/// The same with a rig: an in-between, and a combination that corrects.
fn rigged_model() -> Model {
    let mut model = model();
    let mesh = &mut model.meshes[0];
    let controls = NameTable::new(["mouth", "brow"]).unwrap();
    let targets = NameTable::new(mesh.target_names.iter().map(String::as_str)).unwrap();
    let channels = vec![
        rig::Channel::in_between(1, [(0.5, 0)]),
        rig::Channel::combination(
            [rig::Parent::Control(0), rig::Parent::Target(0)],
            rig::Clamp::None,
            1,
        ),
    ];
    mesh.rig = Some(rig::Rig::new(controls, &targets, channels).unwrap());
    model
}

/// The still one with expressions of every kind.
fn avatar() -> Model {
    let mut model = still_model();
    let bind = |slot, weight| ExpressionBind {
        node: 0,
        slot,
        weight,
    };
    let blink = ModelExpression {
        name: "blink".to_owned(),
        is_preset: true,
        kind: Some(Procedural::Blink),
        binds: vec![bind(0, 1.0), bind(1, -0.5)],
        ..ModelExpression::default()
    };
    let happy = ModelExpression {
        name: "happy".to_owned(),
        is_preset: true,
        overrides: Overrides {
            blink: Override::Block,
            look_at: Override::Blend,
            mouth: Override::None,
        },
        binds: vec![bind(1, 0.25)],
        ..ModelExpression::default()
    };
    let of = |name: &str, kind, is_binary| ModelExpression {
        name: name.to_owned(),
        kind: Some(kind),
        is_binary,
        ..ModelExpression::default()
    };
    let more = [
        of("lookUp", Procedural::LookAt, true),
        of("ü", Procedural::Mouth, false),
    ];
    model.expressions = [blink, happy].into_iter().chain(more).collect();
    model
}

fn file_of(model: &Model, quantization: Quantization) -> Vec<u8> {
    let mut file = Vec::new();
    let built = cook(model, &CookOptions::new(quantization)).unwrap();
    built.write_to(&mut file).unwrap();
    file
}

fn open(file: &[u8]) -> Result<CookedModel, CookedModelError> {
    CookedModel::from_bytes(Path::new("x.morph"), AlignedBytes::from(file))
}
