//! Taking a recorded frame back.

use crate::scene::Scene;

impl Scene {
    /// Takes back what the slot last recorded: the engine dropped that frame.
    pub(crate) fn discard_frame(&mut self, slot: u32) {
        let mut log = std::mem::take(&mut self.slots[slot as usize]);
        let next_frame = self.frame + 1;
        for (id, before) in log.written.drain(..) {
            let Some(instance) = self.instances.get_mut(id) else {
                continue;
            };
            instance.undo(before, &log.held, log.frame, next_frame);
            self.note_bounds(id);
            self.enqueue(id);
        }
        if let Some(table) = &mut self.bounds_table {
            for index in log.bounds.drain(..) {
                table.send_again(index);
            }
        }
        // Nobody saw the frame, so nothing was first seen in it.
        for instance in self.instances.values_mut().filter(|it| it.seen_from == log.frame) {
            instance.seen_from = next_frame;
        }
        if log.frame > 0 {
            self.kept_frames -= 1;
        }
        // It says nothing about which frames the device is done with: the slot's next frame must not take it for one.
        log.frame = 0;
        for (id, before) in log.uploads.drain(..) {
            let Some(mesh) = self.meshes.get_mut(id) else {
                continue;
            };
            mesh.undo_upload(before);
            if !self.uploads.contains(&id) {
                self.uploads.push_back(id);
            }
        }
        self.slots[slot as usize] = log;
    }
}
