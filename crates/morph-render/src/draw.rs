//! The draws of a pass: for each item its pipeline, vertex streams, tables and push constants.

use ash::vk;
use glam::Mat4;

use crate::frame::DrawItem;
use crate::interface::{DrawConstants, MotionConstants, set, stream};
use crate::pipelines::{DRAW_STAGES, PassPipelines, Pipelines};
use crate::recorder::Recorder;

/// Draws items within one pass.
#[derive(Clone, Copy)]
pub(crate) struct Draws<'a> {
    pub(crate) recorder: Recorder<'a>,
    pub(crate) pipelines: &'a Pipelines,
    /// Bytes of a vertex.
    pub(crate) stride_bytes: u32,
}

impl Draws<'_> {
    /// Every item from its current range, with the pass's pipeline for its kind.
    pub(crate) fn draw(self, items: &[DrawItem], pipeline: fn(&PassPipelines) -> vk::Pipeline) {
        let mut bound = vk::Pipeline::null();
        for item in items {
            self.bind(item, pipeline, &mut bound);
            self.push(&draw_constants(item));
            self.draw_item(item);
        }
    }

    /// Every item from its current range, with the previous one beside it.
    pub(crate) fn motion(self, items: &[DrawItem]) {
        let mut bound = vk::Pipeline::null();
        for item in items {
            self.bind(item, |passes| passes.motion, &mut bound);
            self.bind_vertices(stream::PREVIOUS, item, item.previous_first_vertex);
            self.push(&motion_constants(item));
            self.draw_item(item);
        }
    }

    /// Binds what every pass needs of an item; `bound` is the pipeline that the item before left.
    fn bind(self, item: &DrawItem, pipeline: fn(&PassPipelines) -> vk::Pipeline, bound: &mut vk::Pipeline) {
        let pipeline = pipeline(if item.placement.is_some() {
            &self.pipelines.placed
        } else {
            &self.pipelines.plain
        });
        if *bound != pipeline {
            self.recorder.bind_pipeline(pipeline);
            *bound = pipeline;
        }
        self.bind_vertices(stream::CURRENT, item, item.current_first_vertex);
        if let Some(placement) = &item.placement {
            self.recorder
                .bind_set(self.pipelines.layout, set::PLACEMENT, placement.tables);
            let offset = u64::from(placement.first_id) * size_of::<u32>() as u64;
            self.recorder
                .bind_stream(stream::TRANSFORM_ID, placement.id_buffer, offset);
        }
    }

    fn bind_vertices(self, number: u32, item: &DrawItem, first_vertex: u32) {
        let offset = u64::from(first_vertex) * u64::from(self.stride_bytes);
        self.recorder.bind_stream(number, item.vertex_buffer, offset);
    }

    fn push(self, constants: &impl bytemuck::NoUninit) {
        let bytes = bytemuck::bytes_of(constants);
        self.recorder
            .push_constants(self.pipelines.layout, DRAW_STAGES, bytes);
    }

    fn draw_item(self, item: &DrawItem) {
        let recorder = self.recorder;
        let cull = if item.material.double_sided {
            vk::CullModeFlags::NONE
        } else {
            vk::CullModeFlags::BACK
        };
        // A mirroring matrix turns the winding around.
        let mirrored = item.model.determinant() < 0.0;
        let front = if mirrored {
            vk::FrontFace::CLOCKWISE
        } else {
            vk::FrontFace::COUNTER_CLOCKWISE
        };
        recorder.cull(cull, front);
        if item.index_buffer == vk::Buffer::null() {
            if item.vertex_count > 0 {
                recorder.draw(item.vertex_count);
            }
        } else if item.index_count > 0 {
            recorder.bind_index_buffer(item.index_buffer);
            recorder.draw_indexed(item.index_count, item.first_index);
        }
    }
}

fn draw_constants(item: &DrawItem) -> DrawConstants {
    let material = &item.material;
    let [placement, _] = table_words(item);
    DrawConstants {
        model: rows(&item.model),
        placement,
        base_color: material.base_color,
        roughness: material.roughness,
        subsurface: material.subsurface,
        specular: material.specular,
    }
}

fn motion_constants(item: &DrawItem) -> MotionConstants {
    let [placement, previous_placement] = table_words(item);
    MotionConstants {
        model: rows(&item.model),
        placement,
        previous_placement,
        previous_model: rows(&item.previous_model),
    }
}

/// How the shader finds the tables of this and of the last frame; zeros, which no plain module reads, without any.
fn table_words(item: &DrawItem) -> [[u32; 3]; 2] {
    item.placement.map_or([[0; 3]; 2], |placement| {
        [placement.current, placement.previous].map(|it| [it.first_word, it.row_count, it.stride])
    })
}

/// The upper three rows of an affine matrix.
fn rows(matrix: &Mat4) -> [f32; 12] {
    let mut rows = [0.0; 12];
    for (index, row) in rows.chunks_exact_mut(4).enumerate() {
        row.copy_from_slice(&matrix.row(index).to_array());
    }
    rows
}
