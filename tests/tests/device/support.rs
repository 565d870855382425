//! What several modules of tests need.

use std::fmt::Debug;
use std::io::Write;
use std::sync::{Arc, Mutex};

use morph_core::{Quantization, VertexLayout};
use morph_render::{DeformerDesc, HeadlessDevice, pass_desc};
use morph_tests::recipe::{Cooked, MeshRecipe};
use morph_tests::world::difference;
use morph_validation::{Driver, Rig, expected_bytes};
use morph_vk::{Capacities, InstanceId, MeshDesc, MeshId, Method, MorphPassDesc};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

/// Runs something on a fresh device of every driver at hand.
pub(crate) fn on_every_driver(mut run: impl FnMut(&Driver, &HeadlessDevice)) {
    for driver in morph_tests::test_drivers() {
        let device = driver.device().unwrap();
        run(&driver, &device);
    }
}

/// Both methods.
pub(crate) const METHODS: [Method; 2] = [Method::Gather, Method::Scatter];

/// The layout of most tests.
pub(crate) const LAYOUT: VertexLayout = VertexLayout::PACKED;

/// A pass with room enough for small tests, and two frames in flight.
pub(crate) fn small_pass(device: &HeadlessDevice, method: Method) -> MorphPassDesc {
    let capacities = Capacities::new(4 << 20, 64, 64);
    pass_desc(
        device,
        &DeformerDesc {
            layout: LAYOUT,
            method,
            history: false,
            capacities,
        },
    )
}

/// The same with history.
pub(crate) fn history_pass(device: &HeadlessDevice, method: Method) -> MorphPassDesc {
    MorphPassDesc {
        history: true,
        ..small_pass(device, method)
    }
}

/// A mesh with this many vertices and targets.
pub(crate) fn mesh(vertex_count: u32, target_count: usize) -> Cooked {
    MeshRecipe::plain(
        vertex_count,
        target_count,
        Quantization::Half,
        u64::from(vertex_count),
    )
    .cook(LAYOUT)
}

/// Adds a cooked mesh.
pub(crate) fn add(rig: &mut Rig, cooked: &Cooked) -> MeshId {
    rig.pass_mut()
        .add_mesh(MeshDesc::new(Arc::clone(&cooked.morph), cooked.rest.clone()))
        .unwrap()
}

/// Adds a cooked mesh with instances, and waits until all is there.
pub(crate) fn settled(rig: &mut Rig, cooked: &Cooked, instance_count: u32) -> (MeshId, Vec<InstanceId>) {
    let mesh = add(rig, cooked);
    let instances = (0..instance_count)
        .map(|_| rig.pass_mut().attach(mesh).unwrap())
        .collect();
    rig.settle().unwrap();
    (mesh, instances)
}

/// The bytes of what an instance shows.
pub(crate) fn shown(rig: &mut Rig, id: InstanceId) -> Vec<u8> {
    let range = rig.pass().vertex_range(id).expect("a live instance has a range");
    assert!(range.written, "nothing was ever written");
    rig.read_current(range).unwrap()
}

/// An instance must show what the host gives for these weights.
#[track_caller]
pub(crate) fn assert_shows(rig: &mut Rig, id: InstanceId, cooked: &Cooked, weights: &[f32]) {
    let found = shown(rig, id);
    let expected = expected_bytes(&cooked.morph, &cooked.rest, weights).unwrap();
    assert!(
        found == expected,
        "{}",
        difference(&cooked.rest, &expected, &found)
    );
}

/// What is logged while something runs on this thread.
pub(crate) fn logged(run: impl FnOnce()) -> String {
    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);
    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let sink = Sink::default();
    let writer = sink.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, run);
    let bytes = sink.0.lock().unwrap();
    String::from_utf8(bytes.clone()).unwrap()
}

/// Checks random values, the same in every run unless `MORPH_SEED` is set; what fails is shrunk and printed.
pub(crate) fn check_random<S: Strategy>(
    name: &str,
    case_count: u32,
    strategy: S,
    check: impl Fn(S::Value) -> Result<(), String>,
) where
    S::Value: Debug,
{
    let mut config = Config::with_cases(case_count);
    config.failure_persistence = None;
    config.max_shrink_iters = 400;
    let mut seed = [0_u8; 32];
    if let Some(text) = std::env::var_os("MORPH_SEED") {
        for (byte, given) in seed.iter_mut().zip(text.to_string_lossy().bytes()) {
            *byte = given;
        }
    }
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    match runner.run(&strategy, |value| check(value).map_err(TestCaseError::fail)) {
        Ok(()) => {}
        Err(TestError::Fail(reason, value)) => {
            panic!("{name}: {reason}\nsmallest scene that fails:\n{value:#?}")
        }
        Err(TestError::Abort(reason)) => panic!("{name}: {reason}"),
    }
}
