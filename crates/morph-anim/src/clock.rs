//! Where in a clip the time is.

/// What happens at the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LoopMode {
    /// The clip stops there, and at its beginning when it runs backward.
    Once,
    /// It begins anew.
    #[default]
    Loop,
    /// It runs back, and at the beginning forward again.
    PingPong,
}

/// A time, a speed or a step that is NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a {what} of {value} was given: it must be a finite number")]
pub struct ClockError {
    /// What was given: a `time`, `speed` or `step`.
    pub what: &'static str,
    /// The value.
    pub value: f64,
}

/// The time in a clip: from zero to its duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    duration: f64,
    loop_mode: LoopMode,
    speed: f64,
    /// The time; under [`LoopMode::PingPong`] it goes on up to twice the duration, the second half being the way back.
    phase: f64,
}

impl Clock {
    /// A clock at zero that runs forward at the speed of one.
    ///
    /// A duration that is no finite number above zero counts as zero: the clock stands.
    pub fn new(duration: f32, loop_mode: LoopMode) -> Self {
        let duration = if duration.is_finite() {
            duration.max(0.0)
        } else {
            0.0
        };
        Clock {
            duration: f64::from(duration),
            loop_mode,
            speed: 1.0,
            phase: 0.0,
        }
    }

    /// The time in the clip in seconds, from zero to the duration.
    pub fn time(&self) -> f32 {
        let time = if self.phase > self.duration {
            2.0 * self.duration - self.phase
        } else {
            self.phase
        };
        time as f32
    }

    /// The duration in seconds.
    pub fn duration(&self) -> f32 {
        self.duration as f32
    }

    /// Seconds of the clip that pass in a second; below zero it runs backward.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// What happens at the end.
    pub fn loop_mode(&self) -> LoopMode {
        self.loop_mode
    }

    /// Sets the speed. Zero holds the clip where it is.
    ///
    /// # Errors
    /// For NaN and infinity; then the speed stays.
    pub fn set_speed(&mut self, speed: f64) -> Result<(), ClockError> {
        self.speed = finite("speed", speed)?;
        Ok(())
    }

    /// Sets what happens at the end, and keeps the time.
    pub fn set_loop_mode(&mut self, loop_mode: LoopMode) {
        self.phase = f64::from(self.time());
        self.loop_mode = loop_mode;
    }

    /// Goes to a time in seconds; one outside the clip is brought in as if the clip had run there from its beginning.
    ///
    /// # Errors
    /// For NaN and infinity; then the time stays.
    pub fn seek(&mut self, time: f64) -> Result<(), ClockError> {
        self.phase = self.brought_in(finite("time", time)?);
        Ok(())
    }

    /// Lets some seconds pass, times the speed.
    ///
    /// # Errors
    /// For NaN and infinity, also as the product with the speed; then the time stays.
    pub fn advance(&mut self, seconds: f64) -> Result<(), ClockError> {
        let step = finite("step", finite("step", seconds)? * self.speed)?;
        self.phase = self.brought_in(finite("step", self.phase + step)?);
        Ok(())
    }

    /// Whether a clip that is played once has come to where it stops.
    pub fn is_finished(&self) -> bool {
        self.loop_mode == LoopMode::Once
            && ((self.speed > 0.0 && self.phase >= self.duration) || (self.speed < 0.0 && self.phase <= 0.0))
    }

    fn brought_in(&self, phase: f64) -> f64 {
        match self.loop_mode {
            _ if self.duration == 0.0 => 0.0,
            LoopMode::Once => phase.clamp(0.0, self.duration),
            LoopMode::Loop => phase.rem_euclid(self.duration),
            LoopMode::PingPong => phase.rem_euclid(2.0 * self.duration),
        }
    }
}

fn finite(what: &'static str, value: f64) -> Result<f64, ClockError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ClockError { what, value })
    }
}
