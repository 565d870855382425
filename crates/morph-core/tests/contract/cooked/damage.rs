//! Files that were damaged after they were written: every change of a byte and every cut is refused.

use morph_core::Quantization;
use morph_core::cooked::{AlignedBytes, Cooked, CookedError, SectionError};

use super::{file_of, painted_square, refusal, skinned_square, square};

#[test]
fn no_byte_can_change_unnoticed() {
    let file = file_of(&[
        &square(Quantization::Snorm16),
        &skinned_square(),
        &painted_square(),
    ]);
    let mut bytes = AlignedBytes::from(file.as_slice());
    assert!(Cooked::parse(bytes.as_slice()).is_ok());
    for at in 0..file.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut changed = file.clone();
            changed[at] ^= change;
            bytes = AlignedBytes::from(changed.as_slice());
            assert!(
                Cooked::parse(bytes.as_slice()).is_err(),
                "byte {at} was changed by {change:#04x} and the file accepted"
            );
        }
    }
}

#[test]
fn no_cut_goes_unnoticed() {
    let file = file_of(&[&square(Quantization::Half)]);
    for length in 0..file.len() {
        match refusal(&file[..length]) {
            CookedError::NoHeader { found, needed: 32 } => assert_eq!((found, length < 32), (length, true)),
            CookedError::FileBytes { stated, found } => {
                assert_eq!((stated, found), (file.len() as u64, length as u64));
            }
            other => panic!("cut to {length} bytes: {other}"),
        }
    }
    let longer = [file.as_slice(), &[0; 16]].concat();
    assert!(matches!(refusal(&longer), CookedError::FileBytes { .. }));
}

#[test]
fn a_damaged_section_is_named_with_its_place() {
    let file = file_of(&[&square(Quantization::F32), &square(Quantization::Half)]);
    let bytes = AlignedBytes::from(file.as_slice());
    let cooked = Cooked::parse(bytes.as_slice()).unwrap();
    for section in cooked.container().sections() {
        if section.bytes().is_empty() {
            continue;
        }
        let mut changed = file.clone();
        changed[section.offset() as usize] ^= 4;
        match refusal(&changed) {
            CookedError::Section {
                section: found,
                offset,
                source,
            } => {
                assert_eq!((found, offset), (section.id(), section.offset()));
                assert!(matches!(*source, SectionError::Checksum { .. }), "{source}");
            }
            other => panic!("{}: {other}", section.id()),
        }
    }
}

#[test]
fn bytes_that_do_not_lie_right_are_refused() {
    let file = file_of(&[&square(Quantization::Half)]);
    let shifted = AlignedBytes::from([&[0; 4], file.as_slice()].concat().as_slice());
    assert_eq!(
        Cooked::parse(&shifted.as_slice()[4..]).err(),
        Some(CookedError::Unaligned { excess: 4 })
    );
    // Nothing at all lies nowhere in particular.
    assert_eq!(refusal(&[]), CookedError::NoHeader { found: 0, needed: 32 });
}

#[test]
fn other_files_are_told_apart() {
    let message = refusal(b"glTF\x02\x00\x00\x00 and whatever follows it in such a file").to_string();
    assert!(message.contains("no cooked file"), "{message}");
    // What a transfer as text makes of the line break.
    let mut file = file_of(&[]);
    file.remove(6);
    file.push(0);
    assert!(matches!(refusal(&file), CookedError::Magic { .. }));
}
