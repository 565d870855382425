#version 450
// Normals in view space: x to the right, y up, z toward the camera; zero where a morph canceled the normal.
#extension GL_GOOGLE_include_directive : require
#include "render/surface.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 world_normal;

layout(location = 0) out vec4 normal;

void main() {
    mat3 view = mat3(RENDER_MAT4(frame.view));
    normal = vec4(view * surface_normal(world, world_normal), 1.0);
}
