#version 450
// Motion vectors: the vertex now, from the range that every pass draws, and the vertex one frame ago, from the range
// that holds it; the same for model matrix and placement.
#extension GL_GOOGLE_include_directive : require
#define RENDER_MOTION
#include "render/placed.glsl"
#include "render/transform.glsl"

layout(location = 0) in vec3 position;
layout(location = 2) in vec3 previous_position;

layout(location = 0) out vec4 current_clip;
layout(location = 1) out vec4 previous_clip;

invariant gl_Position;

void main() {
    gl_Position = clip_position(world_position(place_position(draw.placement, position)));
    current_clip = gl_Position;
    vec3 previous = place_position(draw.previous_placement, previous_position);
    previous_clip = previous_clip_position(previous_world_position(previous));
}
