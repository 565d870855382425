//! Files whose container is right and whose content is not.

use morph_core::cooked::{CookedError, PrimitiveRecord, SectionError, SectionKind, TargetRecord};
use morph_core::{LayoutError, Quantization, SkinError};

use super::{
    Source, file_of, file_of_sections, painted_square, refusal, section_refusal, sections_of, skinned_square,
    square,
};

/// Changes the bytes of the first section of a kind, and puts the checksums right.
fn changed(source: &Source, kind: SectionKind, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut sections = sections_of(&file_of(&[source]));
    let section = sections.iter_mut().find(|(id, _)| id.kind == kind).unwrap();
    change(&mut section.1);
    file_of_sections(&sections)
}

/// Changes a record; the section that is then at fault, and what is wrong with it.
fn with_record(source: &Source, change: impl FnOnce(&mut PrimitiveRecord)) -> (SectionKind, SectionError) {
    section_refusal(&changed(source, SectionKind::PRIMITIVE, |bytes| {
        let mut record: PrimitiveRecord = bytemuck::pod_read_unaligned(bytes);
        change(&mut record);
        bytes.copy_from_slice(bytemuck::bytes_of(&record));
    }))
}

fn with_targets(source: &Source, change: impl FnOnce(&mut [TargetRecord])) -> (SectionKind, SectionError) {
    section_refusal(&changed(source, SectionKind::TARGETS, |bytes| {
        let mut records: Vec<TargetRecord> = bytes
            .chunks_exact(size_of::<TargetRecord>())
            .map(bytemuck::pod_read_unaligned)
            .collect();
        change(&mut records);
        *bytes = bytemuck::cast_slice(&records).to_vec();
    }))
}

fn with_words(
    source: &Source,
    kind: SectionKind,
    change: impl FnOnce(&mut Vec<u32>),
) -> (SectionKind, SectionError) {
    section_refusal(&changed(source, kind, |bytes| {
        let mut words: Vec<u32> = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        change(&mut words);
        *bytes = bytemuck::cast_slice(&words).to_vec();
    }))
}

#[test]
fn huge_counts_are_refused_without_memory_for_them() {
    type Change = fn(&mut PrimitiveRecord);
    let source = square(Quantization::Half);
    let changes: [(Change, SectionKind); 5] = [
        (|record| record.vertex_count = u32::MAX, SectionKind::REST),
        (|record| record.index_count = u32::MAX, SectionKind::INDICES),
        (|record| record.stride_bytes = u32::MAX - 3, SectionKind::REST),
        (|record| record.target_count = 65_536, SectionKind::TARGETS),
        (|record| record.target_count = u32::MAX, SectionKind::PRIMITIVE),
    ];
    for (change, expected) in changes {
        let (kind, error) = with_record(&source, change);
        assert_eq!(kind, expected, "{error}");
        assert!(
            matches!(
                error,
                SectionError::Length { .. } | SectionError::OutOfRange { .. }
            ),
            "{error}"
        );
    }
    let (_, error) = with_record(&source, |record| record.entry_count = u64::MAX);
    assert!(matches!(error, SectionError::Field { found: 5, .. }), "{error}");
    let (kind, error) = with_targets(&source, |records| records[0].entry_count = u32::MAX);
    assert_eq!(kind, SectionKind::TARGETS, "{error}");
    let many_sets = changed(&source, SectionKind::PRIMITIVE, |bytes| {
        let mut record: PrimitiveRecord = bytemuck::pod_read_unaligned(bytes);
        record.texcoord_set_count = u32::MAX;
        bytes.copy_from_slice(bytemuck::bytes_of(&record));
    });
    assert!(matches!(refusal(&many_sets), CookedError::Missing { section } if section.part == 2));

    // The same in both records, so that only the words can show that it is not true.
    let mut sections = sections_of(&file_of(&[&source]));
    for (id, bytes) in &mut sections {
        if id.kind == SectionKind::PRIMITIVE {
            bytes[..8].copy_from_slice(&(u64::from(u32::MAX) + 2).to_le_bytes());
        } else if id.kind == SectionKind::TARGETS {
            bytes[20..24].copy_from_slice(&u32::MAX.to_le_bytes());
        }
    }
    let (kind, error) = section_refusal(&file_of_sections(&sections));
    assert_eq!(kind, SectionKind::SCATTER);
    assert!(matches!(error, SectionError::Length { .. }), "{error}");
}

