#version 450
// The vertex of the color and normal passes.
#extension GL_GOOGLE_include_directive : require
#include "render/placed.glsl"
#include "render/transform.glsl"

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

layout(location = 0) out vec3 world;
layout(location = 1) out vec3 world_normal;

invariant gl_Position;

void main() {
    world = world_position(place_position(draw.placement, position));
    gl_Position = clip_position(world);
    // The cofactor matrix carries normals right under any scale, and needs no division.
    mat3 linear = mat3(RENDER_MODEL(draw.model));
    mat3 cofactor = mat3(cross(linear[1], linear[2]), cross(linear[2], linear[0]), cross(linear[0], linear[1]));
    // Its length grows with the square of the scale; the safe normalize is meant for the length of the model's own
    // normal, so the scale is taken out first.
    float scale = max(max(length(cofactor[0]), length(cofactor[1])), length(cofactor[2]));
    // A mirror turns the cofactor matrix inside out.
    float mirror = dot(linear[0], cofactor[0]) < 0.0 ? -1.0 : 1.0;
    world_normal = cofactor * place_normal(draw.placement, normal) * (scale > 0.0 ? mirror / scale : 0.0);
}
