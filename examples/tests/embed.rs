//! The smallest engine runs on whatever device is here, and its vertices equal the host's.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use morph_examples::embed;

#[test]
fn the_smallest_engine_equals_the_host() {
    // Without a driver this fails with the line that installs one.
    let summary = embed::run(None).unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(summary.difference, 0, "{summary:?}");
    assert_eq!(
        (summary.frames, summary.vertices),
        (29, 12),
        "one frame was dropped: {summary:?}"
    );
    assert!(
        summary.dispatches > 10 && summary.barriers > summary.dispatches,
        "{summary:?}"
    );
    assert!(
        summary.idle_frames >= 8,
        "frames without a change cost nothing: {summary:?}"
    );
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let error = embed::run(Some("no such device")).unwrap_err().to_string();
    assert!(
        error.contains("no such device") && error.contains("here are"),
        "{error}"
    );
}
