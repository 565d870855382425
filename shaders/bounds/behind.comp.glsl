// Which instances lie behind a plane: the include for boxes as the tests run it, one invocation an instance.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "morph_bounds.glsl"

layout(local_size_x = 64) in;

// 1 where an instance may be seen, 0 where its box is empty or behind the plane.
layout(set = 0, binding = 1, std430) writeonly restrict buffer VisibleBuffer { uint visible[]; };

layout(push_constant, std430) uniform BehindParams {
    float plane_x;
    float plane_y;
    float plane_z;
    float plane_w;
    uint entry_count;
} params;

void main() {
    uint index = gl_GlobalInvocationID.x;
    if (index >= params.entry_count) {
        return;
    }
    InstanceBounds box = morph_bounds[index];
    vec4 plane = vec4(params.plane_x, params.plane_y, params.plane_z, params.plane_w);
    visible[index] = morph_bounds_empty(box) || morph_bounds_behind(box, plane) ? 0u : 1u;
}
