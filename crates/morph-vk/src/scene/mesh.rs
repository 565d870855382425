//! Meshes: what lies on the device of each, and how far its upload is.

use std::sync::Arc;

use morph_core::{
    Aabb, MorphMesh, RestPose, ScatterTarget, Streams, pack_scatter, pack_set_table, pack_vertex_major,
};

use crate::desc::Method;
use crate::error::MorphError;
use crate::mesh_desc::MeshDesc;
use crate::range_allocator::Range;
use crate::scene::active::EntryCounts;
use crate::scene::budget::{Refusal, RefusalLimit};
use crate::scene::skin::HeldSkin;
use crate::scene::{BlockId, MeshId, Scene};

/// Where a mesh stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshState {
    /// Its bytes pass through the staging ring, a bounded number a frame. Instances show as soon as the rest pose is
    /// there, at rest until the deltas are.
    Uploading {
        /// Bytes recorded so far.
        done_bytes: u64,
        /// Bytes in all.
        total_bytes: u64,
    },
    /// All bytes were recorded; the next frame may use them.
    Resident,
    /// The deltas pass the budget, the device's binding limit, or the room in the geometry buffer. Instances are drawn
    /// at rest. Holds until [`reupload`](crate::MorphPass::reupload).
    Refused {
        /// Which limit.
        limit: RefusalLimit,
        /// Bytes that the deltas take.
        asked_bytes: u64,
        /// Bytes that the limit left.
        budget_bytes: u64,
    },
}

/// The deltas of a mesh, as the pass's method reads them.
#[derive(Debug)]
pub(super) enum DeltaLayout {
    VertexMajor {
        steps_offset: u32,
        entries_offset: u32,
        entry_words: u32,
        streams: Streams,
        /// Where the deltas of texture coordinates and colors start, where the layout asks for them and a target has
        /// some.
        set_tables: [Option<u32>; 2],
    },
    Scatter {
        targets: Vec<ScatterTarget>,
    },
}

#[derive(Debug)]
pub(super) enum Deltas {
    /// No target moves anything.
    Empty,
    Refused(Refusal),
    Held {
        range: Range,
        layout: DeltaLayout,
        /// Emptied once uploaded.
        words: Vec<u32>,
    },
}

/// How far the upload of a mesh is: bytes recorded, and the frame that recorded the last of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct UploadCursor {
    pub(super) rest_bytes: u64,
    pub(super) rest_frame: Option<u64>,
    pub(super) skin_bytes: u64,
    pub(super) skin_frame: Option<u64>,
    pub(super) delta_bytes: u64,
    pub(super) delta_frame: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Mesh {
    /// The engine's, for logs; may be empty.
    pub(super) name: String,
    pub(super) morph: Arc<MorphMesh>,
    pub(super) entry_counts: EntryCounts,
    pub(super) rest: RestPose,
    /// Around all vertices at rest.
    pub(super) rest_box: Aabb,
    pub(super) rest_range: Range,
    /// Vertices from one range of an instance to the next.
    pub(super) range_vertices: u64,
    pub(super) skin: Option<HeldSkin>,
    pub(super) deltas: Deltas,
    pub(super) upload: UploadCursor,
    pub(super) instance_count: u32,
    pub(super) blocks: Vec<BlockId>,
    /// For labels; no two meshes of a pass have the same one.
    pub(super) number: u32,
    /// The frame that last morphed an instance of it, so that a frame counts its meshes.
    pub(super) morphed_frame: u64,
}

impl Mesh {
    /// Whether the rest pose can be read by `frame`: bytes copied in a frame are first read in the next.
    pub(super) fn rest_ready(&self, frame: u64) -> bool {
        self.upload.rest_frame.is_some_and(|it| it < frame)
    }

    pub(super) fn skin_ready(&self, frame: u64) -> bool {
        self.skin.is_some() && self.upload.skin_frame.is_some_and(|it| it < frame)
    }

    pub(super) fn deltas_ready(&self, frame: u64) -> bool {
        matches!(self.deltas, Deltas::Held { .. }) && self.upload.delta_frame.is_some_and(|it| it < frame)
    }

