#version 450
// Forward color: a portrait light for a human head.
//
// A key light with a shadow, a weak fill from the other side, a rim from behind, and ambient light from sky and
// ground, darkened in folds.  All of it is finite for a zero normal.
#extension GL_GOOGLE_include_directive : require
#include "render/surface.glsl"
#include "render/shadow.glsl"
#include "render/occlusion.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 world_normal;

layout(location = 0) out vec4 color;

#define PI 3.14159265

// Light that wraps around into the dark side by `wrap`, with the energy of a Lambert surface.
vec3 wrapped_diffuse(float normal_to_light, vec3 wrap) {
    vec3 lit = clamp((vec3(normal_to_light) + wrap) / (1.0 + wrap), 0.0, 1.0);
    return lit / (1.0 + wrap);
}

// Highlight of a rough dielectric: GGX distribution and height-correlated Smith term (Heitz 2014), Fresnel after
// Schlick; times the cosine toward the light.
float highlight(vec3 normal, vec3 to_light, vec3 to_eye, float roughness, float specular) {
    vec3 halfway = safe_normalize(to_light + to_eye);
    float nl = max(dot(normal, to_light), 0.0);
    float nv = max(dot(normal, to_eye), 1.0e-3);
    float nh = max(dot(normal, halfway), 0.0);
    float lh = max(dot(to_light, halfway), 0.0);
    float alpha = roughness * roughness;
    float alpha2 = alpha * alpha;
    float spread = nh * nh * (alpha2 - 1.0) + 1.0;
    float distribution = alpha2 / (PI * spread * spread);
    float masking = 0.5 / (nl * sqrt(nv * nv * (1.0 - alpha2) + alpha2)
                           + nv * sqrt(nl * nl * (1.0 - alpha2) + alpha2));
    float f0 = 0.04 * specular;
    float fresnel = f0 + (1.0 - f0) * pow(1.0 - lh, 5.0) * min(specular, 1.0);
    return distribution * masking * fresnel * nl;
}

// A shoulder that keeps highlights from clipping: straight below 0.6, and 1 at infinity with no kink between.
vec3 tone_map(vec3 light) {
    vec3 over = max(light - 0.6, 0.0);
    return min(light, 0.6) + 0.4 * over / (over + 0.4);
}

// Ambient occlusion with the light that bounces inside the fold, which takes the color of the surface: the cubic fit of
// Jimenez, Wu, Pesce and Jarabo, "Practical Real-Time Strategies for Accurate Indirect Occlusion" (SIGGRAPH 2016).
vec3 colored_occlusion(float open, vec3 albedo) {
    vec3 a = 2.0404 * albedo - 0.3324;
    vec3 b = -4.7951 * albedo + 0.6417;
    vec3 c = 2.7552 * albedo + 0.6903;
    return max(vec3(open), ((open * a + b) * open + c) * open);
}

// Strengths are what a white surface that faces the light shows.
const float KEY = 1.55;
const vec3 FILL = vec3(0.13, 0.155, 0.19);
const vec3 RIM = vec3(0.30, 0.31, 0.33);
const vec3 SKY = vec3(0.20, 0.22, 0.25);
const vec3 GROUND = vec3(0.085, 0.065, 0.055);
// In view space, so that whatever the camera shows has a shape: from the right, and from behind on the right.
const vec3 TO_FILL = vec3(0.80, 0.10, 0.59);
const vec3 TO_RIM = vec3(0.62, 0.42, -0.66);

// Cosines between which the shadow map takes over from the wrap.
const float TURNED_AWAY_START = -0.25;
const float TURNED_AWAY_END = 0.06;

void main() {
    vec3 normal = surface_normal(world, world_normal);
    vec3 to_eye = safe_normalize(RENDER_VEC3(frame.eye) - world);
    mat3 view = mat3(RENDER_MAT4(frame.view));
    mat3 to_world = transpose(view);
    vec3 albedo = RENDER_VEC3(draw.base_color);
    vec3 wrap = RENDER_VEC3(draw.subsurface);
    float roughness = clamp(draw.roughness, 0.05, 1.0);

    float open = ambient_visibility(gl_FragCoord.xy, gl_FragCoord.z, view * normal);
    vec3 open_color = colored_occlusion(open, albedo);

    vec3 to_light = RENDER_VEC3(frame.light_direction);
    vec3 key = RENDER_VEC3(frame.light_color) * KEY;
    float key_cosine = dot(normal, to_light);
    float visible = key_light_visibility(world, normal, to_light);
    float cast_shadow = visible;
    if (key_cosine < TURNED_AWAY_END) {
        // Where the surface turns away the wrap makes the shadow; the map would cut it off with a hard edge, because the
        // surface hides itself.  A step toward the light leaves out what hides this close, and keeps what is farther off.
        float step_size = 3.0 * frame.occlusion_radius;
        float farther = key_light_visibility(world + to_light * step_size, normal, to_light);
        cast_shadow = mix(farther, visible, smoothstep(TURNED_AWAY_START, TURNED_AWAY_END, key_cosine));
    }
    // The edge of a shadow on skin is red, because red light travels furthest below the surface.
    vec3 shadow = pow(vec3(cast_shadow), 1.0 / (1.0 + wrap));
    // Folds are smaller than the texels of the shadow map.
    vec3 folds = mix(vec3(1.0), open_color, 0.5);
    vec3 diffuse = key * wrapped_diffuse(key_cosine, wrap) * shadow * folds;
    vec3 specular = key * highlight(normal, to_light, to_eye, roughness, draw.specular) * visible * open;

    vec3 to_fill = to_world * TO_FILL;
    diffuse += FILL * wrapped_diffuse(dot(normal, to_fill), vec3(0.3)) * open_color;
    specular += FILL * highlight(normal, to_fill, to_eye, roughness, draw.specular) * open;
    vec3 to_rim = to_world * TO_RIM;
    diffuse += RIM * max(dot(normal, to_rim), 0.0) * open * open;
    specular += RIM * highlight(normal, to_rim, to_eye, max(roughness, 0.4), draw.specular) * open * open;

    diffuse += mix(GROUND, SKY, normal.y * 0.5 + 0.5) * open_color;

    color = vec4(tone_map(albedo * diffuse + specular), 1.0);
}
