//! `cargo xtask demo`: a real head changes its expression on whatever device this machine has.

use std::path::{Path, PathBuf};

use crate::model::{self, Model};
use crate::run::{cargo, run};
use crate::setup::{self, Purpose};

/// What a person may choose.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Model to show (glTF, GLB, or a MakeHuman OBJ with `targets/` beside it); without it the MakeHuman head.
    file: Option<PathBuf>,
    /// Device to use: part of its name, such as `llvmpipe`.
    #[arg(long, value_name = "SUBSTRING")]
    driver: Option<String>,
    /// Folder for the pictures.
    #[arg(long, value_name = "FOLDER", default_value = "target/demo")]
    out: PathBuf,
}

/// Installs what is missing, fetches the model and runs the demo.
pub(crate) fn run_demo(root: &Path, arguments: &Arguments) -> anyhow::Result<()> {
    let environment = setup::prepare(root, Purpose::Demo, false)?;
    // The demo runs in the workspace root, so a path is made absolute where the person stands.
    let here = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let model = match &arguments.file {
        Some(file) => Some(here(file)),
        None => match model::fetch(root)? {
            Model::Here(path) => Some(path),
            Model::NotAvailable(reason) => {
                println!("model: not available ({reason}); the demo generates a head instead");
                None
            }
        },
    };
    // The default folder is the workspace's, wherever the command is typed.
    let out = if arguments.out == Path::new("target/demo") {
        root.join("target/demo")
    } else {
        here(&arguments.out)
    };
    println!("demo: building (some minutes the first time)");
    let mut command = cargo(root);
    command.args([
        "run",
        "--release",
        "--package",
        "morph-examples",
        "--bin",
        "demo",
        "--",
    ]);
    if let Some(model) = &model {
        command.arg("--model").arg(model);
    }
    command.arg("--out").arg(&out);
    if let Some(driver) = &arguments.driver {
        command.arg("--driver").arg(driver);
    }
    environment.apply(&mut command);
    run(&mut command)?;
    println!("demo: the pictures are in {}", out.display());
    Ok(())
}
