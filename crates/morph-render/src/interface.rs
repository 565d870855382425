//! The structs that host and shaders share.
//!
//! Plain numbers and arrays of them only, because those lie the same way in Rust and in std430.
//! A test reads the offsets out of the compiled modules and compares them by name with [`FRAME_MEMBERS`],
//! [`DRAW_MEMBERS`] and [`MOTION_MEMBERS`].

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

/// One draw of every pass but the motion pass, as push constants; `DrawConstants` in
/// `shaders/include/render/interface.glsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct DrawConstants {
    /// Model to world space: three rows of four.
    pub(crate) model: [f32; 12],
    /// First word, rows and stride of the placement table; read only by the placed modules.
    pub(crate) placement: [u32; 3],
    pub(crate) base_color: [f32; 3],
    pub(crate) roughness: f32,
    pub(crate) subsurface: [f32; 3],
    pub(crate) specular: f32,
}

/// One draw of the motion pass, as push constants; `MotionConstants` in `shaders/include/render/interface.glsl`.
///
/// It needs no material, and the others no last frame: each finds its own behind what all of them read.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct MotionConstants {
    pub(crate) model: [f32; 12],
    pub(crate) placement: [u32; 3],
    pub(crate) previous_placement: [u32; 3],
    pub(crate) previous_model: [f32; 12],
}

/// Bytes of the push constants of a draw, the longer of both forms.
pub(crate) const PUSH_BYTES: u32 = size_of::<MotionConstants>() as u32;

/// Every device takes push constants of 128 bytes and none has to take more.
const _: () = assert!(PUSH_BYTES <= 128 && size_of::<DrawConstants>() <= PUSH_BYTES as usize);
/// What all modules read stands at the same place in both forms.
const _: () = assert!(offset_of!(DrawConstants, placement) == offset_of!(MotionConstants, placement));
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
    ("placement", offset_of!(DrawConstants, placement)),
    ("base_color", offset_of!(DrawConstants, base_color)),
    ("roughness", offset_of!(DrawConstants, roughness)),
    ("subsurface", offset_of!(DrawConstants, subsurface)),
    ("specular", offset_of!(DrawConstants, specular)),
];

/// Names and byte offsets of [`MotionConstants`].
#[cfg(test)]
pub(crate) const MOTION_MEMBERS: [(&str, usize); 4] = [
    ("model", offset_of!(MotionConstants, model)),
    ("placement", offset_of!(MotionConstants, placement)),
    (
        "previous_placement",
        offset_of!(MotionConstants, previous_placement),
    ),
    ("previous_model", offset_of!(MotionConstants, previous_model)),
];

/// Numbers of the descriptor sets.
pub(crate) mod set {
    /// What holds for the frame; its bindings are in [`super::binding`].
    pub(crate) const FRAME: u32 = 0;
    /// The placement tables of a draw; bound for placed draws only.
    pub(crate) const PLACEMENT: u32 = 1;
}

/// Bindings of the frame's descriptor set.
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

/// The one binding of the set of placement tables: the words, a storage buffer.
pub(crate) const PLACEMENT_WORDS_BINDING: u32 = 0;

/// Locations of the vertex attributes.
pub(crate) mod location {
    pub(crate) const POSITION: u32 = 0;
    pub(crate) const NORMAL: u32 = 1;
    pub(crate) const PREVIOUS_POSITION: u32 = 2;
    pub(crate) const TRANSFORM_ID: u32 = 3;
}

/// Bindings of the vertex buffers.
pub(crate) mod stream {
    /// The vertices as they are.
    pub(crate) const CURRENT: u32 = 0;
    /// The vertices as they were one frame ago; bound in the motion pass.
    pub(crate) const PREVIOUS: u32 = 1;
    /// The submesh of each vertex; bound for placed draws.
    pub(crate) const TRANSFORM_ID: u32 = 2;
}

/// `constant_id` of the one specialization constant: whether vertices have normals.
pub(crate) const HAS_NORMALS_CONSTANT: u32 = 0;
