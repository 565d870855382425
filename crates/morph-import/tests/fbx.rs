//! Small FBX files, each a fault that somebody met in the field.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod common;
#[path = "common/fbx.rs"]
mod fbx;

use common::{check, warning_kinds};
use fbx::{CUBE, CUBE_FACES, Fbx, Shape, array};
use morph_anim::{Channel, Keys};
use morph_core::rig::Rig;
use morph_core::{BuildOptions, MorphMesh, Quantization, RestStreams, morph};
use morph_import::{FbxError, ImportError, ImportOptions, Mesh, Model, Space, WarningKind};

/// The vertices of a target with their position deltas, in the only primitive.
fn moved(mesh: &Mesh, slot: usize) -> Vec<(u32, [f32; 3])> {
    let target = &mesh.primitives[0].targets[slot];
    let positions = target.positions.iter().flatten().copied();
    target.vertices.iter().copied().zip(positions).collect()
}

/// The control points that a target moves, with their deltas, each once.
fn moved_points(mesh: &Mesh, slot: usize) -> Vec<(u32, [f32; 3])> {
    let points = mesh.primitives[0].source_points.as_ref().unwrap();
    let mut moved: Vec<_> = moved(mesh, slot)
        .into_iter()
        .map(|(vertex, delta)| (points[vertex as usize], delta))
        .collect();
    moved.dedup();
    moved
}

fn weights(rig: &Rig, control: f32) -> Vec<f32> {
    let mut weights = vec![0.0; rig.target_count()];
    rig.evaluate(&[control], &mut weights).unwrap();
    weights
}

/// A cube with channels of one shape each, all in one deformer.
fn cube_with(channels: &[(&str, Shape)]) -> Fbx {
    let mut fbx = Fbx::new();
    let (geometry, _) = fbx.hard_cube("");
    let deformer = fbx.deformer(geometry, "Blend");
    for (name, shape) in channels {
        fbx.channel(deformer, name, 0.0, std::slice::from_ref(shape));
    }
    fbx
}

#[test]
fn b046_names_resolve_without_the_deformer_where_that_is_clear() {
    let mut fbx = Fbx::new();
    let (geometry, _) = fbx.hard_cube("");
    let shape = |point| [Shape::new("", &[point], [0.0, 0.5, 0.0])];
    let squish = fbx.deformer(geometry, "Squish");
    fbx.channel(squish, "Squish.TopH", 0.0, &shape(0));
    fbx.channel(squish, "Squish.Smile", 0.0, &shape(1));
    let face = fbx.deformer(geometry, "Face");
    fbx.channel(face, "Face.Smile", 0.0, &shape(2));
    fbx.channel(face, "Other.Dotted", 0.0, &shape(3));
    let model = fbx.model();
    assert_eq!(
        model.meshes[0].target_names,
        ["TopH", "Squish.Smile", "Face.Smile", "Other.Dotted"]
    );
    for (slot, point) in [0, 1, 2, 3].into_iter().enumerate() {
        assert_eq!(moved_points(&model.meshes[0], slot), [(point, [0.0, 0.5, 0.0])]);
    }
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
}

#[test]
fn b055_b056_coincident_control_points_are_never_joined() {
    // Two triangles of a seam that closes at rest and opens in the shape.
    let mut fbx = Fbx::new();
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
    ];
    let (geometry, _) = fbx.mesh(&points, &[vec![0, 1, 2], vec![3, 5, 4]], "");
    let deformer = fbx.deformer(geometry, "Mouth");
    let shape = Shape {
        points: vec![0, 1, 3, 4],
        offsets: vec![
            [0.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, -1.0, 0.0],
        ],
        ..Shape::new("", &[], [0.0; 3])
    };
    fbx.channel(deformer, "Open", 0.0, &[shape]);
    let model = fbx.model();
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.source_points.as_deref(), Some(&[0, 1, 2, 3, 4, 5][..]));
    assert_eq!(
        moved(&model.meshes[0], 0),
        [
            (0, [0.0, 1.0, 0.0]),
            (1, [0.0, 1.0, 0.0]),
            (3, [0.0, -1.0, 0.0]),
            (4, [0.0, -1.0, 0.0])
        ]
    );
}