#[test]
fn vertices_of_another_shape_are_refused() {
    let source = square(Quantization::Half);
    let (_, error) = with_record(&source, |record| record.stride_bytes = 0);
    assert_eq!(
        error,
        SectionError::VertexLayout(LayoutError::Stride {
            stream: 0,
            stride_bytes: 0
        })
    );
    let (_, error) = with_record(&source, |record| record.attribute_offsets[1] = 4);
    assert!(matches!(
        error,
        SectionError::VertexLayout(LayoutError::Overlap { .. })
    ));
    let (kind, error) = with_record(&source, |record| record.set_deltas = 4);
    assert_eq!(kind, SectionKind::PRIMITIVE);
    assert!(matches!(error, SectionError::Field { found: 4, .. }));
    for field in [
        (|record: &mut PrimitiveRecord| record.quantization = 3) as fn(&mut PrimitiveRecord),
        |record| record.influence_count = 5,
        |record| record.vertex_major[0] += 1,
        |record| record.vertex_major[3] ^= 2,
        |record| record.thresholds[0] = f32::NAN,
        |record| record.thresholds[1] = -1.0,
    ] {
        let (kind, error) = with_record(&source, field);
        assert_eq!(kind, SectionKind::PRIMITIVE);
        assert!(matches!(error, SectionError::Field { .. }), "{error}");
    }
}

#[test]
fn indices_past_the_vertices_are_refused() {
    let source = square(Quantization::Half);
    let (_, error) = with_words(&source, SectionKind::INDICES, |words| words[4] = 4);
    let expected = SectionError::OutOfRange {
        what: "index",
        at: 4,
        index: 4,
        count: 4,
    };
    assert_eq!(error, expected);
}

#[test]
fn rest_poses_outside_of_the_arithmetic_are_refused() {
    let source = square(Quantization::Half);
    let with_float = |at: usize, value: f32| {
        section_refusal(&changed(&source, SectionKind::REST, |bytes| {
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }))
    };
    let (_, error) = with_float(40, f32::NAN);
    assert!(matches!(error, SectionError::NotFinite { at: 1, .. }), "{error}");
    let (_, error) = with_float(12, f32::INFINITY);
    assert!(matches!(error, SectionError::NotFinite { at: 0, .. }), "{error}");
    let (_, error) = with_float(24, -0.0);
    assert!(matches!(error, SectionError::Domain { at: 0, .. }), "{error}");
    let (_, error) = with_float(4, 1.0e-20);
    assert!(matches!(error, SectionError::Domain { at: 0, .. }), "{error}");
    for kind in [SectionKind::TEXCOORDS, SectionKind::COLORS] {
        let (found, error) = with_words(&source, kind, |words| words[1] = f32::NAN.to_bits());
        assert_eq!(found, kind);
        assert!(matches!(error, SectionError::NotFinite { at: 0, .. }), "{error}");
    }
}

#[test]
fn moved_vertices_are_in_range_and_rise() {
    let source = square(Quantization::Half);
    let (_, error) = with_words(&source, SectionKind::SCATTER, |words| words[2] = 4);
    assert!(
        matches!(error, SectionError::OutOfRange { at: 2, index: 4, .. }),
        "{error}"
    );
    for order in [[1, 1, 3], [1, 0, 3], [0, 3, 1]] {
        let (kind, error) = with_words(&source, SectionKind::SCATTER, |words| {
            words[..3].copy_from_slice(&order);
        });
        assert_eq!(kind, SectionKind::SCATTER);
        assert!(matches!(error, SectionError::NotRising { .. }), "{error}");
    }
}

