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

void main() {
    vec3 normal = surface_normal(world, world_normal);
    vec3 to_eye = safe_normalize(RENDER_VEC3(frame.eye) - world);
    mat3 view = mat3(RENDER_MAT4(frame.view));
    vec3 base_color = RENDER_VEC3(draw.base_color);
    vec3 wrap = RENDER_VEC3(draw.subsurface);
    float roughness = clamp(draw.roughness, 0.05, 1.0);

    float open = ambient_visibility(gl_FragCoord.xy, gl_FragCoord.z, view * normal);
    // Light that bounces inside a fold takes the color of the surface.
    vec3 ambient_open = mix(vec3(open), vec3(1.0), base_color * (1.0 - open) * 0.8) * open / max(open, 1.0e-3);

    // Key.
    vec3 to_light = RENDER_VEC3(frame.light_direction);
    vec3 key = RENDER_VEC3(frame.light_color) * 2.7;
    float key_cosine = dot(normal, to_light);
    float visible = key_light_visibility(world, normal, to_light);
    // Where the surface turns away the wrap makes the shadow; the map would cut it off with a hard edge.
    float cast_shadow = mix(1.0, visible, smoothstep(-0.05, 0.30, key_cosine));
    // The edge of a shadow on skin is red, because red light travels furthest below the surface.
    vec3 shadow = pow(vec3(cast_shadow), 1.0 / (1.0 + 1.5 * wrap));
    vec3 diffuse = key * wrapped_diffuse(key_cosine, wrap) * shadow;
    float shine = highlight(normal, to_light, to_eye, roughness, draw.specular) * visible * open;
    vec3 specular = key * shine * PI * 0.30;

    // Fill and rim stand still in view space: whatever the camera shows has a shape.
    vec3 to_fill = transpose(view) * vec3(0.80, 0.10, 0.59);
    vec3 fill = vec3(0.30, 0.36, 0.46);
    diffuse += fill * wrapped_diffuse(dot(normal, to_fill), vec3(0.3)) * ambient_open;
    vec3 to_rim = transpose(view) * vec3(0.62, 0.42, -0.66);
    vec3 rim = vec3(0.95, 0.98, 1.05);
    diffuse += rim * 0.55 * max(dot(normal, to_rim), 0.0) * open * open;
    specular += rim * highlight(normal, to_rim, to_eye, max(roughness, 0.4), draw.specular) * PI * 0.35 * open * open;

    // Ambient.
    vec3 sky = vec3(0.30, 0.34, 0.40);
    vec3 ground = vec3(0.16, 0.12, 0.10);
    diffuse += mix(ground, sky, normal.y * 0.5 + 0.5) * ambient_open;

    color = vec4(tone_map(base_color * diffuse / PI * 2.2 + specular), 1.0);
}
