// Scatter: one invocation adds one entry of one active target to one instance.
//
// The simple reference path.  The range already holds the rest pose, because the kernel adds; one dispatch runs per
// active target, in ascending order and with a barrier between, because two targets may move the same vertex.  Within
// one target every vertex occurs once, so no two invocations of a dispatch touch the same words.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "morph_constants.glsl"
#include "morph_math.glsl"

layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;

// The scatter streams of the mesh: per target its vertices, then one stream per attribute.
layout(set = 0, binding = 1, std430) readonly restrict buffer DeltaBuffer { uint delta_words[]; };
// The range of one instance: a part of each stream of vertices.
layout(set = 0, binding = 2, std430) restrict buffer OutputBuffer { uint words[]; } output_vertices[STREAM_COUNT];

layout(push_constant, std430) uniform ScatterParams {
    uint entry_count;
    uint index_offset;    // word offsets into the delta buffer
    uint position_offset; // 0xffffffff: the target has no such stream, or the vertex does not
    uint normal_offset;
    uint tangent_offset;
    uint first_vertex;    // first vertex of the range being written in each output stream
    float weight;
    float position_step;
    float normal_step;
    float tangent_step;
} params;

const uint NO_STREAM = 0xffffffffu;

uint load_u16(uint stream_offset, uint index) {
    return (delta_words[stream_offset + (index >> 1)] >> ((index & 1u) * 16u)) & 0xffffu;
}

vec3 load_delta(uint stream_offset, uint entry, float quantization_step) {
    uint index = entry * 3;
    if (QUANTIZATION == MORPH_QUANTIZATION_F32) {
        uint word = stream_offset + index;
        return vec3(uintBitsToFloat(delta_words[word]), uintBitsToFloat(delta_words[word + 1]),
                    uintBitsToFloat(delta_words[word + 2]));
    }
    uint x = load_u16(stream_offset, index);
    uint y = load_u16(stream_offset, index + 1);
    uint z = load_u16(stream_offset, index + 2);
    if (QUANTIZATION == MORPH_QUANTIZATION_HALF) {
        return vec3(morph_decode_half(x), morph_decode_half(y), morph_decode_half(z));
    }
    return vec3(morph_decode_snorm16(x, quantization_step), morph_decode_snorm16(y, quantization_step),
                morph_decode_snorm16(z, quantization_step));
}

// Adds to three words of an output stream, which has to be a constant: devices need not be able to index buffers
// otherwise.
#define ADD(STREAM, first_word, stream_offset, entry, quantization_step)                                               \
    if ((stream_offset) != NO_STREAM) {                                                                                \
        uint word = (first_word);                                                                                      \
        vec3 sum = vec3(uintBitsToFloat(output_vertices[STREAM].words[word]),                                           \
                        uintBitsToFloat(output_vertices[STREAM].words[word + 1]),                                       \
                        uintBitsToFloat(output_vertices[STREAM].words[word + 2]));                                      \
        sum = morph_accumulate(sum, params.weight, load_delta((stream_offset), entry, quantization_step));             \
        output_vertices[STREAM].words[word] = floatBitsToUint(sum.x);                                                   \
        output_vertices[STREAM].words[word + 1] = floatBitsToUint(sum.y);                                               \
        output_vertices[STREAM].words[word + 2] = floatBitsToUint(sum.z);                                               \
    }

void main() {
    // Where X needs more groups than the device dispatches in one direction, Z carries the rest.
    uint group = gl_WorkGroupID.z * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint entry = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    // The last group is partly idle; nothing here relies on robust access.
    if (entry >= params.entry_count) {
        return;
    }
    uint vertex = params.first_vertex + delta_words[params.index_offset + entry];
    uint position = vertex * POSITION_STRIDE + POSITION_OFFSET;
    ADD(POSITION_STREAM, position, params.position_offset, entry, params.position_step)
    uint normal = vertex * NORMAL_STRIDE + NORMAL_OFFSET;
    ADD(NORMAL_STREAM, normal, params.normal_offset, entry, params.normal_step)
    uint tangent = vertex * TANGENT_STRIDE + TANGENT_OFFSET;
    ADD(TANGENT_STREAM, tangent, params.tangent_offset, entry, params.tangent_step)
}