#[test]
fn deltas_are_finite_and_in_the_domain() {
    // The words of the first target: three vertices, then its positions.
    let bad_words: [(Quantization, u32, bool); 10] = [
        (Quantization::F32, f32::NAN.to_bits(), true),
        (Quantization::F32, f32::NEG_INFINITY.to_bits(), true),
        (Quantization::F32, (-0.0_f32).to_bits(), false),
        (Quantization::F32, 1, false),
        (Quantization::Half, 0x7c00, true),
        (Quantization::Half, 0x7e01_0000, true),
        (Quantization::Half, 0xfc00, true),
        (Quantization::Half, 0x8000, false),
        (Quantization::Snorm16, 0x8000, true),
        (Quantization::Snorm16, 0x8000_0000, true),
    ];
    for (quantization, word, is_not_finite) in bad_words {
        let (kind, error) = with_words(&square(quantization), SectionKind::SCATTER, |words| {
            words[3] = word;
        });
        assert_eq!(kind, SectionKind::SCATTER);
        let is_right = match error {
            SectionError::NotFinite { at: 0, .. } => is_not_finite,
            SectionError::Domain { at: 0, .. } => !is_not_finite,
            _ => false,
        };
        assert!(is_right, "{quantization} {word:#x}: {error}");
    }
}

#[test]
fn steps_give_deltas_of_the_domain() {
    for (step, is_of_records) in [
        (f32::NAN, true),
        (f32::INFINITY, true),
        (-1.0, true),
        (f32::MAX, false),
        (1.0e-30, false),
        (0.0, false),
    ] {
        let (kind, error) = with_targets(&square(Quantization::Snorm16), |records| {
            records[0].steps[0] = step;
        });
        let expected = if is_of_records {
            SectionKind::TARGETS
        } else {
            SectionKind::SCATTER
        };
        assert_eq!(kind, expected, "{step}: {error}");
    }
    for quantization in [Quantization::F32, Quantization::Half] {
        let (_, error) = with_targets(&square(quantization), |records| records[1].steps[2] = 2.0);
        assert!(matches!(error, SectionError::Field { record: 1, .. }), "{error}");
    }
    let (_, error) = with_targets(&square(Quantization::Snorm16), |records| {
        records[1].steps[2] = 1.0;
    });
    assert!(matches!(error, SectionError::Field { record: 1, .. }), "{error}");
}

#[test]
fn records_say_what_the_deltas_give() {
    type Change = fn(&mut TargetRecord);
    let changes: [Change; 3] = [
        |record| record.reach = record.reach.next_up(),
        |record| record.minimum[1] = 0.0,
        |record| record.maximum[2] = 100.0,
    ];
    for change in changes {
        let (kind, error) = with_targets(&square(Quantization::Half), |records| change(&mut records[0]));
        assert_eq!(kind, SectionKind::TARGETS);
        assert!(matches!(error, SectionError::Mismatch { at: 0, .. }), "{error}");
    }
    let changes: [Change; 7] = [
        |record| record.index_offset += 1,
        |record| record.stream_offsets[0] += 1,
        |record| record.stream_offsets[1] = u32::MAX,
        |record| record.flags = 2,
        |record| record.worst_errors[0] = f32::NAN,
        |record| record.worst_errors[1] = -1.0,
        |record| record.worst_direction_error_degrees = 1.0,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let (kind, error) = with_targets(&square(Quantization::Half), |records| change(&mut records[0]));
        assert_eq!(kind, SectionKind::TARGETS, "{number}");
        assert!(matches!(error, SectionError::Field { .. }), "{number}: {error}");
    }
    let (_, error) = with_targets(&square(Quantization::Half), |records| {
        records[0].dropped_entry_count = u64::MAX;
    });
    assert!(matches!(error, SectionError::OutOfRange { .. }), "{error}");
    let (_, error) = with_targets(&square(Quantization::Half), |records| {
        records[1].stream_offsets[0] = 0;
    });
    assert!(matches!(error, SectionError::Field { record: 1, .. }), "{error}");
    let (kind, error) = with_targets(&square(Quantization::Half), |records| {
        records[0].uncounted_direction_vertices = 5;
    });
    assert_eq!(kind, SectionKind::TARGETS);
    assert!(matches!(error, SectionError::OutOfRange { .. }), "{error}");
}

