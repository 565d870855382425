// Applies all active targets to one vertex, out of the vertex-major deltas of its mesh.
//
// Whoever includes this declares before it the buffers `delta_words` (the deltas of the mesh) and `frame_words` (this
// frame's weights), and has morph_constants.glsl and morph_math.glsl.

#ifndef MORPH_GATHER_GLSL
#define MORPH_GATHER_GLSL

// Where the parts of vertex-major deltas lie, in words of the delta buffer; the first entry of every vertex comes first.
struct DeltaLayout {
    uint steps_offset;   // quantization steps
    uint entries_offset; // entries
    uint entry_words;
    uint entry_streams;  // streams that an entry holds
};

// What the kernels carry of one vertex. Members of streams that are not asked for are zero and mean nothing.
struct MorphVertex {
    vec3 position;
    vec3 normal;
    vec3 tangent;
};

// Three 16-bit values, the first of them in the low half of `x`.
vec3 decode_triple(uint x, uint y, uint z, float quantization_step) {
    if (QUANTIZATION == MORPH_QUANTIZATION_HALF) {
        return vec3(morph_decode_half(x & 0xffffu), morph_decode_half(y & 0xffffu), morph_decode_half(z & 0xffffu));
    }
    return vec3(morph_decode_snorm16(x, quantization_step), morph_decode_snorm16(y, quantization_step),
                morph_decode_snorm16(z, quantization_step));
}

// The step of a target's stream (0 position, 1 normal, 2 tangent); only snorm16 has steps.
float load_step(uint steps_offset, uint target, uint stream) {
    if (QUANTIZATION == MORPH_QUANTIZATION_SNORM16) {
        return uintBitsToFloat(delta_words[steps_offset + target * 3 + stream]);
    }
    return 1.0;
}

vec3 load_float_triple(uint word) {
    return vec3(uintBitsToFloat(delta_words[word]), uintBitsToFloat(delta_words[word + 1]),
                uintBitsToFloat(delta_words[word + 2]));
}

// Adds to `sum`, which starts as the rest pose, what the weights at `weights_offset` ask for.
void morph_gather(inout MorphVertex sum, uint vertex, uint weights_offset, DeltaLayout deltas, uint streams) {
    bool entry_has_normal = (deltas.entry_streams & MORPH_STREAM_NORMALS) != 0;
    bool with_normal = (streams & deltas.entry_streams & MORPH_STREAM_NORMALS) != 0;
    bool with_tangent = (streams & deltas.entry_streams & MORPH_STREAM_TANGENTS) != 0;
    uint entry_end = delta_words[vertex + 1];
    for (uint entry = delta_words[vertex]; entry < entry_end; ++entry) {
        uint word = deltas.entries_offset + entry * deltas.entry_words;
        uint first = delta_words[word];
        uint target = QUANTIZATION == MORPH_QUANTIZATION_F32 ? first : first & 0xffffu;
        float weight = uintBitsToFloat(frame_words[weights_offset + target]);
        // Skipping is an optimization: on the contract's domain, adding 0 * delta changes no bit.
        if (weight == 0.0) {
            continue;
        }
        if (QUANTIZATION == MORPH_QUANTIZATION_F32) {
            sum.position = morph_accumulate(sum.position, weight, load_float_triple(word + 1));
            uint next = word + 4;
            if (with_normal) {
                sum.normal = morph_accumulate(sum.normal, weight, load_float_triple(next));
            }
            if (entry_has_normal) {
                next += 3;
            }
            if (with_tangent) {
                sum.tangent = morph_accumulate(sum.tangent, weight, load_float_triple(next));
            }
            continue;
        }
        uint second = delta_words[word + 1];
        vec3 delta = decode_triple(first >> 16, second, second >> 16, load_step(deltas.steps_offset, target, 0));
        sum.position = morph_accumulate(sum.position, weight, delta);
        if (!with_normal && !with_tangent) {
            continue;
        }
        uint third = delta_words[word + 2];
        uint fourth = delta_words[word + 3];
        if (with_normal) {
            delta = decode_triple(third, third >> 16, fourth, load_step(deltas.steps_offset, target, 1));
            sum.normal = morph_accumulate(sum.normal, weight, delta);
        }
        if (with_tangent) {
            // Behind the normal where the entry has one, in its place where it has not.
            if (entry_has_normal) {
                uint fifth = delta_words[word + 4];
                delta = decode_triple(fourth >> 16, fifth, fifth >> 16, load_step(deltas.steps_offset, target, 2));
            } else {
                delta = decode_triple(third, third >> 16, fourth, load_step(deltas.steps_offset, target, 2));
            }
            sum.tangent = morph_accumulate(sum.tangent, weight, delta);
        }
    }
}

#endif
