// How much of the key light reaches a point, from the shadow map.

#ifndef RENDER_SHADOW_GLSL
#define RENDER_SHADOW_GLSL

#include "render/interface.glsl"

layout(set = 0, binding = 1) uniform sampler2DShadow shadow_map;

// Taps to either side of the middle one.
#define SHADOW_TAPS 2

// 1 where the light arrives, 0 in full shadow.
//
// Depth formats need not offer linear filtering (lavapipe's do not), so the taps compare the nearest texel and the
// blend between texels is done here: a box of 2 * SHADOW_TAPS texels that slides without steps.
float key_light_visibility(vec3 world, vec3 normal, vec3 to_light) {
    // A point on a slope shares its texel with points nearer to the light; moving it off the surface by about the
    // size of the filter keeps it from shadowing itself.
    float slope = sqrt(clamp(1.0 - dot(normal, to_light) * dot(normal, to_light), 0.0, 1.0));
    vec3 off_surface = world + (normal * (0.5 + 2.5 * slope) + to_light) * frame.shadow_texel;
    vec4 clip = RENDER_MAT4(frame.shadow_view_projection) * vec4(off_surface, 1.0);
    vec2 size = vec2(textureSize(shadow_map, 0));
    vec2 texel = (clip.xy * 0.5 + 0.5) * size - 0.5;
    vec2 base = floor(texel);
    vec2 fraction = texel - base;

    float sum = 0.0;
    for (int y = -SHADOW_TAPS; y <= SHADOW_TAPS; ++y) {
        float weight_y = y == -SHADOW_TAPS ? 1.0 - fraction.y : y == SHADOW_TAPS ? fraction.y : 1.0;
        for (int x = -SHADOW_TAPS; x <= SHADOW_TAPS; ++x) {
            float weight_x = x == -SHADOW_TAPS ? 1.0 - fraction.x : x == SHADOW_TAPS ? fraction.x : 1.0;
            vec2 position = (base + vec2(x, y) + 0.5) / size;
            sum += weight_x * weight_y * textureLod(shadow_map, vec3(position, clip.z), 0.0);
        }
    }
    float side = float(2 * SHADOW_TAPS);
    return mix(1.0, sum / (side * side), frame.shadow_strength);
}

#endif
