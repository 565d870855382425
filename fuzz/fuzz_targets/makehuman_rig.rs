//! `cargo +nightly fuzz run makehuman_rig --features libfuzzer`; see `morph_fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| morph_fuzz::readers::makehuman_rig(bytes));
