//! The three pictures.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context as _;
use image::RgbImage;
use morph_render::{HeadlessDevice, Pass, PassSet};

use super::expressions::Face;
use super::figure::Figure;
use super::lab::{Lab, Run};
use super::stage::Stage;
use super::{Arguments, film, sheet};

/// Everything that a picture is made from.
#[derive(Debug)]
pub struct Show<'a> {
    /// What the person chose.
    pub arguments: &'a Arguments,
    /// Where the figure stands.
    pub stage: &'a Stage,
    /// What stands there.
    pub figure: &'a Figure,
    /// The faces it can make.
    pub faces: &'a [Face],
    /// What draws.
    pub device: &'a HeadlessDevice,
}

/// The faces of the film, where the figure has them.
const SCRIPT: [&str; 5] = ["neutral", "laughter", "surprise", "anger", "kiss"];
/// Frames from one face to the next, those at rest on the face included.
const FRAMES_PER_FACE: usize = 12;
/// Frames that stay on a face.
const STILL_FRAMES: usize = 4;
/// Hundredths of a second a frame: 25 frames a second.
const FRAME_DELAY: u16 = 4;

impl Show<'_> {
    /// Width and height of a portrait of this height.
    fn portrait(height: u32) -> (u32, u32) {
        ((height * 4 / 5).max(1), height)
    }

    /// The contact sheet.
    pub fn expressions(&mut self, cast: &Lab, out: &mut impl Write) -> anyhow::Result<PathBuf> {
        let mut easel = self.stage.easel(Self::portrait(self.arguments.size))?;
        let mut tiles = Vec::new();
        for (index, face) in self.faces.iter().enumerate() {
            let range = cast.range(index).context("each face has an instance")?;
            self.stage
                .draw(&mut easel, cast.vertices(), range, PassSet::COLOR)?;
            tiles.push((face.name.clone(), easel.picture(Pass::Color)?));
        }
        let heading = format!(
            "{}: {} targets, {} instances in one pre-pass on {}",
            self.figure.name,
            self.figure.target_names.len(),
            self.faces.len(),
            self.device.device_name(),
        );
        self.save("expressions.png", &sheet::compose(&heading, 5, &tiles), out)
    }

    /// The four passes of one frame in which the face moves.
    pub fn passes(&mut self, actor: &mut Lab, out: &mut impl Write) -> anyhow::Result<(PathBuf, Vec<Run>)> {
        let (from, to) = (self.face("neutral", 0), self.face("laughter", 1));
        let runs = vec![
            actor.run([mix(from, to, 0.55).as_slice()])?,
            actor.run([mix(from, to, 0.85).as_slice()])?,
        ];
        let extent = Self::portrait(self.arguments.size * 8 / 5);
        let mut easel = self.stage.easel(extent)?;
        let range = actor.range(0).context("the actor is attached")?;
        self.stage
            .draw(&mut easel, actor.vertices(), range, PassSet::FOUR)?;
        let captions = [
            (Pass::Color, "forward color"),
            (Pass::Depth, "depth pre-pass"),
            (Pass::Shadow, "shadow map, from the key light"),
            (Pass::Motion, "motion vectors, in pixels"),
        ];
        let mut tiles = Vec::new();
        for (pass, caption) in captions {
            tiles.push((
                caption.to_owned(),
                sheet::letterbox(&easel.picture(pass)?, extent),
            ));
        }
        let heading = "four passes of one frame, all from one vertex range";
        Ok((
            self.save("passes.png", &sheet::compose(heading, 2, &tiles), out)?,
            runs,
        ))
    }

    /// The film.
    pub fn animation(
        &mut self,
        actor: &mut Lab,
        out: &mut impl Write,
    ) -> anyhow::Result<(PathBuf, Vec<Run>)> {
        let script: Vec<&Face> = SCRIPT
            .iter()
            .enumerate()
            .map(|(index, name)| self.face(name, index))
            .collect();
        let mut easel = self.stage.easel(Self::portrait(self.arguments.size * 6 / 5))?;
        let (mut frames, mut runs) = (Vec::new(), Vec::new());
        for frame in 0..script.len() * FRAMES_PER_FACE {
            let (index, step) = (frame / FRAMES_PER_FACE, frame % FRAMES_PER_FACE);
            let (from, to) = (script[index], script[(index + 1) % script.len()]);
            let moving = step.saturating_sub(STILL_FRAMES) as f32 / (FRAMES_PER_FACE - STILL_FRAMES) as f32;
            // Starts and ends without a jerk.
            let share = moving * moving * (3.0 - 2.0 * moving);
            let run = actor.run([mix(from, to, share).as_slice()])?;
            match frames.last() {
                // A face that stays costs nothing: the pre-pass recorded no command, and the picture is the same.
                Some(same) if run.stats.is_idle() => frames.push(RgbImage::clone(same)),
                _ => {
                    let range = actor.range(0).context("the actor is attached")?;
                    self.stage
                        .draw(&mut easel, actor.vertices(), range, PassSet::COLOR)?;
                    let name = if share < 0.5 { &from.name } else { &to.name };
                    frames.push(sheet::captioned(&easel.picture(Pass::Color)?, name));
                }
            }
            runs.push(run);
        }
        // Frames that recorded no dispatch (idle ones, and the face at rest, which is a copy) are no work worth a row.
        runs.retain(|run| run.stats.dispatches > 0);
        let path = self.arguments.out.join("animation.gif");
        write_whole(&path, |file| film::write(file, &frames, FRAME_DELAY))?;
        writeln!(out, "wrote {} ({} frames)", path.display(), frames.len())?;
        Ok((path, runs))
    }

    /// A face by name, or by number where the figure has other names.
    fn face(&self, name: &str, otherwise: usize) -> &Face {
        // There is always the face at rest.
        self.faces
            .iter()
            .find(|face| face.name == name)
            .unwrap_or_else(|| &self.faces[otherwise % self.faces.len()])
    }

    fn save(&self, name: &str, picture: &RgbImage, out: &mut impl Write) -> anyhow::Result<PathBuf> {
        let path = self.arguments.out.join(name);
        write_whole(&path, |file| {
            let encoder = image::codecs::png::PngEncoder::new(file);
            picture.write_with_encoder(encoder)?;
            Ok(())
        })?;
        writeln!(
            out,
            "wrote {} ({} x {})",
            path.display(),
            picture.width(),
            picture.height()
        )?;
        Ok(path)
    }
}

/// Weights between two faces.
fn mix(from: &Face, to: &Face, share: f32) -> Vec<f32> {
    from.weights
        .iter()
        .zip(&to.weights)
        .map(|(from, to)| from + (to - from) * share)
        .collect()
}

/// Writes a file beside its place and moves it there when it is whole, so that nobody finds half of one.
fn write_whole(
    path: &std::path::Path,
    write: impl FnOnce(&mut BufWriter<File>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let unfinished = path.with_extension("unfinished");
    let attempt = || -> anyhow::Result<()> {
        let mut file = BufWriter::new(File::create(&unfinished)?);
        write(&mut file)?;
        file.flush()?;
        drop(file);
        std::fs::rename(&unfinished, path)?;
        Ok(())
    };
    attempt()
        .with_context(|| format!("writing {}", path.display()))
        .inspect_err(|_| {
            // The error that is told is the one that mattered.
            let _ = std::fs::remove_file(&unfinished);
        })
}