#[test]
fn names_are_text_and_differ() {
    let source = square(Quantization::Half);
    let with_names = |names: &[u8]| {
        section_refusal(&changed(&source, SectionKind::TARGET_NAMES, |bytes| {
            *bytes = names.to_vec();
        }))
    };
    let (kind, error) = with_names(b"growidlelift \xff\xff");
    assert_eq!(
        (kind, error),
        (SectionKind::TARGET_NAMES, SectionError::NotUtf8 { at: 13 })
    );
    let (kind, error) = with_names("growidlelift éé".as_bytes());
    assert_eq!(kind, SectionKind::TARGET_NAMES);
    assert!(matches!(error, SectionError::Length { .. }), "{error}");
    let (kind, error) = with_names(b"grow");
    assert_eq!(kind, SectionKind::TARGETS);
    assert!(matches!(error, SectionError::TextRange { at: 1, .. }), "{error}");
    let (_, error) = with_names("growgrowlift é".as_bytes());
    let expected = SectionError::DuplicateName {
        what: "targets",
        name: "grow".to_owned(),
        first: 0,
        second: 1,
    };
    assert_eq!(error, expected);
    // A name that ends inside a character.
    let (_, error) = with_targets(&source, |records| records[2].name_bytes -= 1);
    assert!(matches!(error, SectionError::TextRange { at: 2, .. }), "{error}");
}

#[test]
fn vertex_major_words_are_those_of_the_scatter_words() {
    let vertex_major = |quantization, change: &dyn Fn(&mut Vec<u32>)| {
        let (kind, error) = with_words(&square(quantization), SectionKind::VERTEX_MAJOR, |words| {
            change(words);
        });
        assert_eq!(kind, SectionKind::VERTEX_MAJOR, "{error}");
        error
    };
    // Vertices 0 to 3 have 1, 2, 1 and 1 entries.
    let error = vertex_major(Quantization::F32, &|words| words[0] = 1);
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
    let error = vertex_major(Quantization::F32, &|words| words[4] = 6);
    assert!(matches!(error, SectionError::Field { .. }), "{error}");
    let error = vertex_major(Quantization::F32, &|words| words[2] = 5);
    assert!(matches!(error, SectionError::NotRising { at: 3, .. }), "{error}");
    let error = vertex_major(Quantization::F32, &|words| words[1] = 2);
    assert!(
        matches!(
            error,
            SectionError::Mismatch { .. } | SectionError::NotRising { .. }
        ),
        "{error}"
    );

    // Entries of ten words start at word 5; the second and third belong to vertex 1.
    let error = vertex_major(Quantization::F32, &|words| words[15] = 2);
    assert!(matches!(error, SectionError::NotRising { at: 2, .. }), "{error}");
    let error = vertex_major(Quantization::F32, &|words| words[25] = 0);
    assert!(matches!(error, SectionError::NotRising { at: 2, .. }), "{error}");
    let error = vertex_major(Quantization::F32, &|words| words[25] = 3);
    assert!(matches!(error, SectionError::OutOfRange { at: 2, .. }), "{error}");
    let error = vertex_major(Quantization::Half, &|words| words[5] |= 0xffff);
    assert!(matches!(error, SectionError::OutOfRange { at: 0, .. }), "{error}");
    // A target that rises and does not move this vertex.
    let error = vertex_major(Quantization::F32, &|words| words[5] = 2);
    assert!(matches!(error, SectionError::Mismatch { .. }), "{error}");

    let error = vertex_major(Quantization::F32, &|words| words[6] = f32::NAN.to_bits());
    assert!(matches!(error, SectionError::Mismatch { at: 0, .. }), "{error}");
    let error = vertex_major(Quantization::Snorm16, &|words| words[5] ^= 1);
    assert!(matches!(error, SectionError::Mismatch { at: 0, .. }), "{error}");
    for quantization in Quantization::ALL {
        let last = |words: &mut Vec<u32>| *words.last_mut().unwrap() ^= 1;
        let error = vertex_major(quantization, &last);
        assert!(matches!(error, SectionError::Mismatch { .. }), "{error}");
        let error = vertex_major(quantization, &|words| words.push(0));
        assert!(matches!(error, SectionError::Length { .. }), "{error}");
    }
}

#[test]
fn scatter_words_have_nothing_to_spare() {
    let (_, error) = with_words(&square(Quantization::Half), SectionKind::SCATTER, |words| {
        words.push(0);
    });
    assert!(matches!(error, SectionError::Length { .. }), "{error}");
    let (_, error) = with_words(&square(Quantization::Half), SectionKind::SCATTER, |words| {
        words.pop();
    });
    assert!(matches!(error, SectionError::Length { .. }), "{error}");
    // Nine halves of a stream leave one over.
    let (_, error) = with_words(&square(Quantization::Half), SectionKind::SCATTER, |words| {
        words[7] |= 1 << 16;
    });
    assert_eq!(error, SectionError::Padding);
    let (_, error) = section_refusal_of_odd_bytes();
    assert!(matches!(error, SectionError::PartialRecord { .. }), "{error}");
}

