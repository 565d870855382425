#version 450
// Motion in pixels of the picture, from where the surface was to where it is: x to the right, y down.
#extension GL_GOOGLE_include_directive : require
#define RENDER_MOTION
#include "render/interface.glsl"

layout(location = 0) in vec4 current_clip;
layout(location = 1) in vec4 previous_clip;

layout(location = 0) out vec2 motion;

void main() {
    vec2 current = current_clip.xy / current_clip.w;
    vec2 previous = previous_clip.xy / previous_clip.w;
    motion = (current - previous) * 0.5 * vec2(frame.pixel_width, frame.pixel_height);
}
