//! Counting the live Vulkan objects of a device, and making its calls fail.
//!
//! [`ObjectWatch`] stands between everybody and the device's functions. Every device of [`Driver`](crate::Driver) has
//! one, and ends with a panic where an object outlived it or was destroyed twice, so that every test that makes a
//! device also tests that nothing leaks.

mod functions;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ash::vk;
use morph_render::{DeviceWatch, HeadlessDevice};

/// Watched devices by their handles: Vulkan's functions carry nothing else that would tell whose they are.
static DEVICES: Mutex<BTreeMap<vk::Device, Arc<Watched>>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic leaves behind is whole: every change is one call.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watched(device: vk::Device) -> Option<Arc<Watched>> {
    lock(&DEVICES).get(&device).cloned()
}

/// Counts the objects of one device; a cheap handle.
#[derive(Debug, Clone, Default)]
pub struct ObjectWatch(Arc<Watched>);

#[derive(Default)]
struct Watched {
    original: OnceLock<ash::DeviceFnV1_0>,
    objects: Mutex<Objects>,
    /// Calls so far that make or reserve something.
    creation_count: AtomicU64,
    /// The number of the one that fails; zero for none.
    failing_creation: AtomicU64,
    failure: AtomicI32,
    is_lost: AtomicBool,
}

#[derive(Debug, Default)]
struct Objects {
    /// How often each handle is alive: drivers may hand out one handle for two equal objects.
    live: HashMap<(&'static str, u64), u32>,
    /// Kinds of what was destroyed without being alive.
    surplus: Vec<&'static str>,
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Watched")
            .field("objects", &lock(&self.objects))
            .finish_non_exhaustive()
    }
}

impl ObjectWatch {
    /// For [`HeadlessDesc::watch`](morph_render::HeadlessDesc::watch) of one device.
    pub fn new() -> ObjectWatch {
        ObjectWatch::default()
    }

    /// The watch of a device, where it has one.
    pub fn of(device: &HeadlessDevice) -> Option<ObjectWatch> {
        watched(device.device().handle()).map(ObjectWatch)
    }

    /// Live objects by kind, without kinds that have none.
    pub fn live(&self) -> BTreeMap<&'static str, u32> {
        let mut counts = BTreeMap::new();
        for ((kind, _), count) in &lock(&self.0.objects).live {
            *counts.entry(*kind).or_default() += count;
        }
        counts
    }

    /// What is wrong with the objects of a device that has ended.
    ///
    /// # Errors
    /// Objects that are still alive, or were destroyed more often than made.
    pub fn check_end(&self) -> Result<(), String> {
        let (live, surplus) = (self.live(), &lock(&self.0.objects).surplus);
        if live.is_empty() && surplus.is_empty() {
            return Ok(());
        }
        let live: Vec<_> = live
            .iter()
            .map(|(kind, count)| format!("{count} × {kind}"))
            .collect();
        Err(format!(
            "alive when their device ended: [{}]; destroyed without being alive: [{}]",
            live.join(", "),
            surplus.join(", ")
        ))
    }

    /// How many calls so far made or reserved something: create, allocate, bind, map.
    pub fn creation_count(&self) -> u64 {
        self.0.creation_count.load(Ordering::SeqCst)
    }

    /// Lets the `number`th of such calls from now on fail, the first being 1, without reaching the driver; zero lets
    /// none fail. Only that one fails.
    pub fn fail_creation(&self, number: u64, failure: vk::Result) {
        self.0.failure.store(failure.as_raw(), Ordering::SeqCst);
        let failing = if number == 0 {
            0
        } else {
            self.creation_count() + number
        };
        self.0.failing_creation.store(failing, Ordering::SeqCst);
    }

    /// From now on every such call, and every question to the device, says that the device is lost.
    pub fn lose_device(&self) {
        self.0.is_lost.store(true, Ordering::SeqCst);
    }
}

impl DeviceWatch for ObjectWatch {
    fn begin(&self, device: ash::Device) -> ash::Device {
        if self.0.original.set(device.fp_v1_0().clone()).is_err() {
            // A watch of another device: this one goes unwatched rather than mixed up with it.
            return device;
        }
        lock(&DEVICES).insert(device.handle(), Arc::clone(&self.0));
        functions::replaced(&device)
    }

    fn end(&self) {
        let outcome = self.check_end();
        // A test that has failed already may have left anything behind.
        if !std::thread::panicking() {
            outcome.unwrap_or_else(|problem| panic!("{problem}"));
        }
    }
}

impl Watched {
    fn question_failure(&self) -> Option<vk::Result> {
        self.is_lost
            .load(Ordering::SeqCst)
            .then_some(vk::Result::ERROR_DEVICE_LOST)
    }

    /// Counts a creating call, and says how it fails where it should.
    fn creation_failure(&self) -> Option<vk::Result> {
        let number = self.creation_count.fetch_add(1, Ordering::SeqCst) + 1;
        if number == self.failing_creation.load(Ordering::SeqCst) {
            return Some(vk::Result::from_raw(self.failure.load(Ordering::SeqCst)));
        }
        self.question_failure()
    }

    fn made(&self, kind: &'static str, handle: impl vk::Handle + Copy) {
        if !handle.is_null() {
            *lock(&self.objects)
                .live
                .entry((kind, handle.as_raw()))
                .or_default() += 1;
        }
    }

    fn destroyed(&self, kind: &'static str, handle: impl vk::Handle + Copy) {
        if handle.is_null() {
            return;
        }
        let key = (kind, handle.as_raw());
        let mut objects = lock(&self.objects);
        match objects.live.get_mut(&key) {
            Some(1) => {
                objects.live.remove(&key);
            }
            Some(count) => *count -= 1,
            None => objects.surplus.push(kind),
        }
    }
}
