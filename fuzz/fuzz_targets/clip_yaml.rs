//! `cargo +nightly fuzz run clip_yaml --features libfuzzer`; see `morph_fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| morph_fuzz::readers::clip_yaml(bytes));
