//! Cooked files: the round trip, damaged files, and files with right checksums and wrong content.

mod container;
mod content;
mod damage;
mod round_trip;

use morph_core::cooked::{
    AlignedBytes, Cooked, CookedError, PrimitiveParts, SectionError, SectionId, SectionKind, Writer,
};
use morph_core::{
    BaseNormals, BuildReport, InfluenceCount, MorphMesh, MorphTarget, Quantization, RestPose, SetDeltas,
    SkinWeights, VertexLayout,
};

use crate::support::build;

/// All that a primitive of a file is written from, owned.
#[derive(Debug)]
struct Source {
    mesh: MorphMesh,
    report: BuildReport,
    rest: RestPose,
    indices: Vec<u32>,
    texcoords: Vec<Vec<[f32; 2]>>,
    colors: Vec<Vec<[f32; 4]>>,
    skin_weights: Option<SkinWeights>,
}

impl Source {
    fn parts(&self) -> PrimitiveParts<'_> {
        PrimitiveParts {
            thresholds: [0.25, 0.125],
            texcoords: &self.texcoords,
            colors: &self.colors,
            skin_weights: self.skin_weights.as_ref(),
            ..PrimitiveParts::new(&self.mesh, &self.report, &self.rest, &self.indices)
        }
    }
}

/// A square of four vertices with three targets: two that move it in all streams, and one that moves nothing.
fn square(quantization: Quantization) -> Source {
    let mut grow = MorphTarget::empty("grow");
    grow.vertices = vec![0, 1, 3];
    grow.positions = Some(vec![[1.0, 2.0, -0.5], [0.25, 0.0, 3.0], [-1.0, -2.0, 0.75]]);
    grow.normals = Some(vec![[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, -0.5]]);
    grow.tangents = Some(vec![[0.0, 0.25, 0.0], [0.25, 0.0, 0.0], [0.0, 0.0, 0.125]]);
    let mut lift = MorphTarget::empty("lift é");
    lift.vertices = vec![1, 2];
    lift.positions = Some(vec![[0.0, 0.0, 4.0], [0.0, 0.0, 2.0]]);
    let (mesh, report) = build(4, &[grow, MorphTarget::empty("idle"), lift], quantization);
    let corners = [
        [-1.0, -1.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
    ];
    let rest = RestPose::from_streams(
        VertexLayout::PACKED,
        &corners,
        Some(&[[0.0, 0.0, 1.0]; 4]),
        Some(&[[1.0, 0.0, 0.0, -1.0]; 4]),
        BaseNormals::AsGiven,
    )
    .unwrap();
    Source {
        mesh,
        report,
        rest,
        indices: vec![0, 1, 2, 0, 2, 3],
        texcoords: vec![
            vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
            vec![[0.5, 0.25]; 4],
        ],
        colors: vec![vec![[0.1, 0.2, 0.3, 1.0]; 4]],
        skin_weights: None,
    }
}

/// The same with bones.
fn skinned_square() -> Source {
    let joints = vec![0, 1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0];
    let weights = [0.5_f32, 0.5, 0.0, 0.0].repeat(4);
    Source {
        skin_weights: Some(SkinWeights::new(InfluenceCount::Four, joints, weights).unwrap()),
        ..square(Quantization::Half)
    }
}

/// A square of which one target changes texture coordinates of two sets and colors, and another a color.
fn painted_square() -> Source {
    let set = |set, vertices: &[u32], delta| SetDeltas {
        set,
        vertices: vertices.to_vec(),
        deltas: vec![delta; vertices.len()],
    };
    let mut blush = MorphTarget::empty("blush");
    blush.vertices = vec![2];
    blush.positions = Some(vec![[0.0, 0.5, 0.0]]);
    blush.texcoords = vec![
        set(0, &[1, 2], [0.25, 0.0]),
        SetDeltas {
            set: 1,
            vertices: vec![3],
            deltas: vec![[-0.5, 0.125]],
        },
    ];
    blush.colors = vec![SetDeltas {
        set: 0,
        vertices: vec![0, 3],
        deltas: vec![[0.5, -0.25, 0.0, 0.0]; 2],
    }];
    let mut pale = MorphTarget::empty("pale");
    pale.colors = vec![SetDeltas {
        set: 0,
        vertices: vec![1],
        deltas: vec![[0.25, 0.25, 0.25, 0.0]],
    }];
    let (mesh, report) = build(4, &[blush, pale], Quantization::Snorm16);
    Source {
        mesh,
        report,
        ..square(Quantization::Half)
    }
}

fn file_of(sources: &[&Source]) -> Vec<u8> {
    let mut writer = Writer::new();
    for (index, source) in sources.iter().enumerate() {
        writer.add_primitive(index as u32, &source.parts());
    }
    let mut file = Vec::new();
    writer.write_to(&mut file).unwrap();
    assert_eq!(file.len() as u64, writer.file_bytes());
    file
}

/// Why a file is refused; a file that is not refused fails the test.
fn refusal(file: &[u8]) -> CookedError {
    match Cooked::parse(AlignedBytes::from(file).as_slice()) {
        Err(error) => error,
        Ok(_) => panic!("a wrong file was accepted"),
    }
}

/// Why a file is refused, where a section is at fault: its kind, and what is wrong with it.
fn section_refusal(file: &[u8]) -> (SectionKind, SectionError) {
    match refusal(file) {
        CookedError::Section { section, source, .. } => (section.kind, *source),
        other => panic!("no section is at fault: {other}"),
    }
}

/// The sections of a file in its order, for tests to change.
fn sections_of(file: &[u8]) -> Vec<(SectionId, Vec<u8>)> {
    let bytes = AlignedBytes::from(file);
    let cooked = Cooked::parse(bytes.as_slice()).unwrap();
    let sections = cooked.container().sections().iter();
    sections
        .map(|section| (section.id(), section.bytes().to_vec()))
        .collect()
}

/// A file of sections, its checksums right.
fn file_of_sections(sections: &[(SectionId, Vec<u8>)]) -> Vec<u8> {
    let mut writer = Writer::new();
    for (id, bytes) in sections {
        writer.add(*id, bytes.as_slice());
    }
    let mut file = Vec::new();
    writer.write_to(&mut file).unwrap();
    file
}