fn section_refusal_of_odd_bytes() -> (SectionKind, SectionError) {
    section_refusal(&changed(
        &square(Quantization::Half),
        SectionKind::SCATTER,
        |bytes| {
            bytes.push(0);
        },
    ))
}

#[test]
fn skin_weights_are_finite_and_not_negative() {
    for weight in [f32::NAN, f32::INFINITY, -1.0] {
        let (kind, error) = with_words(&skinned_square(), SectionKind::SKIN_WEIGHTS, |words| {
            words[5] = weight.to_bits();
        });
        assert_eq!(kind, SectionKind::SKIN_WEIGHTS);
        assert!(
            matches!(
                error,
                SectionError::Skin(SkinError::Weight {
                    vertex: 1,
                    influence: 1,
                    ..
                })
            ),
            "{error}"
        );
    }
    let (kind, _) = with_words(&skinned_square(), SectionKind::SKIN_JOINTS, |words| words.push(0));
    assert_eq!(kind, SectionKind::SKIN_JOINTS);
}

#[test]
fn skin_weights_are_stored_by_their_rules() {
    // A weight below the domain, and the joint of a weight that is zero.
    let (kind, error) = with_words(&skinned_square(), SectionKind::SKIN_WEIGHTS, |words| words[5] = 1);
    assert_eq!(kind, SectionKind::SKIN_WEIGHTS);
    assert!(matches!(error, SectionError::Domain { at: 5, .. }), "{error}");
    let (kind, error) = with_words(&skinned_square(), SectionKind::SKIN_JOINTS, |words| words[1] = 1);
    assert_eq!(kind, SectionKind::SKIN_JOINTS);
    assert!(matches!(error, SectionError::OutOfRange { at: 2, .. }), "{error}");
}

/// Changes words of a part of the deltas of texture coordinates.
fn with_set_words(part: u32, change: impl FnOnce(&mut [u32])) -> SectionError {
    let mut sections = sections_of(&file_of(&[&painted_square()]));
    let section = sections
        .iter_mut()
        .find(|(id, _)| (id.kind, id.part) == (SectionKind::TEXCOORD_DELTAS, part));
    let bytes = &mut section.unwrap().1;
    let mut words: Vec<u32> = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
    change(&mut words);
    *bytes = bytemuck::cast_slice(&words).to_vec();
    let (kind, error) = section_refusal(&file_of_sections(&sections));
    assert_eq!(kind, SectionKind::TEXCOORD_DELTAS, "{error}");
    error
}

#[test]
fn deltas_of_sets_are_in_order_and_in_the_domain() {
    // Records: target 0 changes two vertices of set 0 and one of set 1.
    let error = with_set_words(0, |words| words[3] = 2);
    assert!(
        matches!(error, SectionError::OutOfRange { at: 1, index: 2, .. }),
        "{error}"
    );
    let error = with_set_words(0, |words| words[4] = 0);
    assert!(matches!(error, SectionError::NotRising { at: 1, .. }), "{error}");
    let error = with_set_words(0, |words| (words[2], words[5]) = (3, 0));
    assert!(matches!(error, SectionError::Field { record: 1, .. }), "{error}");
    let error = with_set_words(0, |words| words[2] = u32::MAX);
    assert!(matches!(error, SectionError::Length { .. }), "{error}");
    let error = with_set_words(1, |words| words[2] = 4);
    assert!(
        matches!(error, SectionError::OutOfRange { at: 2, index: 4, .. }),
        "{error}"
    );
    let error = with_set_words(1, |words| words[1] = 1);
    assert!(matches!(error, SectionError::NotRising { at: 1, .. }), "{error}");
    let error = with_set_words(2, |words| words[3] = f32::NAN.to_bits());
    assert!(matches!(error, SectionError::NotFinite { at: 1, .. }), "{error}");
    let error = with_set_words(2, |words| words[3] = (-0.0_f32).to_bits());
    assert!(matches!(error, SectionError::Domain { at: 1, .. }), "{error}");
    let error = with_set_words(2, |words| words[2] = 0);
    assert!(matches!(error, SectionError::Domain { at: 1, .. }), "{error}");
}
