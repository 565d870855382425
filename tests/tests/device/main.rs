//! The device tests of morph, in one program so that it links once.
//!
//! - `async_compute`: the pass on one queue and its readers on another.
//! - `bits`: random scenes, byte by byte against the host, on every driver at hand.
//! - `limits`: what does not fit, what is not there yet, what is asked for wrongly.
//! - `cases`: faults that users of other engines met, each as a small input with the right result.
//! - `slots`, `lifetime`, `reload`, `faults`: what engines do wrong and devices refuse; what must not leak.
//! - `budget`, `statistics`: what is refused and counted, and how long the device takes.
//! - `oracles`: models of the field against what other programs say of them (needs `MORPH_SHARED`).
//! - `placement`: the placement table read by the shader includes, against the host.
//! - `skinning`: bones that carry what the morph gave, against the host.
//! - `shaders`: the compiled modules against the structs and rules of the host side.
//! - `view`: what is too far to be seen, jumps, boxes on the device, ranges that the next frame writes.
//! - `rendering`, `gold`: what the passes draw.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "tests: a panic is how they fail, and their names say what they promise"
)]

mod async_compute;
mod bits;
mod budget;
mod by_hand;
mod cases;
mod compute_kernel;
mod faults;
mod gold;
mod lifetime;
mod limits;
mod oracles;
mod parts;
mod placement;
mod placement_kernel;
mod reload;
mod rendering;
mod shaders;
mod skinning;
mod slots;
mod stage;
mod statistics;
mod support;
mod view;