    /// Goes back to where the upload stood before a frame that was dropped.
    pub(super) fn undo_upload(&mut self, before: UploadCursor) {
        let upload = &mut self.upload;
        upload.rest_bytes = upload.rest_bytes.min(before.rest_bytes);
        upload.skin_bytes = upload.skin_bytes.min(before.skin_bytes);
        upload.delta_bytes = upload.delta_bytes.min(before.delta_bytes);
        if upload.rest_bytes < self.rest_range.size_bytes {
            upload.rest_frame = None;
        }
        if self
            .skin
            .as_ref()
            .is_some_and(|it| upload.skin_bytes < it.range.size_bytes)
        {
            upload.skin_frame = None;
        }
        if matches!(&self.deltas, Deltas::Held { range, .. } if upload.delta_bytes < range.size_bytes) {
            upload.delta_frame = None;
        }
    }

    pub(super) fn delta_total_bytes(&self) -> u64 {
        match &self.deltas {
            Deltas::Held { range, .. } => range.size_bytes,
            _ => 0,
        }
    }
}

impl Scene {
    pub(super) fn mesh(&self, id: MeshId) -> Result<&Mesh, MorphError> {
        self.meshes
            .get(id)
            .ok_or(MorphError::StaleHandle { kind: "mesh" })
    }

    pub(crate) fn morph_mesh(&self, id: MeshId) -> Result<&Arc<MorphMesh>, MorphError> {
        Ok(&self.mesh(id)?.morph)
    }

    pub(crate) fn add_mesh(&mut self, desc: MeshDesc) -> Result<MeshId, MorphError> {
        let MeshDesc {
            morph,
            rest,
            name,
            skin,
        } = desc;
        let constants = self.constants;
        if rest.layout() != constants.layout {
            return Err(MorphError::LayoutMismatch {
                given: Box::new(rest.layout()),
                right: Box::new(constants.layout),
            });
        }
        if rest.vertex_count() != morph.vertex_count() {
            return Err(MorphError::VertexCountMismatch {
                rest: rest.vertex_count(),
                targets: morph.vertex_count(),
            });
        }
        if rest.vertex_count() == 0 {
            return Err(MorphError::EmptyMesh);
        }
        let rest_bytes = rest.bytes().len() as u64;
        let vertex_count = u64::from(rest.vertex_count());
        let range_vertices = vertex_count.next_multiple_of(self.geometry.space().vertex_alignment);
        let instance_bytes =
            range_vertices * constants.longest_stride_bytes() * constants.ranges_per_instance();
        for (what, asked_bytes) in [
            ("an instance's vertices", instance_bytes),
            ("a rest pose", rest_bytes),
        ] {
            if asked_bytes > constants.max_range_bytes {
                return Err(MorphError::DeviceLimit {
                    what,
                    asked_bytes,
                    limit_bytes: constants.max_range_bytes,
                });
            }
        }
        let rest_range = self
            .geometry
            .allocate("a rest pose", rest_bytes, constants.storage_alignment)?;
        let streams = rest.streams();
        let skin = match skin.map(|skin| self.hold_skin(skin, &streams)) {
            Some(Err(error)) => {
                self.geometry.release(rest_range);
                return Err(error);
            }
            Some(Ok(skin)) => Some(skin),
            None => None,
        };
        let deltas = self.hold_deltas(&morph, &name);
        let number = self.next_mesh_number;
        self.next_mesh_number = number.wrapping_add(1);
        let id = self.meshes.insert(Mesh {
            name,
            entry_counts: EntryCounts::of(&morph, constants.drawn_sets()),
            morph,
            rest_box: Aabb::of(&streams.positions),
            rest,
            rest_range,
            range_vertices,
            skin,
            deltas,
            upload: UploadCursor::default(),
            instance_count: 0,
            blocks: Vec::new(),
            number,
            morphed_frame: 0,
        });
        self.uploads.push_back(id);
        Ok(id)
    }

