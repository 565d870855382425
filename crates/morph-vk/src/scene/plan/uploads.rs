//! Meshes on their way to the device, as many bytes a frame as the staging ring has left.

use morph_core::plan::{CopyPurpose, CopyStep, Interval, PlanBuffer};

use crate::scene::Scene;
use crate::scene::mesh::Deltas;
use crate::stats::FrameStats;

use super::Scratch;

impl Scene {
    /// Packed words are kept until the frame that sent the last of them is done, in case it is discarded.
    pub(in crate::scene) fn drop_uploaded_words(&mut self) {
        let completed = self.completed_frame;
        let meshes = &mut self.meshes;
        self.packed.retain(|id| {
            let Some(mesh) = meshes.get_mut(*id) else {
                return false;
            };
            let is_done = |frame: u64| frame <= completed;
            let (skin, deltas) = (mesh.upload.skin_frame, mesh.upload.delta_frame);
            if let (true, Some(skin)) = (skin.is_some_and(is_done), &mut mesh.skin) {
                skin.words = Vec::new();
            }
            if let (true, Deltas::Held { words, .. }) = (deltas.is_some_and(is_done), &mut mesh.deltas) {
                *words = Vec::new();
            }
            [skin, deltas].into_iter().flatten().any(|frame| !is_done(frame))
        });
    }

    /// Sends on as much of the waiting meshes as the slot's staging still holds.
    pub(in crate::scene) fn plan_uploads(
        &mut self,
        scratch: &mut Scratch,
        slot: u32,
        staging: &mut [u8],
        staged: u64,
        stats: &mut FrameStats,
    ) {
        let base = self.staging_offset(slot);
        let mut cursor = staged.next_multiple_of(16) as usize;
        while let Some(&id) = self.uploads.front() {
            let Some(mesh) = self.meshes.get_mut(id) else {
                self.uploads.pop_front();
                continue;
            };
            let before = mesh.upload;
            let frame = self.frame;
            let mut send = |bytes: &[u8], destination_offset: u64| {
                let room = staging.len().saturating_sub(cursor) & !15;
                let taken = bytes.len().min(room);
                if taken > 0 {
                    staging[cursor..cursor + taken].copy_from_slice(&bytes[..taken]);
                    scratch.copies.push(CopyStep {
                        purpose: CopyPurpose::Upload,
                        source: Interval {
                            buffer: PlanBuffer::Staging,
                            offset: base + cursor as u64,
                            size_bytes: taken as u64,
                        },
                        destination: PlanBuffer::Geometry,
                        destination_offset,
                    });
                    cursor = (cursor + taken).next_multiple_of(16);
                    stats.uploaded_bytes += taken as u64;
                }
                taken as u64
            };
            if mesh.upload.rest_frame.is_none() {
                let done = mesh.upload.rest_bytes;
                let bytes = &mesh.rest.bytes()[done as usize..];
                let sent = send(bytes, mesh.rest_range.offset + done);
                mesh.upload.rest_bytes += sent;
                if mesh.upload.rest_bytes == mesh.rest_range.size_bytes {
                    mesh.upload.rest_frame = Some(frame);
                }
            }
            let mut finished = mesh.upload.rest_frame.is_some();
            if let (true, None, Some(skin)) = (finished, mesh.upload.skin_frame, &mesh.skin) {
                let done = mesh.upload.skin_bytes;
                let bytes = &bytemuck::cast_slice(&skin.words)[done as usize..];
                mesh.upload.skin_bytes += send(bytes, skin.range.offset + done);
                finished = mesh.upload.skin_bytes == skin.range.size_bytes;
                if finished {
                    mesh.upload.skin_frame = Some(frame);
                    self.packed.push(id);
                }
            }
            if let (true, Deltas::Held { range, words, .. }) = (finished, &mesh.deltas) {
                let done = mesh.upload.delta_bytes;
                let bytes = &bytemuck::cast_slice(words)[done as usize..];
                let sent = send(bytes, range.offset + done);
                finished = done + sent == range.size_bytes;
                mesh.upload.delta_bytes += sent;
                if finished {
                    mesh.upload.delta_frame = Some(frame);
                    self.packed.push(id);
                }
            }
            if mesh.upload != before {
                self.slots[slot as usize].uploads.push((id, before));
            }
            if !finished {
                break;
            }
            self.uploads.pop_front();
        }
    }
}
