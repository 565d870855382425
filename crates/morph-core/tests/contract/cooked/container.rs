//! Files whose checksums are right and whose header or table is not.

use morph_core::Quantization;
use morph_core::cooked::{
    AlignedBytes, Cooked, CookedError, FileHeader, NEWEST_VERSION, SectionEntry, SectionError, SectionId,
    SectionKind,
};

use super::{
    file_of, file_of_sections, painted_square, refusal, section_refusal, sections_of, skinned_square, square,
};

const HEADER_BYTES: usize = size_of::<FileHeader>();
const ENTRY_BYTES: usize = size_of::<SectionEntry>();

/// Changes header and table of a small file, and puts their checksums right.
fn changed(change: impl FnOnce(&mut FileHeader, &mut [SectionEntry])) -> Vec<u8> {
    let mut file = file_of(&[&square(Quantization::Half)]);
    let mut header: FileHeader = bytemuck::pod_read_unaligned(&file[..HEADER_BYTES]);
    let table_end = HEADER_BYTES + header.section_count as usize * ENTRY_BYTES;
    let mut table: Vec<SectionEntry> = file[HEADER_BYTES..table_end]
        .chunks_exact(ENTRY_BYTES)
        .map(bytemuck::pod_read_unaligned)
        .collect();
    change(&mut header, &mut table);
    file[HEADER_BYTES..table_end].copy_from_slice(bytemuck::cast_slice(&table));
    let claimed_end = HEADER_BYTES + header.section_count as usize * ENTRY_BYTES;
    if let Some(claimed) = file.get(HEADER_BYTES..claimed_end) {
        header.table_checksum = crc32fast::hash(claimed);
    }
    header.header_checksum = crc32fast::hash(&bytemuck::bytes_of(&header)[..HEADER_BYTES - 4]);
    file[..HEADER_BYTES].copy_from_slice(bytemuck::bytes_of(&header));
    file
}

#[test]
fn what_changes_nothing_is_accepted() {
    let file = changed(|_, _| ());
    assert!(Cooked::parse(AlignedBytes::from(file.as_slice()).as_slice()).is_ok());
}

#[test]
fn versions_that_are_not_the_content_s_are_refused() {
    let file = changed(|header, _| header.version = NEWEST_VERSION + 1);
    assert_eq!(
        refusal(&file),
        CookedError::NewerVersion {
            found: NEWEST_VERSION + 1
        }
    );
    for version in [0, 2, 3] {
        let file = changed(|header, _| header.version = version);
        let expected = CookedError::Version {
            found: version,
            needed: 1,
        };
        assert_eq!(refusal(&file), expected);
    }
}

#[test]
fn a_huge_table_is_refused_without_memory_for_it() {
    let file = changed(|header, _| header.section_count = u32::MAX);
    assert!(matches!(
        refusal(&file),
        CookedError::TableLength {
            section_count: u32::MAX,
            ..
        }
    ));
    // A table that reaches into the sections makes entries of their bytes.
    let file = changed(|header, _| header.section_count += 1);
    assert!(matches!(refusal(&file), CookedError::Section { .. }));
}

#[test]
fn sections_lie_one_after_the_other() {
    let (kind, error) = section_refusal(&changed(|_, table| table[2].offset = table[1].offset));
    assert_eq!(kind, SectionKind::INDICES);
    assert!(matches!(error, SectionError::Overlap { .. }), "{error}");

    let (_, error) = section_refusal(&changed(|_, table| table[0].offset = 0));
    assert!(matches!(error, SectionError::Overlap { .. }), "{error}");

    let (_, error) = section_refusal(&changed(|_, table| table[1].length += 16));
    assert!(matches!(error, SectionError::Checksum { .. }), "{error}");

    let (_, error) = section_refusal(&changed(|_, table| table[1].offset += 16));
    assert!(matches!(error, SectionError::Gap { .. }), "{error}");

    let (_, error) = section_refusal(&changed(|_, table| table[1].offset += 4));
    assert!(matches!(error, SectionError::Alignment), "{error}");

    // Every offset of its own is possible, and they fall.
    let (_, error) = section_refusal(&changed(|_, table| table.swap(0, 1)));
    assert!(matches!(error, SectionError::Gap { .. }), "{error}");
}

