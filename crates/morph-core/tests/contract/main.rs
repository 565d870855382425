//! Tests of `morph-core` through its public interface, one module an idea.
//!
//! Tests named after a case (`b126_…`) are that case of the shared list of faults seen in other systems.

#![allow(
    clippy::unwrap_used,
    reason = "a test that meets an unexpected error should stop there and show it"
)]

mod bounds;
mod build_errors;
mod cases;
mod compare;
mod kernel;
mod layouts;
mod oracle;
mod placement;
mod placement_table;
mod quantization;
mod report;
mod rest;
mod rig;
mod support;
mod target;
mod weights;
