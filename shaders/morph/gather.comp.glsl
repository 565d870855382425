// Batched gather: one invocation morphs one vertex of one instance.
//
// X counts vertices and Y counts the instances of one mesh that need writing this frame.  The two published shapes,
// X32Y1 (below four instances) and X8Y16 (from four), are specialization constants of this one module: in X8Y16 the
// sixteen invocations of a vertex read the same entries at the same time, so one fetch serves them all.
// Every invocation reads the rest pose and writes a whole result, so no order between instances is needed.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "morph_constants.glsl"
#include "morph_math.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 1) in;

// The rest pose of the mesh, interleaved as the engine draws it.
layout(set = 0, binding = 0, std430) readonly restrict buffer RestBuffer { uint rest_words[]; };
// The vertex-major deltas of the mesh: first entry of every vertex, quantization steps, entries.
layout(set = 0, binding = 1, std430) readonly restrict buffer DeltaBuffer { uint delta_words[]; };
// The ranges of the instances of this mesh that lie in one block of the geometry buffer.
layout(set = 0, binding = 2, std430) writeonly restrict buffer OutputBuffer { uint output_words[]; };
// This frame's weights and instance records.
layout(set = 0, binding = 3, std430) readonly restrict buffer FrameBuffer { uint frame_words[]; };

layout(push_constant, std430) uniform GatherParams {
    uint vertex_count;
    uint instance_count;
    uint first_record;   // word offset of the first instance record in the frame buffer
    uint steps_offset;   // word offset of the quantization steps in the delta buffer
    uint entries_offset; // word offset of the entries in the delta buffer
    uint entry_words;
    uint entry_streams;  // streams that an entry holds
    uint output_streams; // streams that are written
} params;

// An instance record is two words: where the instance is written in the output buffer, and where its weights are in
// the frame buffer, both in words.
const uint RECORD_WORDS = 2;

vec3 load_rest(uint word) {
    return vec3(uintBitsToFloat(rest_words[word]), uintBitsToFloat(rest_words[word + 1]),
                uintBitsToFloat(rest_words[word + 2]));
}

void store_output(uint word, vec3 value) {
    output_words[word] = floatBitsToUint(value.x);
    output_words[word + 1] = floatBitsToUint(value.y);
    output_words[word + 2] = floatBitsToUint(value.z);
}

// Three 16-bit values, the first of them in the low half of `x`.
vec3 decode_triple(uint x, uint y, uint z, float quantization_step) {
    if (QUANTIZATION == MORPH_QUANTIZATION_HALF) {
        return vec3(morph_decode_half(x & 0xffffu), morph_decode_half(y & 0xffffu), morph_decode_half(z & 0xffffu));
    }
    return vec3(morph_decode_snorm16(x, quantization_step), morph_decode_snorm16(y, quantization_step),
                morph_decode_snorm16(z, quantization_step));
}

// The step of a target's stream (0 position, 1 normal, 2 tangent); only snorm16 has steps.
float load_step(uint target, uint stream) {
    if (QUANTIZATION == MORPH_QUANTIZATION_SNORM16) {
        return uintBitsToFloat(delta_words[params.steps_offset + target * 3 + stream]);
    }
    return 1.0;
}

vec3 load_float_triple(uint word) {
    return vec3(uintBitsToFloat(delta_words[word]), uintBitsToFloat(delta_words[word + 1]),
                uintBitsToFloat(delta_words[word + 2]));
}

void main() {
    // Where X needs more groups than the device dispatches in one direction, Z carries the rest.
    uint group = gl_WorkGroupID.z * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint vertex = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint instance = gl_GlobalInvocationID.y;
    // The last group of each direction is partly idle; nothing here relies on robust access.
    if (vertex >= params.vertex_count || instance >= params.instance_count) {
        return;
    }

    uint record = params.first_record + instance * RECORD_WORDS;
    uint output_offset = frame_words[record] + vertex * STRIDE_WORDS;
    uint weights_offset = frame_words[record + 1];
    uint rest_offset = vertex * STRIDE_WORDS;

    bool entry_has_normal = (params.entry_streams & MORPH_STREAM_NORMALS) != 0;
    bool write_normal = (params.output_streams & MORPH_STREAM_NORMALS) != 0;
    bool write_tangent = (params.output_streams & MORPH_STREAM_TANGENTS) != 0;

    vec3 position = load_rest(rest_offset + POSITION_OFFSET_WORDS);
    vec3 normal = vec3(0.0);
    vec3 tangent = vec3(0.0);
    if (write_normal) {
        normal = load_rest(rest_offset + NORMAL_OFFSET_WORDS);
    }
    if (write_tangent) {
        tangent = load_rest(rest_offset + TANGENT_OFFSET_WORDS);
    }

    uint entry_end = delta_words[vertex + 1];
    for (uint entry = delta_words[vertex]; entry < entry_end; ++entry) {
        uint word = params.entries_offset + entry * params.entry_words;
        uint first = delta_words[word];
        uint target = QUANTIZATION == MORPH_QUANTIZATION_F32 ? first : first & 0xffffu;
        float weight = uintBitsToFloat(frame_words[weights_offset + target]);
        // Skipping is an optimization: on the contract's domain, adding 0 * delta changes no bit.
        if (weight == 0.0) {
            continue;
        }
        if (QUANTIZATION == MORPH_QUANTIZATION_F32) {
            position = morph_accumulate(position, weight, load_float_triple(word + 1));
            uint next = word + 4;
            if (write_normal) {
                normal = morph_accumulate(normal, weight, load_float_triple(next));
            }
            if (entry_has_normal) {
                next += 3;
            }
            if (write_tangent) {
                tangent = morph_accumulate(tangent, weight, load_float_triple(next));
            }
        } else {
            uint second = delta_words[word + 1];
            vec3 delta = decode_triple(first >> 16, second, second >> 16, load_step(target, 0));
            position = morph_accumulate(position, weight, delta);
            if (write_normal || write_tangent) {
                uint third = delta_words[word + 2];
                uint fourth = delta_words[word + 3];
                if (write_normal) {
                    delta = decode_triple(third, third >> 16, fourth, load_step(target, 1));
                    normal = morph_accumulate(normal, weight, delta);
                }
                if (write_tangent) {
                    // Behind the normal where the entry has one, in its place where it has not.
                    if (entry_has_normal) {
                        uint fifth = delta_words[word + 4];
                        delta = decode_triple(fourth >> 16, fifth, fifth >> 16, load_step(target, 2));
                    } else {
                        delta = decode_triple(third, third >> 16, fourth, load_step(target, 2));
                    }
                    tangent = morph_accumulate(tangent, weight, delta);
                }
            }
        }
    }

    store_output(output_offset + POSITION_OFFSET_WORDS, position);
    if (write_normal) {
        store_output(output_offset + NORMAL_OFFSET_WORDS, normal);
    }
    if (write_tangent) {
        store_output(output_offset + TANGENT_OFFSET_WORDS, tangent);
    }
}