    /// Packs the deltas of a mesh and finds room for them, or says why not.
    fn hold_deltas(&mut self, morph: &MorphMesh, name: &str) -> Deltas {
        let sets = self.constants.drawn_sets();
        let set_bytes = sets.map(|set| set.map_or(0, |set| morph.set_table_size_bytes(set)));
        if morph.entry_count() == 0 && set_bytes == [0; 2] {
            return Deltas::Empty;
        }
        let layout = match self.constants.method {
            Method::Gather => morph_core::Layout::VertexMajor,
            Method::Scatter => morph_core::Layout::Scatter,
        };
        // Asked before anything is packed, so that a mesh which is refused costs no memory.
        let asked_bytes = morph.size_bytes(layout) + set_bytes.iter().sum::<u64>();
        let range = match self.reserve_deltas(name, asked_bytes) {
            Ok(range) => range,
            Err(refusal) => return Deltas::Refused(refusal),
        };
        let (layout, words) = match self.constants.method {
            Method::Gather => {
                let mut packed = pack_vertex_major(morph);
                let set_tables = sets.map(|set| {
                    let table = set.map(|set| pack_set_table(morph, set)).unwrap_or_default();
                    let first = packed.words.len() as u32;
                    packed.words.extend_from_slice(&table);
                    (!table.is_empty()).then_some(first)
                });
                let layout = DeltaLayout::VertexMajor {
                    steps_offset: packed.steps_offset,
                    entries_offset: packed.entries_offset,
                    entry_words: packed.entry_words,
                    streams: packed.streams,
                    set_tables,
                };
                (layout, packed.words)
            }
            Method::Scatter => {
                let packed = pack_scatter(morph);
                (
                    DeltaLayout::Scatter {
                        targets: packed.targets,
                    },
                    packed.words,
                )
            }
        };
        debug_assert_eq!(
            words.len() as u64 * 4,
            asked_bytes,
            "size_bytes disagrees with the packer"
        );
        Deltas::Held { range, layout, words }
    }

    pub(crate) fn mesh_state(&self, id: MeshId) -> Result<MeshState, MorphError> {
        let mesh = self.mesh(id)?;
        if let Deltas::Refused(refusal) = mesh.deltas {
            return Ok(MeshState::Refused {
                limit: refusal.limit,
                asked_bytes: refusal.asked_bytes,
                budget_bytes: refusal.budget_bytes,
            });
        }
        let deltas_done = matches!(mesh.deltas, Deltas::Empty) || mesh.upload.delta_frame.is_some();
        let skin_done = mesh.skin.is_none() || mesh.upload.skin_frame.is_some();
        if mesh.upload.rest_frame.is_some() && skin_done && deltas_done {
            return Ok(MeshState::Resident);
        }
        let skin_bytes = mesh.skin.as_ref().map_or(0, |it| it.range.size_bytes);
        Ok(MeshState::Uploading {
            done_bytes: mesh.upload.rest_bytes + mesh.upload.skin_bytes + mesh.upload.delta_bytes,
            total_bytes: mesh.rest_range.size_bytes + skin_bytes + mesh.delta_total_bytes(),
        })
    }

    /// Sends a mesh again: a refusal is judged anew, and what lies on the device is written over.
    pub(crate) fn reupload(&mut self, id: MeshId) -> Result<MeshState, MorphError> {
        let mesh = self.mesh(id)?;
        let (morph, name) = (Arc::clone(&mesh.morph), mesh.name.clone());
        self.release_deltas(id);
        let deltas = self.hold_deltas(&morph, &name);
        let mesh = &mut self.meshes[id];
        mesh.deltas = deltas;
        if let Some(skin) = &mut mesh.skin {
            skin.pack_again();
        }
        mesh.upload = UploadCursor::default();
        if !self.uploads.contains(&id) {
            self.uploads.push_back(id);
        }
        self.write_again(|instance| instance.mesh == id);
        self.mesh_state(id)
    }

    pub(crate) fn remove_mesh(&mut self, id: MeshId) -> Result<(), MorphError> {
        let mesh = self.mesh(id)?;
        if mesh.instance_count > 0 {
            return Err(MorphError::MeshInUse {
                instance_count: mesh.instance_count,
            });
        }
        // What is left are reserved blocks.
        for block in mesh.blocks.clone() {
            self.remove_block(block);
        }
        self.release_deltas(id);
        if let Some(mesh) = self.meshes.remove(id) {
            self.geometry.release(mesh.rest_range);
            if let Some(skin) = &mesh.skin {
                self.release_skin(skin);
            }
        }
        self.uploads.retain(|it| *it != id);
        Ok(())
    }

    fn release_deltas(&mut self, id: MeshId) {
        let deltas = std::mem::replace(&mut self.meshes[id].deltas, Deltas::Empty);
        if let Deltas::Held { range, .. } = deltas {
            self.geometry.release(range);
            self.delta_bytes -= range.size_bytes;
        }
    }
}
