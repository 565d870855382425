//! The table of placements: addresses, padding, single rows, limits, and what an engine binds.

use morph_core::placement::{
    BUFFER_BINDING, MAX_TABLE_WORDS, Placement, ROW_WORDS, TEXTURE_BINDING, TableError, TableLayout, pack_row,
};
use proptest::prelude::*;

fn moved(x: f64) -> Placement {
    Placement::IDENTITY.with_translation([x, 0.0, 0.0]).unwrap()
}

#[test]
fn widths_and_strides_out_of_range_are_refused() {
    for width in [0, MAX_TABLE_WORDS + 1, u32::MAX] {
        assert_eq!(TableLayout::new(width, 11), Err(TableError::Width { width }));
    }
    for stride in [0, 10, MAX_TABLE_WORDS + 1, u32::MAX] {
        let error = TableLayout::new(8, stride).unwrap_err();
        assert_eq!(error, TableError::Stride { stride });
    }
    assert_eq!(
        TableLayout::new(8, 10).unwrap_err().to_string(),
        "a table stride of 10 words: it must be 11, the words of a row, to 2147483647"
    );
    assert!(TableLayout::new(1, ROW_WORDS).is_ok());
    assert!(TableLayout::new(MAX_TABLE_WORDS, MAX_TABLE_WORDS).is_ok());
}

#[test]
fn what_no_table_reaches_is_refused_without_overflow() {
    let layout = TableLayout::new(1, 11).unwrap();
    let most = MAX_TABLE_WORDS / 11;
    assert_eq!(layout.rows_needed(most), Ok(most * 11));
    assert_eq!(layout.address(most - 1, 10), Ok(most * 11 - 1));
    for row_count in [most + 1, u32::MAX] {
        assert!(matches!(
            layout.rows_needed(row_count),
            Err(TableError::TooLarge { .. })
        ));
        assert!(matches!(
            layout.address(row_count - 1, 0),
            Err(TableError::TooLarge { .. })
        ));
    }
    assert!(matches!(
        layout.address(u32::MAX, 0),
        Err(TableError::TooLarge { .. })
    ));
    assert_eq!(
        layout.address(0, 11),
        Err(TableError::Slot { slot: 11, stride: 11 })
    );
    // Padding counts: two rows of the widest stride do not fit, and neither do they in pieces.
    let widest = TableLayout::new(MAX_TABLE_WORDS, MAX_TABLE_WORDS).unwrap();
    assert_eq!(widest.rows_needed(1), Ok(1));
    assert!(matches!(widest.rows_needed(2), Err(TableError::TooLarge { .. })));
    let wide = TableLayout::new(MAX_TABLE_WORDS - 1, MAX_TABLE_WORDS).unwrap();
    assert!(matches!(wide.rows_needed(1), Err(TableError::TooLarge { .. })));
}

#[test]
fn no_submesh_takes_no_word() {
    let layout = TableLayout::new(8, 11).unwrap();
    let table = layout.pack_table([]).unwrap();
    assert_eq!(
        (layout.rows_needed(0), table.height(), table.row_count()),
        (Ok(0), 0, 0)
    );
    assert!(table.words().is_empty());
    assert_eq!(table.lookup(0), Placement::IDENTITY);
}

#[test]
fn a_table_of_zeros_is_a_table_of_identities() {
    let layout = TableLayout::new(8, 11).unwrap();
    let table = layout
        .pack_table([None, Some(&Placement::IDENTITY), None])
        .unwrap();
    assert_eq!(table.words(), [0; 40]);
}

#[test]
fn rows_are_written_one_by_one() {
    let layout = TableLayout::new(8, 12).unwrap();
    let mut table = layout.pack_table([None; 3]).unwrap();
    assert_eq!(table.set_row(2, Some(&moved(4.0))), Ok(24..35));
    assert_eq!(table, layout.pack_table([None, None, Some(&moved(4.0))]).unwrap());
    assert_eq!(table.set_row(2, None), Ok(24..35));
    assert_eq!(table, layout.pack_table([None; 3]).unwrap());
    for submesh in [3, u32::MAX] {
        let error = table.set_row(submesh, Some(&moved(1.0))).unwrap_err();
        assert_eq!(
            error,
            TableError::NoRow {
                submesh,
                row_count: 3
            }
        );
        assert_eq!(table.lookup(submesh), Placement::IDENTITY);
    }
}

#[test]
fn what_is_bound_is_declared_for_both_forms() {
    for binding in [BUFFER_BINDING, TEXTURE_BINDING] {
        assert_eq!(binding.attribute.semantic, "transform-id");
        assert_eq!(binding.attribute.format.as_str(), "R32_UINT");
        assert_eq!(
            (binding.table.semantic, binding.table.format.as_str()),
            ("transform", "R32_UINT")
        );
        assert_eq!(
            (binding.capabilities[0], binding.capabilities.len()),
            ("transform", 2)
        );
    }
    assert_ne!(BUFFER_BINDING.capabilities[1], TEXTURE_BINDING.capabilities[1]);
    assert_ne!(BUFFER_BINDING.table.kind, TEXTURE_BINDING.table.kind);
}

proptest! {
    #[test]
    fn a_table_is_whole_texture_rows_with_each_row_at_its_address(
        width in 1_u32..70, stride in 11_u32..40, rows in prop::collection::vec(prop::option::of(-9.0..9.0_f64), 0..30),
    ) {
        let layout = TableLayout::new(width, stride).unwrap();
        let placements: Vec<Option<Placement>> = rows.iter().map(|x| x.map(moved)).collect();
        let table = layout.pack_table(placements.iter().map(Option::as_ref)).unwrap();
        let row_count = rows.len() as u32;
        prop_assert_eq!(table.row_count(), row_count);
        prop_assert_eq!(table.height(), layout.rows_needed(row_count).unwrap());
        prop_assert_eq!(table.words().len() as u32, table.height() * width);
        prop_assert!(table.words().len() as u32 - row_count * stride < width);

        let mut expected = vec![0; table.words().len()];
        for (submesh, placement) in (0_u32..).zip(&placements) {
            let placement = placement.unwrap_or_default();
            for (slot, word) in (0..).zip(pack_row(&placement)) {
                let address = layout.address(submesh, slot).unwrap();
                let [x, y] = layout.texel(address);
                prop_assert!(x < width && y < table.height());
                prop_assert_eq!(u64::from(y) * u64::from(width) + u64::from(x), u64::from(address));
                expected[address as usize] = word;
            }
            prop_assert_eq!(table.lookup(submesh), placement);
        }
        prop_assert_eq!(table.words(), expected);
    }

    #[test]
    fn words_and_texels_agree_anywhere(width in 1..=MAX_TABLE_WORDS, stride in 11_u32..1000, submesh: u32, slot in 0_u32..1000) {
        let layout = TableLayout::new(width, stride).unwrap();
        match layout.address(submesh, slot) {
            Ok(address) => {
                prop_assert_eq!(u64::from(address), u64::from(submesh) * u64::from(stride) + u64::from(slot));
                let [x, y] = layout.texel(address);
                prop_assert!(y < layout.rows_needed(submesh + 1).unwrap());
                prop_assert_eq!(u64::from(y) * u64::from(width) + u64::from(x), u64::from(address));
            }
            Err(TableError::Slot { .. }) => prop_assert!(slot >= stride),
            Err(error) => {
                prop_assert!(matches!(error, TableError::TooLarge { .. }), "{}", error);
                prop_assert!(submesh == u32::MAX || layout.rows_needed(submesh + 1).is_err());
            }
        }
    }
}
