//! What was written is what is read, in every field and bit.

use morph_core::cooked::{
    AlignedBytes, Cooked, PrimitiveParts, PrimitiveRecord, SectionEntry, SectionKind, SetRecord,
    TargetRecord, Writer,
};
use morph_core::{
    BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, Stream, Streams, VertexLayout,
    morph, pack_scatter, pack_vertex_major,
};
use proptest::prelude::*;

use super::{Source, file_of, painted_square, skinned_square, square};
use crate::support::{quantization, scene};

/// Compares everything that is read with what was written.
///
/// The debug text of a mesh holds every private field, and every float so that no two have the same text.
fn assert_same(file: &[u8], sources: &[&Source]) {
    let bytes = AlignedBytes::from(file);
    let cooked = Cooked::parse(bytes.as_slice()).unwrap();
    assert_eq!(cooked.primitives().len(), sources.len());
    for (primitive, source) in cooked.primitives().iter().zip(sources) {
        assert_eq!(format!("{:?}", primitive.mesh()), format!("{:?}", source.mesh));
        assert_eq!(
            format!("{:?}", primitive.report()),
            format!("{:?}", source.report)
        );
        assert_eq!(primitive.rest_pose(), source.rest);
        assert_eq!(primitive.indices(), source.indices);
        assert_eq!(primitive.texcoords(), source.texcoords);
        assert_eq!(primitive.colors(), source.colors);
        assert_eq!(primitive.skin_weights(), source.skin_weights.as_ref());
        assert_eq!(primitive.thresholds(), [0.25, 0.125]);

        let scatter = pack_scatter(&source.mesh);
        assert_eq!(primitive.scatter_words(), scatter.words);
        assert_eq!(primitive.scatter_targets().collect::<Vec<_>>(), scatter.targets);
        let (found, packed) = (primitive.vertex_major(), pack_vertex_major(&source.mesh));
        if source.mesh.target_count() > 0 {
            assert_eq!(found.words, packed.words);
        }
        assert_eq!(
            (
                found.steps_offset,
                found.entries_offset,
                found.entry_words,
                found.streams
            ),
            (
                packed.steps_offset,
                packed.entries_offset,
                packed.entry_words,
                packed.streams
            )
        );
    }
    for section in cooked.container().sections() {
        assert_eq!(section.bytes().as_ptr().addr() % 16, 0, "{}", section.id());
    }
}

#[test]
fn a_file_gives_back_what_was_written() {
    for quantization in Quantization::ALL {
        assert_same(&file_of(&[&square(quantization)]), &[&square(quantization)]);
    }
    let sources = [square(Quantization::F32), skinned_square(), painted_square()];
    let sources: Vec<&Source> = sources.iter().collect();
    assert_same(&file_of(&sources), &sources);
    assert_same(&file_of(&[]), &[]);
}

#[test]
fn a_file_is_the_same_to_the_byte_every_time() {
    let sources = [square(Quantization::Snorm16), skinned_square()];
    let sources: Vec<&Source> = sources.iter().collect();
    assert_eq!(file_of(&sources), file_of(&sources));
}

/// A cache that mixes streams up shows as normals where positions were.
#[test]
fn b118_streams_keep_their_identity() {
    let positions = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let normals = [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]];
    let tangents = [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]];
    let all = [&positions, &normals, &tangents];
    for quantization in Quantization::ALL {
        // Every choice of streams, the choice being the bits of a number.
        for choice in 1..8 {
            let chosen = |stream: usize| (choice >> stream & 1 == 1).then(|| all[stream].to_vec());
            let target = MorphTarget {
                vertices: vec![0, 2],
                positions: chosen(0),
                normals: chosen(1),
                tangents: chosen(2),
                ..MorphTarget::empty("t")
            };
            let (mesh, report) = MorphMesh::build(3, &[target], &BuildOptions::new(quantization)).unwrap();
            let source = Source {
                mesh,
                report,
                rest: rest_of(&[[0.0; 3]; 3], None, None),
                indices: Vec::new(),
                texcoords: Vec::new(),
                colors: Vec::new(),
                skin_weights: None,
            };
            let bytes = AlignedBytes::from(file_of(&[&source]).as_slice());
            let cooked = Cooked::parse(bytes.as_slice()).unwrap();
            let target = cooked.primitives()[0].mesh().target(0).unwrap();
            for stream in Stream::ALL {
                let is_there = choice >> stream as usize & 1 == 1;
                assert_eq!(target.streams().contains(stream), is_there);
                for (entry, expected) in all[stream as usize].iter().enumerate() {
                    let expected = if is_there { *expected } else { [0.0; 3] };
                    let found = target.delta(stream, entry);
                    // The step of snorm16 costs less than this.
                    let is_near = (0..3).all(|axis| (found[axis] - expected[axis]).abs() < 1.0e-4);
                    assert!(is_near, "{quantization} {stream}: {found:?}");
                }
            }
        }
    }
}

/// Deltas at the end of the float range have a reach that is no float; the file has to bear it.
#[test]
fn the_largest_deltas_pass() {
    let mut far = MorphTarget::empty("far");
    far.vertices = vec![0, 1];
    far.positions = Some(vec![[f32::MAX; 3], [-f32::MAX, 1.0, 0.0]]);
    for quantization in [Quantization::F32, Quantization::Snorm16] {
        let (mesh, report) =
            MorphMesh::build(2, std::slice::from_ref(&far), &BuildOptions::new(quantization)).unwrap();
        assert_eq!(mesh.target(0).unwrap().reach(), f32::INFINITY);
        let source = Source {
            mesh,
            report,
            rest: rest_of(&[[0.0; 3]; 2], None, None),
            indices: Vec::new(),
            texcoords: Vec::new(),
            colors: Vec::new(),
            skin_weights: None,
        };
        assert_same(&file_of(&[&source]), &[&source]);
    }
}