#[test]
fn b061_units_scale_positions_and_deltas_and_not_normals() {
    let file = |centimetres: f64| {
        let mut fbx = Fbx::new().unit(centimetres);
        let (geometry, _) = fbx.hard_cube("");
        let deformer = fbx.deformer(geometry, "Blend");
        let shape = Shape {
            normals: Some(vec![[0.0, 0.25, 0.0]]),
            ..Shape::new("", &[6], [0.0, 10.0, 0.0])
        };
        fbx.channel(deformer, "Up", 0.0, &[shape]);
        fbx
    };
    for (centimetres, delta) in [(1.0, 0.1), (100.0, 10.0), (2.54, 0.254)] {
        let model = file(centimetres).model();
        let primitive = &model.meshes[0].primitives[0];
        assert_eq!(moved_points(&model.meshes[0], 0), [(6, [0.0, delta, 0.0])]);
        let target = &primitive.targets[0];
        assert_eq!(target.normals.as_deref(), Some(&[[0.0, 0.25, 0.0]; 3][..]));
        let corner = primitive.positions[target.vertices[0] as usize];
        assert!((corner[1] - delta / 10.0).abs() < 1e-8);
        // Thresholds are compared with what comes out: in metres, 10 cm stay and 10 units of a centimetre go at 1 m.
        let mut options = BuildOptions::new(Quantization::F32);
        options.position_threshold = 1.0;
        options.direction_threshold = 1.0;
        let count = primitive.positions.len() as u32;
        let (mesh, _) = MorphMesh::build(count, &primitive.targets, &options).unwrap();
        assert_eq!(mesh.entry_count() > 0, delta > 1.0);
    }
    // As the file has them on request.
    let options = ImportOptions {
        space: Space::File,
        ..ImportOptions::default()
    };
    let model = file(1.0).load_with(&options).unwrap();
    assert_eq!(moved_points(&model.meshes[0], 0), [(6, [0.0, 10.0, 0.0])]);
}

#[test]
fn b059_axes_turn_positions_and_deltas_alike() {
    let mut fbx = Fbx::new().z_up();
    let (geometry, _) = fbx.hard_cube("");
    let deformer = fbx.deformer(geometry, "Blend");
    fbx.channel(deformer, "Up", 0.0, &[Shape::new("", &[6], [0.0, 0.0, 2.0])]);
    let model = fbx.model();
    let world = model.world(0);
    let [(_, delta)] = moved_points(&model.meshes[0], 0)[..] else {
        panic!("one point moves");
    };
    let up = world.transform_vector3(delta.into());
    assert!((up - glam::Vec3::new(0.0, 2.0, 0.0)).length() < 1e-6, "{up}");
    let top = world.transform_point3(glam::Vec3::from([0.0, 0.0, 1.0]));
    assert!((top - glam::Vec3::Y).length() < 1e-6);
}

#[test]
fn b064_every_corner_of_a_control_point_moves() {
    let model = cube_with(&[("Pull", Shape::new("", &[0], [1.0, 2.0, 3.0]))]).model();
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.positions.len(), 24);
    assert_eq!(
        moved(&model.meshes[0], 0),
        [0, 1, 2].map(|vertex| (vertex, [1.0, 2.0, 3.0]))
    );
    assert_eq!(primitive.source_points.as_ref().unwrap()[..6], [0, 0, 0, 1, 1, 1]);
}

#[test]
fn corners_of_one_control_point_with_equal_attributes_are_one_vertex() {
    let mut fbx = Fbx::new();
    fbx.mesh(&CUBE, &CUBE_FACES.map(Vec::from), "");
    let model = fbx.model();
    assert_eq!(model.meshes[0].primitives[0].positions.len(), 8);
    assert_eq!(model.meshes[0].primitives[0].indices.len(), 36);
}

