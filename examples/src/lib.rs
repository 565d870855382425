//! What the example programs are made of, as a library so that tests can run them.
//!
//! - [`demo`]: a head changes its expression on the device, is checked against the host bit for bit, and is shown in a
//!   contact sheet, the four passes of one frame, and an animated picture.
//! - [`embed`]: the smallest engine, to read before embedding `morph-vk` into one's own.

pub mod demo;
pub mod embed;
pub mod generated_head;
