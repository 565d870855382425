// From the vertex to clip space, the same way in every camera pass.
//
// The passes after the depth pre-pass test for equal depth, so all of them must compute gl_Position with the same
// operations; each declares it `invariant`.

#ifndef RENDER_TRANSFORM_GLSL
#define RENDER_TRANSFORM_GLSL

#include "render/interface.glsl"

vec3 world_position(vec3 position) {
    return RENDER_MODEL(draw.model) * vec4(position, 1.0);
}

vec3 previous_world_position(vec3 position) {
    return RENDER_MODEL(draw.previous_model) * vec4(position, 1.0);
}

vec4 clip_position(vec3 world) {
    return RENDER_MAT4(frame.view_projection) * vec4(world, 1.0);
}

#endif
