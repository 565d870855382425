// From the vertex to clip space, the same way in every camera pass.
//
// The passes after the depth pre-pass test for equal depth, so all of them must compute gl_Position with the same
// operations: each declares it `invariant`, and the sums are written out and `precise`, because a matrix product
// promises no order and may be contracted in one module and not in the other.
// For the same reason what stands still has a motion of exactly zero.

#ifndef RENDER_TRANSFORM_GLSL
#define RENDER_TRANSFORM_GLSL

#include "render/interface.glsl"

// `precise` does not reach into a called function, so it stands here.
float dot_point(float x, float y, float z, float w, vec3 point) {
    precise float sum = x * point.x + y * point.y + z * point.z + w;
    return sum;
}

// Rows of a model matrix times a point.
#define RENDER_MODEL_TIMES(m, point)                                                                            \
    vec3(dot_point(m[0], m[1], m[2], m[3], point), dot_point(m[4], m[5], m[6], m[7], point),                   \
         dot_point(m[8], m[9], m[10], m[11], point))

// Columns of a matrix times a point.
#define RENDER_MATRIX_TIMES(m, point)                                                                           \
    vec4(dot_point(m[0], m[4], m[8], m[12], point), dot_point(m[1], m[5], m[9], m[13], point),                 \
         dot_point(m[2], m[6], m[10], m[14], point), dot_point(m[3], m[7], m[11], m[15], point))

vec3 world_position(vec3 position) {
    return RENDER_MODEL_TIMES(draw.model, position);
}

#ifdef RENDER_MOTION
vec3 previous_world_position(vec3 position) {
    return RENDER_MODEL_TIMES(draw.previous_model, position);
}
#endif

vec4 clip_position(vec3 world) {
    return RENDER_MATRIX_TIMES(frame.view_projection, world);
}

vec4 previous_clip_position(vec3 world) {
    return RENDER_MATRIX_TIMES(frame.previous_view_projection, world);
}

vec4 shadow_position(vec3 world) {
    return RENDER_MATRIX_TIMES(frame.shadow_view_projection, world);
}

#endif
