#version 450
// The shadow map: where each surface is, seen from the key light.
#extension GL_GOOGLE_include_directive : require
#include "render/placed.glsl"
#include "render/transform.glsl"

layout(location = 0) in vec3 position;

void main() {
    gl_Position = shadow_position(world_position(place_position(draw.placement, position)));
}
