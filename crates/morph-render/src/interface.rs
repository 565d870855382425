//! The structs that host and shaders share.
//!
//! Plain floats and arrays of floats only, because those lie the same way in Rust and in std430.
//! A test reads the offsets out of the compiled modules and compares them by name with [`FRAME_MEMBERS`] and
//! [`DRAW_MEMBERS`].

#[cfg(test)]
use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

/// What holds for the whole frame; `FrameConstants` in `shaders/include/render/interface.glsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct FrameConstants {
    /// World to clip space, column by column.
    pub(crate) view_projection: [f32; 16],
    pub(crate) previous_view_projection: [f32; 16],
    pub(crate) shadow_view_projection: [f32; 16],
    /// World to view space, column by column.
    pub(crate) view: [f32; 16],
    /// Clip to view space, column by column.
    pub(crate) inverse_projection: [f32; 16],
    /// The camera in world space.
    pub(crate) eye: [f32; 3],
    /// Side of a shadow texel in world units.
    pub(crate) shadow_texel: f32,
    /// Toward the light, unit length.
    pub(crate) light_direction: [f32; 3],
    /// 1 where the shadow map was drawn, 0 where nothing is shadowed.
    pub(crate) shadow_strength: f32,
    pub(crate) light_color: [f32; 3],
    /// Reach of ambient occlusion in world units; 0 leaves it out.
    pub(crate) occlusion_radius: f32,
    pub(crate) background_top: [f32; 3],
    /// Samples per pixel and axis.
    pub(crate) supersampling: u32,
    pub(crate) background_bottom: [f32; 3],
    /// Size of the picture in pixels; the targets are `supersampling` times as wide and high.
    pub(crate) pixel_width: f32,
    pub(crate) pixel_height: f32,
}

/// One draw, as push constants; `DrawConstants` in `shaders/include/render/interface.glsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct DrawConstants {
    /// Model to world space: three rows of four.
    pub(crate) model: [f32; 12],
    pub(crate) previous_model: [f32; 12],
    pub(crate) base_color: [f32; 3],
    pub(crate) roughness: f32,
    pub(crate) subsurface: [f32; 3],
    pub(crate) specular: f32,
}

/// Every device takes push constants of 128 bytes and none has to take more.
const _: () = assert!(size_of::<DrawConstants>() == 128);
/// `vkCmdUpdateBuffer` takes multiples of 4 up to 65,536 bytes.
const _: () = assert!(size_of::<FrameConstants>() == 404 && size_of::<FrameConstants>().is_multiple_of(4));

/// Names and byte offsets of [`FrameConstants`].
#[cfg(test)]
pub(crate) const FRAME_MEMBERS: [(&str, usize); 16] = [
    ("view_projection", offset_of!(FrameConstants, view_projection)),
    (
        "previous_view_projection",
        offset_of!(FrameConstants, previous_view_projection),
    ),
    (
        "shadow_view_projection",
        offset_of!(FrameConstants, shadow_view_projection),
    ),
    ("view", offset_of!(FrameConstants, view)),
    (
        "inverse_projection",
        offset_of!(FrameConstants, inverse_projection),
    ),
    ("eye", offset_of!(FrameConstants, eye)),
    ("shadow_texel", offset_of!(FrameConstants, shadow_texel)),
    ("light_direction", offset_of!(FrameConstants, light_direction)),
    ("shadow_strength", offset_of!(FrameConstants, shadow_strength)),
    ("light_color", offset_of!(FrameConstants, light_color)),
    ("occlusion_radius", offset_of!(FrameConstants, occlusion_radius)),
    ("background_top", offset_of!(FrameConstants, background_top)),
    ("supersampling", offset_of!(FrameConstants, supersampling)),
    ("background_bottom", offset_of!(FrameConstants, background_bottom)),
    ("pixel_width", offset_of!(FrameConstants, pixel_width)),
    ("pixel_height", offset_of!(FrameConstants, pixel_height)),
];

/// Names and byte offsets of [`DrawConstants`].
#[cfg(test)]
pub(crate) const DRAW_MEMBERS: [(&str, usize); 6] = [
    ("model", offset_of!(DrawConstants, model)),
    ("previous_model", offset_of!(DrawConstants, previous_model)),
    ("base_color", offset_of!(DrawConstants, base_color)),
    ("roughness", offset_of!(DrawConstants, roughness)),
    ("subsurface", offset_of!(DrawConstants, subsurface)),
    ("specular", offset_of!(DrawConstants, specular)),
];

/// Bindings of the one descriptor set.
pub(crate) mod binding {
    /// `FrameConstants`, a storage buffer.
    pub(crate) const FRAME: u32 = 0;
    /// The shadow map with a comparing sampler.
    pub(crate) const SHADOW_MAP: u32 = 1;
    /// The depth of the pre-pass.
    pub(crate) const DEPTH: u32 = 2;
    /// What the color pass wrote.
    pub(crate) const COLOR: u32 = 3;
}

/// Locations of the vertex attributes.
pub(crate) mod location {
    pub(crate) const POSITION: u32 = 0;
    pub(crate) const NORMAL: u32 = 1;
    pub(crate) const PREVIOUS_POSITION: u32 = 2;
}

/// `constant_id` of the one specialization constant: whether vertices have normals.
pub(crate) const HAS_NORMALS_CONSTANT: u32 = 0;
