// Places positions and normals by a placement table: the includes as the tests run them, one invocation a vertex.
//
// PLACEMENT_TEXTURE takes the table as a texture, otherwise it is a storage buffer.

#version 450
#extension GL_GOOGLE_include_directive : require

#ifdef PLACEMENT_TEXTURE
#include "placement_texture.glsl"
#else
#include "placement_buffer.glsl"
#endif

layout(local_size_x = 64) in;

// A vertex is seven words: the number of its submesh, position, normal.
layout(set = 0, binding = 1, std430) readonly restrict buffer InputBuffer { uint input_words[]; };
// A result is six: position, normal.
layout(set = 0, binding = 2, std430) writeonly restrict buffer OutputBuffer { uint output_words[]; };

layout(push_constant, std430) uniform PlaceParams {
    uint first_word;
    uint row_count;
    uint stride;
    uint width;
    uint vertex_count;
} params;

vec3 load_input(uint word) {
    return vec3(uintBitsToFloat(input_words[word]), uintBitsToFloat(input_words[word + 1]),
                uintBitsToFloat(input_words[word + 2]));
}

void store_output(uint word, vec3 value) {
    output_words[word] = floatBitsToUint(value.x);
    output_words[word + 1] = floatBitsToUint(value.y);
    output_words[word + 2] = floatBitsToUint(value.z);
}

void main() {
    uint vertex = gl_GlobalInvocationID.x;
    if (vertex >= params.vertex_count) {
        return;
    }
    uint transform_id = input_words[vertex * 7];
    PlacementTable table = PlacementTable(params.first_word, params.row_count, params.stride, params.width);
    Placement placement = placement_load(table, transform_id);
    store_output(vertex * 6, placement_apply(placement, load_input(vertex * 7 + 1)));
    store_output(vertex * 6 + 3, placement_apply_normal(placement, load_input(vertex * 7 + 4)));
}