/// A plane of four control points in the style of FBX 6.1: shapes inside the model, percents as its properties.
const OLD_STYLE: &str = r#"; FBX 6.1.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 6100
}
Objects:  {
	Model: "Model::Plane", "Mesh" {
		Version: 232
		Properties60:  {
			Property: "Lcl Translation", "Lcl Translation", "A+",0,0,0
			Property: "Lift", "Number", "A+N",40
		}
		Vertices: 0,0,0, 1,0,0, 1,1,0, 0,1,0, 2,0,0, 2,1,0
		PolygonVertexIndex: 0,1,2,-4,1,4,5,-3
		GeometryVersion: 124
		Shape: "Lift" {
			Indexes: 2,3,4,5
			Vertices: 0,0,1, 0,0,1, 0,0,2, 0,0,2
			Normals: 0,0,0, 0,0,0, 0,0,0, 0,0,0
		}
	}
}
Connections:  {
	Connect: "OO", "Model::Plane", "Model::Scene"
}
Takes:  {
	Current: "Take 001"
	Take: "Take 001" {
		FileName: "Take_001.tak"
		LocalTime: 0,46186158000
		ReferenceTime: 0,46186158000
		Model: "Model::Plane" {
			Version: 1.1
			Channel: "Lift" {
				Default: 40
				KeyVer: 4005
				KeyCount: 3
				Key: 0,100,L,23093079000,0,L,46186158000,100,L
				Color: 1,1,1
			}
		}
	}
}
"#;

#[test]
fn b066_shapes_and_keys_of_version_6100() {
    let load = |options: &ImportOptions| {
        morph_import::load_bytes("old.fbx".as_ref(), OLD_STYLE.as_bytes(), options).unwrap()
    };
    let model = load(&ImportOptions {
        space: Space::File,
        ..ImportOptions::default()
    });
    check(&model);
    let mesh = &model.meshes[0];
    assert_eq!(mesh.target_names, ["Lift"]);
    assert_eq!(mesh.default_weights, [0.4]);
    assert_eq!(
        moved_points(mesh, 0),
        [
            (2, [0.0, 0.0, 1.0]),
            (3, [0.0, 0.0, 1.0]),
            (4, [0.0, 0.0, 2.0]),
            (5, [0.0, 0.0, 2.0])
        ]
    );
    let [clip] = &model.clips[..] else {
        panic!("one clip, not {:?}", model.clips);
    };
    let weight = clip.tracks.iter().find_map(|track| match &track.channel {
        Channel::Weight { target, curve } => Some((&track.node, target, curve)),
        _ => None,
    });
    let (node, target, curve) = weight.unwrap();
    assert_eq!((node.as_str(), target.as_str()), ("Plane", "Lift"));
    assert_eq!(curve.times(), [0.0, 0.5, 1.0]);
    assert_eq!(*curve.keys(), Keys::Linear(vec![[1.0], [0.0], [1.0]]));
}

#[test]
fn file_weights_are_told_and_used_on_request_only() {
    let start = |start_at_file_weights| {
        let options = ImportOptions {
            start_at_file_weights,
            ..ImportOptions::default()
        };
        let model = morph_import::load_bytes("old.fbx".as_ref(), OLD_STYLE.as_bytes(), &options).unwrap();
        assert_eq!(model.meshes[0].default_weights, [0.4]);
        model.start_weights(0).to_vec()
    };
    assert_eq!(start(None), [0.0]);
    assert_eq!(start(Some(false)), [0.0]);
    assert_eq!(start(Some(true)), [0.4]);
}

