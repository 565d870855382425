//! Tests of `morph-core` through its public interface, one module an idea.
//!
//! Tests named after a case (`b126_…`) are that case of the shared list of faults seen in other systems.

#![allow(
    clippy::unwrap_used,
    reason = "a test that meets an unexpected error should stop there and show it"
)]

mod allocations;
mod bake;
mod bounds;
mod build_errors;
mod cases;
mod compare;
mod cooked;
mod expression;
mod generate;
mod kernel;
mod layouts;
mod movement;
mod names;
mod packed;
mod placement;
mod placement_table;
mod quantization;
mod remap;
mod report;
mod rest;
mod rest_layouts;
mod rig;
mod set_table;
mod sets;
mod skin;
mod support;
mod target;
mod transform;
mod validate;
mod weights;
