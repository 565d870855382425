//! The program `morph`; everything it does is in the library `morph_cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(manifest) = morph_cli::driver_to_add() {
        // SAFETY: this is the first thing that the program does, so no other thread reads the environment.
        unsafe { std::env::set_var(morph_cli::ADD_DRIVERS_VARIABLE, manifest) };
    }
    let mut console = morph_cli::Console::standard();
    ExitCode::from(morph_cli::run(std::env::args_os(), &mut console))
}