#[test]
fn b068_a_part_that_a_shape_leaves_alone_has_an_empty_target() {
    // The first face has another material than the rest; the shape moves a point that only the rest has.
    let layer = format!(
        "LayerElementMaterial: 0 {{\nVersion: 101\nName: \"\"\nMappingInformationType: \"ByPolygon\"\n\
         ReferenceInformationType: \"IndexToDirect\"\n{}}}\n",
        array("Materials", [0.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    );
    let mut fbx = Fbx::new();
    let (geometry, node) = fbx.hard_cube(&layer);
    for name in ["Skin", "Cloth"] {
        let material = fbx.object(
            "Material",
            "Material",
            name,
            "",
            "Version: 102\nShadingModel: \"phong\"\n",
        );
        fbx.connect(material, node);
    }
    let deformer = fbx.deformer(geometry, "Blend");
    fbx.channel(deformer, "Pull", 0.0, &[Shape::new("", &[6], [0.0, 1.0, 0.0])]);
    let model = fbx.model();
    let [first, second] = &model.meshes[0].primitives[..] else {
        panic!("two parts");
    };
    assert_eq!(first.material.name.as_deref(), Some("Skin"));
    assert_eq!(second.material.name.as_deref(), Some("Cloth"));
    assert_eq!((first.positions.len(), second.positions.len()), (4, 20));
    assert_eq!(first.targets[0].name, "Pull");
    assert!(first.targets[0].vertices.is_empty());
    assert_eq!(second.targets[0].vertices.len(), 3);
    let (rest, _) = RestStreams::new(first.positions.clone(), None, None).unwrap();
    let options = BuildOptions::new(Quantization::F32);
    let (mesh, _) = MorphMesh::build(4, &first.targets, &options).unwrap();
    assert_eq!(morph(&mesh, &rest, &[1.0]).unwrap().positions, rest.positions);
}

#[test]
fn b069_b070_in_betweens_are_mixed_by_their_full_weights() {
    let mut fbx = Fbx::new();
    let (geometry, _) = fbx.hard_cube("");
    let deformer = fbx.deformer(geometry, "Blend");
    // Not sorted, as some exporters write them.
    let shapes = [
        Shape::new("full", &[0], [0.0, 1.0, 0.0]),
        Shape::new("half", &[0], [1.0, 0.0, 0.0]).at(50.0),
    ];
    fbx.channel(deformer, "Blend.Smile", 75.0, &shapes);
    let model = fbx.model();
    let mesh = &model.meshes[0];
    assert_eq!(mesh.target_names, ["Smile@50", "Smile"]);
    assert_eq!(moved(mesh, 0)[0].1, [1.0, 0.0, 0.0]);
    assert_eq!(moved(mesh, 1)[0].1, [0.0, 1.0, 0.0]);
    let rig = mesh.rig.as_ref().unwrap();
    assert_eq!(rig.controls().name(0), Some("Smile"));
    for (percent, expected) in [
        (0.0, [0.0, 0.0]),
        (25.0, [0.5, 0.0]),
        (50.0, [1.0, 0.0]),
        (75.0, [0.5, 0.5]),
        (100.0, [0.0, 1.0]),
        (150.0, [-1.0, 2.0]),
        (-50.0, [-1.0, 0.0]),
    ] {
        assert_eq!(weights(rig, percent / 100.0), expected, "at {percent} %");
    }
    assert_eq!(mesh.default_weights, [0.5, 0.5]);
}

#[test]
fn full_weights_may_be_negative_and_need_not_end_at_100() {
    let mut fbx = Fbx::new();
    let (geometry, _) = fbx.hard_cube("");
    let deformer = fbx.deformer(geometry, "Blend");
    let shape = |full_weight| Shape::new("", &[0], [0.0, 1.0, 0.0]).at(full_weight);
    fbx.channel(deformer, "Half", 0.0, &[shape(50.0)]);
    fbx.channel(deformer, "Both", 0.0, &[shape(80.0), shape(-20.0)]);
    fbx.channel(deformer, "Odd", 0.0, &[shape(0.0), shape(30.0), shape(30.0)]);
    let model = fbx.model();
    let mesh = &model.meshes[0];
    assert_eq!(
        mesh.target_names,
        ["Half", "Both@-20", "Both", "Odd@0", "Odd@30", "Odd"]
    );
    let rig = mesh.rig.as_ref().unwrap();
    let mut found = [0.0; 6];
    rig.evaluate(&[1.0, -0.1, 0.3], &mut found).unwrap();
    assert_eq!(found[0], 2.0);
    assert!((found[1] - 0.5).abs() < 1e-6);
    assert_eq!(found[2..], [0.0, 0.0, 1.0, 0.0]);
    let unusable = |kind: &&WarningKind| matches!(kind, WarningKind::FullWeightUnusable { .. });
    assert_eq!(warning_kinds(&model).into_iter().filter(unusable).count(), 2);
}

#[test]
fn b072_offsets_of_one_control_point_are_added_up() {
    let mut fbx = cube_with(&[]);
    let (geometry, _) = fbx.hard_cube("");
    let deformer = fbx.deformer(geometry, "");
    let shape = Shape {
        points: vec![3, 3, 5, 99],
        offsets: vec![[1.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 2.0], [9.0; 3]],
        ..Shape::new("A", &[], [0.0; 3])
    };
    fbx.channel(deformer, "", 0.0, &[shape]);
    let model = fbx.model();
    let mesh = &model.meshes[1];
    assert_eq!(
        mesh.target_names,
        ["A"],
        "the shape's name where the channel has none"
    );
    assert_eq!(
        moved_points(mesh, 0),
        [(3, [1.5, 0.0, 0.0]), (5, [0.0, 0.0, 2.0])]
    );
    let target = &mesh.primitives[0].targets[0];
    assert!(target.vertices.windows(2).all(|pair| pair[0] < pair[1]));
    let kinds = warning_kinds(&model);
    assert!(kinds.contains(&&WarningKind::OffsetsRepeated { points: 1 }));
    assert!(kinds.contains(&&WarningKind::OffsetsLeftOut {
        points: 1,
        point_count: 8
    }));
}

#[test]
fn b074_channels_count_whatever_deformers_they_are_in() {
    let names = ["A", "B", "C"];
    let mut together = Fbx::new();
    let (geometry, _) = together.hard_cube("");
    let deformer = together.deformer(geometry, "Blend");
    let mut apart = Fbx::new();
    let (other, _) = apart.hard_cube("");
    for (point, name) in names.into_iter().enumerate() {
        let shape = Shape::new(name, &[point as i64], [0.0, 1.0, 0.0]);
        together.channel(deformer, name, 0.0, std::slice::from_ref(&shape));
        let own = apart.deformer(other, name);
        apart.channel(own, name, 0.0, &[shape]);
    }
    let (together, apart) = (together.model(), apart.model());
    assert_eq!(together.meshes[0].target_names, names);
    assert_eq!(apart.meshes[0].target_names, names);
    assert_eq!(
        together.meshes[0].primitives[0].targets,
        apart.meshes[0].primitives[0].targets
    );
}

#[test]
fn b076_percent_curves_become_weight_tracks_by_name() {
    let mut fbx = Fbx::new();
    let (geometry, node) = fbx.hard_cube("");
    let deformer = fbx.deformer(geometry, "Blend");
    let channel = fbx.channel(
        deformer,
        "Blend.Up",
        0.0,
        &[Shape::new("", &[6], [0.0, 1.0, 0.0])],
    );
    let layer = fbx.stack("Talk");
    fbx.animate(
        layer,
        channel,
        "DeformPercent",
        &[("d|DeformPercent", &[(0.0, 0.0), (1.0, 100.0)])],
    );
    fbx.animate(
        layer,
        node,
        "Lcl Translation",
        &[("d|X", &[(0.0, 1.0), (2.0, 3.0)])],
    );
    let model = fbx.model();
    let [clip] = &model.clips[..] else {
        panic!("one clip");
    };
    assert_eq!(clip.name, "Talk");
    assert_eq!(clip.duration(), 2.0);
    for track in &clip.tracks {
        assert_eq!(track.node, "Body");
        match &track.channel {
            Channel::Weight { target, curve } => {
                assert_eq!(target, "Up");
                assert_eq!(curve.times(), [0.0, 1.0]);
                assert_eq!(*curve.keys(), Keys::Linear(vec![[0.0], [1.0]]));
            }
            Channel::Translation(curve) => {
                assert_eq!(curve.times(), [0.0, 2.0]);
                for (time, x) in [(0.0, 1.0), (0.5, 1.5), (2.0, 3.0), (9.0, 3.0)] {
                    assert!((curve.sample(time)[0] - x).abs() < 1e-6);
                }
            }
            other => panic!("nothing else is animated: {other:?}"),
        }
    }
    assert_eq!(clip.tracks.len(), 2);
}

#[test]
fn b078_deltas_do_not_depend_on_where_nodes_stand() {
    let shape = Shape::new("", &[6], [0.0, 1.0, 0.0]);
    let plain = cube_with(&[("Up", shape.clone())]).model();
    let mut fbx = Fbx::new();
    let (geometry, _) = fbx.hard_cube("");
    let deformer = fbx.deformer(geometry, "Blend");
    fbx.channel(deformer, "Up", 0.0, &[shape]);
    // The bone stands elsewhere than when the skin was bound.
    let bone = fbx.node(
        "Bone",
        "LimbNode",
        &[
            ("Lcl Rotation", [0.0, 0.0, 90.0]),
            ("Lcl Translation", [5.0, 0.0, 0.0]),
        ],
    );
    let skin = fbx.object(
        "Deformer",
        "Deformer",
        "Skin",
        "Skin",
        "Version: 101\nLink_DeformAcuracy: 50\n",
    );
    fbx.connect(skin, geometry);
    let identity = [
        1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    ];
    let cluster = format!(
        "Version: 100\n{}{}{}{}",
        array("Indexes", (0..7).map(f64::from)),
        array("Weights", [0.5; 7]),
        array("Transform", identity),
        array("TransformLink", identity),
    );
    let cluster = fbx.object("Deformer", "SubDeformer", "Cluster", "Cluster", &cluster);
    fbx.connect(cluster, skin);
    fbx.connect(bone, cluster);
    let model = fbx.model();
    assert_eq!(moved(&model.meshes[0], 0), moved(&plain.meshes[0], 0));

    let node = model.nodes.iter().position(|node| node.mesh == Some(0)).unwrap();
    let skin = &model.skins[model.nodes[node].skin.unwrap()];
    let bone = model.nodes.iter().position(|node| node.id == "Bone").unwrap();
    assert_eq!(skin.joints, [bone, node]);
    let primitive = &model.meshes[0].primitives[0];
    let weights = primitive.skin_weights.as_ref().unwrap();
    for (vertex, &point) in primitive.source_points.iter().flatten().enumerate() {
        // Weights of one half are made whole, and a point that no bone holds stays with the mesh's own node.
        let expected = if point == 7 { (1, 1.0) } else { (0, 1.0) };
        assert_eq!(weights.of(vertex).next(), Some(expected));
    }
    assert!(warning_kinds(&model).contains(&&WarningKind::SkinWeightsRescaled { vertices: 7 }));
}

#[test]
fn b080_shapes_without_names_are_told_apart() {
    let shapes = [1.0, 2.0, 3.0].map(|y| Shape::new("", &[0], [0.0, y, 0.0]));
    let [a, b, c] = shapes;
    let model = cube_with(&[("A", a), ("B", b), ("C", c)]).model();
    assert_eq!(model.meshes[0].target_names, ["A", "B", "C"]);
    for slot in 0..3 {
        assert_eq!(moved(&model.meshes[0], slot)[0].1, [0.0, slot as f32 + 1.0, 0.0]);
    }
}

#[test]
fn channels_without_any_name_are_called_by_number() {
    let shape = Shape::new("", &[0], [0.0, 1.0, 0.0]);
    let model = cube_with(&[("", shape.clone()), ("", shape)]).model();
    assert_eq!(model.meshes[0].target_names, ["target_0", "target_1"]);
}

/// Blender writes a full weight for each point that a shape moves, and normal deltas of zero.
#[test]
fn b082_a_cube_as_blender_writes_it_with_one_shape_key() {
    let mut fbx = Fbx::new().unit(1.0);
    let (geometry, _) = fbx.hard_cube("");
    let deformer = fbx.deformer(geometry, "Key");
    let content = "Version: 100\nProperties70: {\nP: \"DeformPercent\", \"Number\", \"\", \"A\",0\n}\n";
    let content = format!("{content}{}", array("FullWeights", [100.0; 4]));
    let channel = fbx.object("Deformer", "SubDeformer", "Key 1", "BlendShapeChannel", &content);
    fbx.connect(channel, deformer);
    let content = format!(
        "Version: 100\n{}{}{}",
        array("Indexes", [4.0, 5.0, 6.0, 7.0]),
        array("Vertices", [[0.0, 0.0, 50.0]; 4].concat()),
        array("Normals", [0.0; 12]),
    );
    let shape = fbx.object("Geometry", "Geometry", "Key 1", "Shape", &content);
    fbx.connect(shape, channel);
    let model = fbx.model();
    let mesh = &model.meshes[0];
    assert_eq!(
        (&mesh.target_names[..], mesh.rig.is_some()),
        (&["Key 1".to_owned()][..], false)
    );
    assert_eq!(
        moved_points(mesh, 0)
            .into_iter()
            .collect::<std::collections::HashMap<_, _>>(),
        (4..8).map(|point| (point, [0.0, 0.0, 0.5])).collect()
    );
    assert_eq!(mesh.primitives[0].targets[0].normals, None);
}

#[test]
fn b083_zero_normal_deltas_are_no_normal_deltas() {
    // All control points turn by 45 degrees around z, and their normals are said to stay.
    let (sin, cos) = std::f64::consts::FRAC_PI_4.sin_cos();
    let turned = |[x, y, z]: [f64; 3]| [x * cos - y * sin, x * sin + y * cos, z];
    let offset = |p: [f64; 3]| {
        let t = turned(p);
        [t[0] - p[0], t[1] - p[1], t[2] - p[2]]
    };
    let shape = Shape {
        points: (0..8).collect(),
        offsets: CUBE.map(offset).to_vec(),
        normals: Some(vec![[0.0; 3]; 8]),
        ..Shape::new("", &[], [0.0; 3])
    };
    let still = Shape {
        points: vec![0],
        offsets: vec![[0.0; 3]],
        normals: Some(vec![[0.0; 3]]),
        ..Shape::new("", &[], [0.0; 3])
    };
    let fbx = cube_with(&[("Turn", shape), ("Still", still)]);
    let model = fbx.model();
    let targets = &model.meshes[0].primitives[0].targets;
    assert_eq!(targets[0].normals, None, "no normal deltas");
    assert_eq!(
        targets[1].normals.as_deref(),
        Some(&[][..]),
        "normal deltas of zero"
    );
    assert!(warning_kinds(&model).contains(&&WarningKind::ZeroNormalDeltas { targets: 1 }));

    let generated = fbx
        .load_with(&ImportOptions {
            generate_normals: true,
            ..ImportOptions::default()
        })
        .unwrap();
    check(&generated);
    let primitive = &generated.meshes[0].primitives[0];
    let target = &primitive.targets[0];
    let normals = primitive.normals.as_ref().unwrap();
    let mut sides = 0;
    for (&vertex, delta) in target.vertices.iter().zip(target.normals.as_ref().unwrap()) {
        let normal = normals[vertex as usize];
        let expected = turned(normal.map(f64::from));
        for axis in 0..3 {
            assert!((f64::from(normal[axis] + delta[axis]) - expected[axis]).abs() < 1e-6);
        }
        sides += usize::from(normal[2] == 0.0);
    }
    assert_eq!(sides, 16, "all corners of the four sides turn");

    // One corner alone moves: the normals of its ring of neighbors turn too.
    let one = Shape::new("", &[6], [0.0, 0.0, 1.0]);
    let mut fbx = Fbx::new();
    let (geometry, _) = fbx.mesh(&CUBE, &CUBE_FACES.map(Vec::from), "");
    let deformer = fbx.deformer(geometry, "Blend");
    fbx.channel(deformer, "Up", 0.0, &[one]);
    let model = fbx
        .load_with(&ImportOptions {
            generate_normals: true,
            ..ImportOptions::default()
        })
        .unwrap();
    let target = &model.meshes[0].primitives[0].targets[0];
    assert_eq!(
        target.vertices,
        [4, 5, 6, 7],
        "the face that bends; the others stay flat"
    );
}

#[test]
fn b085_normal_deltas_of_the_file_are_kept() {
    let first = Shape {
        normals: Some(vec![[0.5, 0.0, 0.25]]),
        ..Shape::new("", &[0], [0.0, 0.0, 1.0])
    };
    let second = Shape {
        normals: Some(vec![[0.0, -0.5, 0.0]]),
        ..Shape::new("", &[2], [0.0, 0.0, 1.0])
    };
    let fbx = cube_with(&[("A", first), ("B", second)]);
    let generate = ImportOptions {
        generate_normals: true,
        ..ImportOptions::default()
    };
    for model in [fbx.model(), fbx.load_with(&generate).unwrap()] {
        let primitive = &model.meshes[0].primitives[0];
        let normals = primitive.normals.as_ref().unwrap();
        for (target, delta) in primitive.targets.iter().zip([[0.5, 0.0, 0.25], [0.0, -0.5, 0.0]]) {
            assert_eq!(target.normals.as_deref(), Some(&[delta; 3][..]));
        }
        let (rest, _) = RestStreams::new(primitive.positions.clone(), Some(normals.clone()), None).unwrap();
        let options = BuildOptions::new(Quantization::F32);
        let (mesh, _) = MorphMesh::build(24, &primitive.targets, &options).unwrap();
        let morphed = morph(&mesh, &rest, &[1.0, 0.0]).unwrap().normals.unwrap();
        for vertex in 0..3 {
            let base = normals[vertex];
            assert_eq!(morphed[vertex], [base[0] + 0.5, base[1], base[2] + 0.25]);
        }
    }
}

#[test]
fn instances_of_one_mesh_have_tracks_of_their_own() {
    let mut fbx = Fbx::new();
    let (geometry, _) = fbx.hard_cube("");
    let twin = fbx.node("Twin", "Mesh", &[]);
    fbx.connect(geometry, twin);
    let deformer = fbx.deformer(geometry, "Blend");
    let channel = fbx.channel(deformer, "Up", 0.0, &[Shape::new("", &[6], [0.0, 1.0, 0.0])]);
    let layer = fbx.stack("Talk");
    fbx.animate(
        layer,
        channel,
        "DeformPercent",
        &[("d|DeformPercent", &[(0.0, 0.0), (1.0, 100.0)])],
    );
    let model = fbx.model();
    assert_eq!(model.meshes.len(), 1);
    let mut nodes: Vec<&str> = model.clips[0]
        .tracks
        .iter()
        .map(|track| track.node.as_str())
        .collect();
    nodes.sort_unstable();
    assert_eq!(nodes, ["Body", "Twin"]);
}

#[test]
fn morphs_are_left_out_on_request() {
    let fbx = cube_with(&[("Up", Shape::new("", &[6], [0.0, 1.0, 0.0]))]);
    let model = fbx
        .load_with(&ImportOptions {
            morphs: false,
            ..ImportOptions::default()
        })
        .unwrap();
    check(&model);
    assert!(model.meshes[0].target_names.is_empty());
}

fn refusal(result: Result<Model, ImportError>) -> FbxError {
    match result {
        Err(ImportError::Fbx { reason, .. }) => *reason,
        Err(other) => panic!("expected an error of FBX, got {other:?}"),
        Ok(_) => panic!("expected an error of FBX, got Ok(_)"),
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let load =
        |bytes: &[u8]| morph_import::load_bytes("model.fbx".as_ref(), bytes, &ImportOptions::default());
    assert!(matches!(load(b""), Err(ImportError::Empty { .. })));
    let error = refusal(load(b"no FBX at all"));
    assert!(matches!(error, FbxError::NotFbx), "{error:?}");
    let binary = b"Kaydara FBX Binary  \x00\x1a\x00\xe8\x1c\x00\x00";
    assert!(matches!(refusal(load(binary)), FbxError::Truncated));

    let nan = cube_with(&[("Up", Shape::new("", &[6], [0.0, 1e300, 0.0]))]);
    let error = nan.load_with(&common::strict()).unwrap_err().to_string();
    assert!(
        error.contains("target 0 \"Up\"") && error.contains("control point 6"),
        "{error}"
    );

    let uneven = cube_with(&[(
        "Up",
        Shape {
            offsets: Vec::new(),
            ..Shape::new("", &[6], [0.0; 3])
        },
    )]);
    let error = refusal(uneven.load_with(&ImportOptions::default()));
    assert!(matches!(error, FbxError::Damaged { .. }), "{error}");
}

#[test]
fn text_without_the_ending_is_known_by_its_first_line() {
    let text = cube_with(&[]).text();
    let model =
        morph_import::load_bytes("model.bin".as_ref(), text.as_bytes(), &ImportOptions::default()).unwrap();
    assert_eq!(model.meshes.len(), 1);
}

#[test]
fn a_channel_without_a_shape_becomes_no_target_and_is_told() {
    let mut fbx = Fbx::new();
    let (cube, _) = fbx.hard_cube("");
    let face = fbx.deformer(cube, "face");
    let empty = fbx.channel(face, "Ghost", 30.0, &[]);
    fbx.channel(face, "Up", 0.0, &[Shape::new("", &[6], [0.0, 1.0, 0.0])]);
    let layer = fbx.stack("take");
    fbx.animate(
        layer,
        empty,
        "DeformPercent",
        &[("d|DeformPercent", &[(0.0, 0.0), (1.0, 100.0)])],
    );
    let model = fbx.model();
    assert_eq!(model.meshes[0].target_names, ["Up"]);
    assert_eq!(model.meshes[0].primitives[0].targets.len(), 1);
    // What drives it drives nothing.
    assert!(model.clips[0].tracks.is_empty());
    let channel = "Ghost".to_owned();
    assert_eq!(
        warning_kinds(&model),
        [&WarningKind::ChannelWithoutShape { channel }]
    );
}
