//! What the engine's view decides: instances that jump, that are far, and the boxes around all of them.

use morph_core::RestPose;
use morph_render::{readback, unpack};
use morph_vk::VertexRange;
use morph_vk::shader_interface::InstanceBounds;

use super::{Actor, Outcome, World, text};
use crate::scene::Operation;

impl World {
    /// A jump, or another size on the screen.
    pub(super) fn apply_view(&mut self, operation: Operation) -> Outcome {
        let actor_count = self.actors.len();
        let pick_actor = |number: u32| (actor_count > 0).then(|| number as usize % actor_count);
        match operation {
            Operation::Teleport { actor } => {
                if let Some(number) = pick_actor(actor) {
                    self.actors[number].teleported = true;
                    self.rig
                        .pass_mut()
                        .teleport(self.actors[number].id)
                        .map_err(text)?;
                }
            }
            Operation::Pixels { actor, sixteenths } => {
                if let Some(number) = pick_actor(actor) {
                    let pixels = sixteenths.map_or(f32::INFINITY, |count| count as f32 / 16.0);
                    self.actors[number].pixels = pixels;
                    self.rig
                        .pass_mut()
                        .set_pixels_per_unit(self.actors[number].id, pixels)
                        .map_err(text)?;
                    self.is_quiet = false;
                }
            }
            Operation::SkipBelow { sixteenths } => {
                self.skip_below_pixels = sixteenths as f32 / 16.0;
                self.rig
                    .pass_mut()
                    .set_skip_below_pixels(self.skip_below_pixels)
                    .map_err(text)?;
                self.is_quiet = false;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether an instance that was shown before may still show what it did, because no vertex is as far from where it
    /// should be as the pixels that may be left out.
    pub(super) fn is_left_out(
        &self,
        actor: &Actor,
        rest: &RestPose,
        expected: &[u8],
        found: &[u8],
        range: VertexRange,
    ) -> bool {
        let before = self.vertices(&self.snapshot, range.current_first_vertex, range.vertex_count);
        let is_as_before = actor.shown.is_some() && *found == before[..];
        let most = f64::from(self.skip_below_pixels) / f64::from(actor.pixels);
        let positions = |bytes: &[u8]| unpack(rest.layout(), bytes).positions;
        let pairs = positions(expected).into_iter().zip(positions(found));
        is_as_before
            && pairs.into_iter().all(|(a, b)| {
                let apart: f64 = (0..3)
                    .map(|axis| (f64::from(a[axis]) - f64::from(b[axis])).powi(2))
                    .sum();
                a == b || apart.sqrt() < most
            })
    }

    /// Every vertex of a range lies in the instance's box, on the host and on the device.
    pub(super) fn check_bounds(
        &self,
        number: usize,
        range: VertexRange,
        boxes: &[InstanceBounds],
        now: &[u8],
    ) -> Outcome {
        let actor = &self.actors[number];
        let pass = self.rig.pass();
        let context = format!("frame {}, instance {number}", self.tally.frame_count);
        let host = pass.bounds(actor.id).map_err(text)?;
        let device = match pass.bounds_index(actor.id) {
            Some(index) => boxes
                .get(index as usize)
                .ok_or_else(|| format!("{context}: entry {index} of {}", boxes.len()))?
                .aabb(),
            // A pass without boxes on the device.
            None => host,
        };
        if !range.written {
            return if device.is_empty() || pass.bounds_buffer().is_none() {
                Ok(())
            } else {
                Err(format!("{context}: {device:?} around nothing"))
            };
        }
        let shown = self.vertices(now, range.current_first_vertex, range.vertex_count);
        let rest = &self.meshes[actor.mesh].cooked.rest;
        for position in unpack(rest.layout(), &shown).positions {
            // Weights may be so large that vertices are no numbers any more; a box cannot hold them.
            let is_number = position.iter().all(|x| x.is_finite());
            if is_number && !(host.contains(position) && device.contains(position)) {
                return Err(format!(
                    "{context}: {position:?} is not in {host:?} and {device:?}"
                ));
            }
        }
        Ok(())
    }

    /// The entries of the table of bounds that mean something.
    pub(super) fn read_bounds(&self) -> Result<Vec<InstanceBounds>, String> {
        let pass = self.rig.pass();
        let count = u64::from(pass.bounds_entry_count());
        let Some(buffer) = pass.bounds_buffer().filter(|_| count > 0) else {
            return Ok(Vec::new());
        };
        let entry_bytes = size_of::<InstanceBounds>();
        // SAFETY: the buffer is the pass's, may be copied from, has so many entries, and the frame is done.
        let bytes = unsafe { readback(self.rig.device(), buffer, 0, count * entry_bytes as u64) };
        let bytes = bytes.map_err(text)?;
        Ok(bytes
            .chunks_exact(entry_bytes)
            .map(bytemuck::pod_read_unaligned)
            .collect())
    }
}
