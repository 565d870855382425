#version 450
// The depth pre-pass: where each surface is, seen from the camera.
#extension GL_GOOGLE_include_directive : require
#include "render/placed.glsl"
#include "render/transform.glsl"

layout(location = 0) in vec3 position;

invariant gl_Position;

void main() {
    gl_Position = clip_position(world_position(place_position(draw.placement, position)));
}
