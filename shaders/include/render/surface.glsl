// The normal of a fragment, the same way in the color and the normal pass.

#ifndef RENDER_SURFACE_GLSL
#define RENDER_SURFACE_GLSL

#include "render/interface.glsl"
#include "safe_normalize.glsl"

// Whether the vertices have normals; `interface.rs` fills it.
layout(constant_id = 0) const bool HAS_NORMALS = true;

// The direction that faces the camera on this very triangle.
vec3 flat_normal(vec3 world) {
    vec3 across = safe_normalize(cross(dFdx(world), dFdy(world)));
    vec3 to_eye = RENDER_VEC3(frame.eye) - world;
    return dot(across, to_eye) < 0.0 ? -across : across;
}

// Unit, or zero where a morph canceled the normal.
vec3 surface_normal(vec3 world, vec3 interpolated) {
    if (!HAS_NORMALS) {
        return flat_normal(world);
    }
    vec3 normal = safe_normalize(interpolated);
    return gl_FrontFacing ? normal : -normal;
}

#endif
