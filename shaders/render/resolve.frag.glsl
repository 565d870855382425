#version 450
// From samples to pixels: the mean of the samples of a pixel, over the background.
//
// The samples are tone mapped already, because a mean taken before the tone mapping leaves jagged edges around
// highlights.  The target encodes sRGB.
#extension GL_GOOGLE_include_directive : require
#include "render/interface.glsl"

layout(set = 0, binding = 3) uniform sampler2D color_samples;

layout(location = 0) out vec4 color;

void main() {
    int side = int(frame.supersampling);
    ivec2 first = ivec2(gl_FragCoord.xy) * side;
    vec4 sum = vec4(0.0);
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            sum += texelFetch(color_samples, first + ivec2(x, y), 0);
        }
    }
    vec4 mean = sum / float(side * side);
    float height = gl_FragCoord.y / frame.pixel_height;
    vec3 background = mix(RENDER_VEC3(frame.background_top), RENDER_VEC3(frame.background_bottom), height);
    color = vec4(mean.rgb + (1.0 - mean.a) * background, 1.0);
}
