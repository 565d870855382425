//! How much memory opening a cooked file takes, counted by the allocator of this program.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::path::Path;

use morph_core::cooked::{
    AlignedBytes, Cooked, PrimitiveParts, PrimitiveRecord, SectionKind, TargetRecord, Writer,
};
use morph_core::{BaseNormals, BuildOptions, MorphMesh, MorphTarget, Quantization, RestPose, VertexLayout};
use morph_import::cooked::CookedModel;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A file of one primitive: targets that move every vertex.
fn file(vertex_count: u32, target_count: u32) -> AlignedBytes {
    let targets: Vec<MorphTarget> = (0..target_count)
        .map(|slot| MorphTarget {
            vertices: (0..vertex_count).collect(),
            positions: Some((0..vertex_count).map(|v| [v as f32, 1.0, slot as f32]).collect()),
            ..MorphTarget::empty(format!("target {slot}"))
        })
        .collect();
    let (mesh, report) =
        MorphMesh::build(vertex_count, &targets, &BuildOptions::new(Quantization::Snorm16)).unwrap();
    let rest = RestPose::from_streams(
        VertexLayout::POSITION,
        &vec![[1.0; 3]; vertex_count as usize],
        None,
        None,
        BaseNormals::AsGiven,
    )
    .unwrap();
    let mut writer = Writer::new();
    writer.add_primitive(0, &PrimitiveParts::new(&mesh, &report, &rest, &[]));
    let mut file = Vec::new();
    writer.write_to(&mut file).unwrap();
    AlignedBytes::from(file.as_slice())
}

/// The most that reading takes beyond what was taken before.
fn peak(read: impl FnOnce()) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    read();
    MEMORY.peak_usage().saturating_sub(before)
}

type Change = fn(&mut PrimitiveRecord, &mut TargetRecord);

/// One test, because others in the same program would be counted too.
#[test]
fn memory_is_what_the_bytes_justify() {
    let bytes = file(2000, 40);
    let file_bytes = bytes.as_slice().len();
    let whole = peak(|| assert!(Cooked::parse(bytes.as_slice()).is_ok()));
    // The mesh is about as large as its scatter words, which are less than half of the file.
    assert!(whole < file_bytes, "{whole} bytes for a file of {file_bytes}");

    // Counts as large as they can be, under right checksums.
    let small = file(4, 2);
    let cooked = Cooked::parse(small.as_slice()).unwrap();
    let changes: [Change; 6] = [
        |record, _| record.vertex_count = u32::MAX,
        |record, _| record.index_count = u32::MAX,
        |record, _| record.target_count = 65_536,
        |record, _| record.texcoord_set_count = u32::MAX,
        |record, _| record.influence_count = 8,
        |record, target| {
            record.entry_count = u64::from(u32::MAX) + 4;
            target.entry_count = u32::MAX;
        },
    ];
    for change in changes {
        let mut writer = Writer::new();
        for section in cooked.container().sections() {
            let mut owned = section.bytes().to_vec();
            let mut record: PrimitiveRecord = bytemuck::Zeroable::zeroed();
            let mut target: TargetRecord = bytemuck::Zeroable::zeroed();
            match section.id().kind {
                SectionKind::PRIMITIVE => {
                    record = bytemuck::pod_read_unaligned(&owned);
                    change(&mut record, &mut target);
                    owned.copy_from_slice(bytemuck::bytes_of(&record));
                }
                SectionKind::TARGETS => {
                    target = bytemuck::pod_read_unaligned(&owned[..size_of::<TargetRecord>()]);
                    change(&mut record, &mut target);
                    owned[..size_of::<TargetRecord>()].copy_from_slice(bytemuck::bytes_of(&target));
                }
                _ => {}
            }
            writer.add_owned(section.id(), &owned);
        }
        let mut file = Vec::new();
        writer.write_to(&mut file).unwrap();
        let bytes = AlignedBytes::from(file.as_slice());
        let taken = peak(|| assert!(Cooked::parse(bytes.as_slice()).is_err()));
        assert!(taken < 16 * 1024, "{taken} bytes for a file of {}", file.len());
    }
    // The same through the model, which this file has not.
    let taken = peak(|| assert!(CookedModel::from_bytes(Path::new("x"), small.clone()).is_err()));
    assert!(taken < 16 * 1024, "{taken}");
}
