//! What the tests of morph need to judge a run: drivers, validation layers, scenes, hazard controls.
//!
//! - [`drivers`] finds the Vulkan drivers at hand and says what to type where there is none.
//! - [`with_validation`] runs something under the layer and hands back what it said; [`assert_silent`] wants nothing.
//! - [`Rig`] drives a pre-pass with frames in flight, as an engine does.
//! - [`SCENES`] are the standard scenes, which must be silent; [`CONTROLS`] leave a barrier out and must be reported.
//! - [`ObjectWatch`] counts the live objects of every device here, and makes its calls fail where a test asks for it.
//! - [`judge_driver`] runs all of it on one driver and sums it up.
//!
//! The program `morph-validation` prints the same as a table.

mod bare_draw;
mod cast;
mod controls;
mod drivers;
mod expected;
mod judge;
mod rig;
mod rng;
mod samples;
mod scenes;
mod verdict;
mod watch;

pub use bare_draw::BareDraw;
pub use cast::{Actor, Cast, CastDesc, Prop, Reading};
pub use controls::{CONTROLS, Control, is_reported};
pub use drivers::{APT_LINE, Driver, NoDriver, SETUP_LINE, drivers, missing_drivers};
pub use expected::{expected_bytes, expected_posed_bytes};
pub use judge::{
    Generation, Judged, NotSilent, assert_silent, check_silent, filter_lines, judge_device, with_validation,
};
pub use rig::{Rig, RigError};
pub use rng::Rng;
pub use samples::{sample_bones, sample_skin};
pub use scenes::{
    DEGRADED, DEGRADED_SCATTER, DROPPED_FRAMES, GATHER_X8Y16, GATHER_X32Y1, HIDE_AND_RETURN, HISTORY,
    HISTORY_SCATTER, IN_FLIGHT, ONE_COMMAND_BUFFER, SCATTER, SCENES, SEVERAL_MESHES, SEVERAL_MESHES_SCATTER,
    SKINNED, Scene, SceneDesc, SceneReport, UPLOADS_WHILE_DRAWING,
};
pub use verdict::{ControlOutcome, SceneOutcome, Verdict, judge_driver};
pub use watch::ObjectWatch;
