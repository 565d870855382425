// What the renderer's host side hands to its shaders; `interface.rs` of morph-render mirrors it, and a test compares
// names and offsets.

#ifndef RENDER_INTERFACE_GLSL
#define RENDER_INTERFACE_GLSL

// Floats and arrays of floats only: those lie in std430 as they lie in Rust.
layout(std430, set = 0, binding = 0) readonly buffer FrameConstants {
    float view_projection[16];
    float previous_view_projection[16];
    float shadow_view_projection[16];
    float view[16];
    float inverse_projection[16];
    float eye[3];
    float shadow_texel;
    float light_direction[3];
    float shadow_strength;
    float light_color[3];
    float occlusion_radius;
    float background_top[3];
    uint supersampling;
    float background_bottom[3];
    float pixel_width;
    float pixel_height;
} frame;

// A draw is its model matrix and its placement table (first word, rows, words from one row to the next), and behind
// them what only some stages read: in the motion pass (RENDER_MOTION) the same of the last frame, elsewhere the
// material.  Both together would be more than the 128 bytes that every device takes.
#ifdef RENDER_MOTION
layout(std430, push_constant) uniform MotionConstants {
    float model[12];
    uint placement[3];
    uint previous_placement[3];
    float previous_model[12];
} draw;
#else
layout(std430, push_constant) uniform DrawConstants {
    float model[12];
    uint placement[3];
    float base_color[3];
    float roughness;
    float subsurface[3];
    float specular;
} draw;
#endif

#define RENDER_VEC3(a) vec3(a[0], a[1], a[2])
#define RENDER_MAT4(m)                                                                                          \
    mat4(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14], m[15])
// Three rows of four, as columns of a matrix that takes a point with w = 1.
#define RENDER_MODEL(m)                                                                                         \
    mat4x3(m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10], m[3], m[7], m[11])

#endif
