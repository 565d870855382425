// Ambient occlusion from the depth of the pre-pass.
//
// Method: the estimator of McGuire, Osman, Bukowski and Hennessy, "The Alchemy Screen-Space Ambient Obscurance
// Algorithm" (HPG 2011), with taps on a fixed spiral: a rotated one is noise that needs a blur, and supersampling
// already takes the mean of several places.

#ifndef RENDER_OCCLUSION_GLSL
#define RENDER_OCCLUSION_GLSL

#include "render/interface.glsl"

layout(set = 0, binding = 2) uniform sampler2D scene_depth;

#define OCCLUSION_TAPS 24
// Turns of the spiral: prime to the number of taps, so that the taps spread evenly.
#define OCCLUSION_TURNS 7.0

vec3 view_position(mat4 inverse_projection, vec2 sample_position, float depth, vec2 size) {
    vec4 view = inverse_projection * vec4(sample_position / size * 2.0 - 1.0, depth, 1.0);
    return view.xyz / view.w;
}

// 1 in the open, toward 0 in a fold.
float ambient_visibility(vec2 fragment, float depth, vec3 view_normal) {
    if (frame.occlusion_radius <= 0.0) {
        return 1.0;
    }
    vec2 size = vec2(textureSize(scene_depth, 0));
    mat4 inverse_projection = RENDER_MAT4(frame.inverse_projection);
    vec3 here = view_position(inverse_projection, fragment, depth, size);
    // The radius on screen, from where a point beside this one would be seen.
    float samples_per_unit = 0.5 * size.y / (abs(here.z * inverse_projection[1][1]));
    float radius = frame.occlusion_radius * samples_per_unit;
    float squared = frame.occlusion_radius * frame.occlusion_radius;

    float sum = 0.0;
    for (int tap = 0; tap < OCCLUSION_TAPS; ++tap) {
        float along = (float(tap) + 0.5) / float(OCCLUSION_TAPS);
        float angle = along * OCCLUSION_TURNS * 6.2831853;
        vec2 place = fragment + vec2(cos(angle), sin(angle)) * (along * radius);
        ivec2 texel = clamp(ivec2(place), ivec2(0), ivec2(size) - 1);
        float there_depth = texelFetch(scene_depth, texel, 0).r;
        vec3 to_there = view_position(inverse_projection, vec2(texel) + 0.5, there_depth, size) - here;
        float distance_squared = dot(to_there, to_there);
        float falloff = max(0.0, 1.0 - distance_squared / squared);
        float above = max(0.0, dot(to_there, view_normal) - 0.02 * frame.occlusion_radius);
        sum += falloff * falloff * falloff * above / (distance_squared + 0.01 * squared);
    }
    float occlusion = sum * frame.occlusion_radius * (2.2 / float(OCCLUSION_TAPS));
    return 1.0 / (1.0 + occlusion);
}

#endif