#[test]
fn huge_lengths_are_refused() {
    for length in [1 << 20, 1 << 60, u64::MAX - 15, u64::MAX] {
        let file = changed(|_, table| table[1].length = length);
        let (_, error) = section_refusal(&file);
        assert!(matches!(error, SectionError::PastEnd { .. }), "{error}");
    }
}

#[test]
fn what_no_section_has_is_refused() {
    // The last section is cut and its checksum put right, so that its end belongs to nobody.
    let file = file_of(&[&square(Quantization::Half)]);
    let file_copy = file.clone();
    let cut = changed(|_, table| {
        let last = table.last_mut().unwrap();
        last.length = 16;
        let start = last.offset as usize;
        last.checksum = crc32fast::hash(&file_copy[start..start + 16]);
    });
    assert!(matches!(refusal(&cut), CookedError::AfterLastSection { .. }));

    let cut = changed(|_, table| {
        let last = table.last_mut().unwrap();
        last.length -= 1;
        let start = last.offset as usize;
        let end = start + last.length as usize;
        last.checksum = crc32fast::hash(&file_copy[start..end]);
    });
    // The byte that was cut off is zero or padding that is not.
    assert!(matches!(refusal(&cut), CookedError::Section { .. }));

    for (kind, index, part) in [
        (SectionKind::REST, 1, 0),
        (SectionKind::REST, 0, 1),
        (SectionKind::TEXT, 1, 0),
    ] {
        let mut sections = sections_of(&file);
        sections.push((SectionId { index, kind, part }, vec![1; 16]));
        let refused = section_refusal(&file_of_sections(&sections));
        assert_eq!(refused, (kind, SectionError::Unexpected));
    }

    let mut sections = sections_of(&file);
    sections.push(sections[1].clone());
    let (kind, error) = section_refusal(&file_of_sections(&sections));
    assert_eq!((kind, error), (SectionKind::REST, SectionError::Duplicate));
}

#[test]
fn unknown_kinds_are_refused_or_skipped() {
    let file = file_of(&[&square(Quantization::Half)]);
    let mut sections = sections_of(&file);
    let id = |kind: &[u8; 4], index| SectionId {
        index,
        kind: SectionKind(*kind),
        part: 3,
    };
    sections.insert(1, (id(b"note", 9), b"whatever".to_vec()));
    let bytes = AlignedBytes::from(file_of_sections(&sections).as_slice());
    let cooked = Cooked::parse(bytes.as_slice()).unwrap();
    assert_eq!(cooked.primitives().len(), 1);
    assert_eq!(
        cooked.container().version(),
        1,
        "what may be skipped needs no later version"
    );
    assert_eq!(
        cooked.container().get(id(b"note", 9)).unwrap().bytes(),
        b"whatever"
    );

    sections[1].0 = id(b"NOTE", 9);
    let (kind, error) = section_refusal(&file_of_sections(&sections));
    assert_eq!(
        (kind.to_string().as_str(), error),
        ("NOTE", SectionError::Unknown)
    );
}

#[test]
fn missing_sections_are_named() {
    let files = [file_of(&[&skinned_square()]), file_of(&[&painted_square()])];
    let sections = files.iter().map(|file| sections_of(file));
    for (sections, at) in
        sections.flat_map(|sections| (0..sections.len()).map(move |at| (sections.clone(), at)))
    {
        let id = &sections[at].0;
        let mut fewer = sections.clone();
        fewer.remove(at);
        let error = refusal(&file_of_sections(&fewer));
        if id.kind == SectionKind::PRIMITIVE {
            // Without it nothing says that the others are a primitive.
            assert!(
                matches!(error, CookedError::Section { ref source, .. } if **source == SectionError::Unexpected)
            );
        } else {
            assert_eq!(error, CookedError::Missing { section: *id });
        }
    }
}