#[test]
fn the_version_is_the_least_that_the_content_needs() {
    let version = |sources: &[&Source]| {
        let bytes = AlignedBytes::from(file_of(sources).as_slice());
        Cooked::parse(bytes.as_slice()).unwrap().container().version()
    };
    assert_eq!(version(&[]), 1);
    assert_eq!(version(&[&square(Quantization::Half)]), 1);
    assert_eq!(version(&[&square(Quantization::Half), &skinned_square()]), 2);
    assert_eq!(version(&[&painted_square()]), 3);
}

/// The page that describes the format gives these numbers, for readers in other languages.
#[test]
fn the_document_describes_the_records() {
    let page = include_str!("../../../../../docs/cooked.md");
    let sizes = [
        ("FileHeader", size_of::<morph_core::cooked::FileHeader>(), 32),
        ("SectionEntry", size_of::<SectionEntry>(), 32),
        ("PrimitiveRecord", size_of::<PrimitiveRecord>(), 88),
        ("TargetRecord", size_of::<TargetRecord>(), 104),
        ("SetRecord", size_of::<SetRecord>(), 12),
    ];
    for (name, found, expected) in sizes {
        assert_eq!(found, expected, "{name}");
        let line = format!("`{name}`, {found} bytes");
        assert!(page.contains(&line), "docs/cooked.md does not say {line}");
    }
    for kind in SectionKind::known() {
        let version = kind.since().unwrap();
        let line = page
            .lines()
            .find(|line| line.contains(&format!("| `{kind}` | {version} |")));
        assert!(
            line.is_some(),
            "docs/cooked.md has no line for {kind}, version {version}"
        );
    }
}

fn rest_of(positions: &[[f32; 3]], normals: Option<&[[f32; 3]]>, tangents: Option<&[[f32; 4]]>) -> RestPose {
    let layout = VertexLayout::tight(Streams {
        positions: true,
        normals: normals.is_some(),
        tangents: tangents.is_some(),
    });
    RestPose::from_streams(layout, positions, normals, tangents, BaseNormals::AsGiven).unwrap()
}

/// A file holds interleaved floats, whatever the vertices of the engine are.
#[test]
fn streams_and_packed_directions_are_written_as_interleaved_floats() {
    let mut source = square(Quantization::Half);
    let mut packed = source.parts();
    let corners = source.rest.streams().positions;
    let rest = RestPose::from_streams(
        VertexLayout::SEPARATE_SNORM10,
        &corners,
        Some(&[[0.0, 0.6, 0.8]; 4]),
        Some(&[[1.0, 0.0, 0.0, -1.0]; 4]),
        BaseNormals::AsGiven,
    )
    .unwrap();
    packed.rest = &rest;
    let mut writer = Writer::new();
    writer.add_primitive(0, &packed);
    let mut file = Vec::new();
    writer.write_to(&mut file).unwrap();
    source.rest = rest.to_tight();
    assert_eq!(source.rest.streams(), rest.streams());
    assert_same(&file, &[&source]);
}

proptest! {
    #[test]
    fn any_mesh_comes_back_equal(
        scene in scene(),
        quantization in quantization(),
        thresholds in prop_oneof![Just([0.0_f32; 2]), Just([0.5, 0.25])],
    ) {
        let options = BuildOptions {
            position_threshold: thresholds[0],
            direction_threshold: thresholds[1],
            rest: Some(&scene.rest),
            ..BuildOptions::new(quantization)
        };
        let (mesh, report) = MorphMesh::build(scene.vertex_count, &scene.targets, &options).unwrap();
        let tangents: Option<Vec<[f32; 4]>> = scene
            .rest
            .tangents
            .as_ref()
            .map(|tangents| tangents.iter().map(|&[x, y, z]| [x, y, z, -1.0]).collect());
        let rest = rest_of(&scene.rest.positions, scene.rest.normals.as_deref(), tangents.as_deref());
        let mut writer = Writer::new();
        let indices: Vec<u32> = (0..scene.vertex_count).rev().collect();
        let parts = PrimitiveParts { thresholds, ..PrimitiveParts::new(&mesh, &report, &rest, &indices) };
        writer.add_primitive(0, &parts);
        let mut file = Vec::new();
        writer.write_to(&mut file).unwrap();

        let bytes = AlignedBytes::from(file.as_slice());
        let cooked = Cooked::parse(bytes.as_slice()).unwrap();
        let primitive = &cooked.primitives()[0];
        prop_assert_eq!(format!("{:?}", primitive.mesh()), format!("{mesh:?}"));
        prop_assert_eq!(format!("{:?}", primitive.report()), format!("{report:?}"));
        prop_assert_eq!(primitive.scatter_words(), pack_scatter(&mesh).words);
        if mesh.target_count() > 0 {
            prop_assert_eq!(primitive.vertex_major().words, pack_vertex_major(&mesh).words);
        }
        let rest_streams = primitive.rest_streams();
        prop_assert_eq!(
            format!("{:?}", morph(primitive.mesh(), &rest_streams, &scene.weights).unwrap()),
            format!("{:?}", morph(&mesh, &scene.rest, &scene.weights).unwrap())
        );
        if let Some(signs) = primitive.tangent_signs() {
            prop_assert_eq!(signs, vec![-1.0; scene.vertex_count as usize]);
        }
    }
}
