//! Where output goes: results to one stream, everything said beside them to the other.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::error::CliError;
use crate::text::readable;

/// How long a step may take before it is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The two output streams of the program.
pub struct Console<'a> {
    out: Box<dyn Write + 'a>,
    notes: Box<dyn Write + 'a>,
    shows_progress: bool,
    has_colors: bool,
}

impl<'a> Console<'a> {
    /// Standard output and standard error; progress is shown where standard error is a terminal.
    pub fn standard() -> Console<'static> {
        Console {
            out: Box::new(io::BufWriter::new(io::stdout())),
            notes: Box::new(io::stderr()),
            shows_progress: io::stderr().is_terminal(),
            has_colors: io::stderr().is_terminal()
                && io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none(),
        }
    }

    /// Any two streams, without progress.
    pub fn to(out: impl Write + 'a, notes: impl Write + 'a) -> Self {
        Console {
            out: Box::new(out),
            notes: Box::new(notes),
            shows_progress: false,
            has_colors: false,
        }
    }

    /// Whether both streams are terminals that show colors.
    pub(crate) fn has_colors(&self) -> bool {
        self.has_colors
    }

    /// Writes a result, and sends it on its way.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), CliError> {
        let written = self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush());
        match written {
            // Whoever reads has enough, as `head` does.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(source) => Err(CliError::Print { source }),
            Ok(()) => Ok(()),
        }
    }

    /// Says something that deserves attention and stops nothing.
    pub(crate) fn warn(&mut self, warning: impl fmt::Display) {
        let warning = readable(&warning.to_string());
        self.note(format_args!("warning: {warning}"));
    }

    /// Writes a line beside the results.
    pub(crate) fn note(&mut self, line: impl fmt::Display) {
        // There is nowhere left to say that this failed.
        let _ = writeln!(self.notes, "{line}");
    }

    /// Runs a step, and shows that it is running if it takes longer than a second.
    pub(crate) fn step<T>(&self, what: impl Into<String>, run: impl FnOnce() -> T) -> T {
        let _progress = self.shows_progress.then(|| Progress::start(what.into()));
        run()
    }
}

impl fmt::Debug for Console<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console")
            .field("shows_progress", &self.shows_progress)
            .finish_non_exhaustive()
    }
}

/// Shows a spinner from its second second until it is dropped.
struct Progress {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    fn start(what: String) -> Self {
        let (done, wait) = channel();
        let thread = std::thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_elapsed(PATIENCE);
            // The template is a constant; a spinner of the usual look is no loss if it were wrong.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            bar.set_message(what);
            bar.enable_steady_tick(Duration::from_millis(120));
            let _ = wait.recv();
            bar.finish_and_clear();
        });
        Progress {
            done: Some(done),
            thread: Some(thread),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        // Hanging up is the message.
        self.done.take();
        if let Some(thread) = self.thread.take() {
            // A spinner that panicked is no reason to fail.
            let _ = thread.join();
        }
    }
}
