// One vertex of the engine's layout out of and into words.
//
// Whoever includes this declares before it the buffer `rest_words` and the array of buffers `output_vertices`, one for
// each stream of vertices, and has morph_gather.glsl.  A stream is named by a constant: devices need not be able to
// index buffers otherwise.

#ifndef MORPH_VERTEX_WORDS_GLSL
#define MORPH_VERTEX_WORDS_GLSL

#include "morph_pack.glsl"

vec3 load_rest_triple(uint word) {
    return vec3(uintBitsToFloat(rest_words[word]), uintBitsToFloat(rest_words[word + 1]),
                uintBitsToFloat(rest_words[word + 2]));
}

// `vertex_count`: vertices of the mesh; `streams`: what is read beside the position.
MorphVertex load_rest_vertex(uint vertex_count, uint vertex, uint streams) {
    uint word = vertex_count * POSITION_REST_BASE + vertex * POSITION_REST_STRIDE + POSITION_REST_OFFSET;
    MorphVertex rest = MorphVertex(load_rest_triple(word), vec3(0.0), vec3(0.0));
    if ((streams & MORPH_STREAM_NORMALS) != 0) {
        word = vertex_count * NORMAL_REST_BASE + vertex * NORMAL_REST_STRIDE + NORMAL_REST_OFFSET;
        rest.normal = load_rest_triple(word);
    }
    if ((streams & MORPH_STREAM_TANGENTS) != 0) {
        word = vertex_count * TANGENT_REST_BASE + vertex * TANGENT_REST_STRIDE + TANGENT_REST_OFFSET;
        rest.tangent = load_rest_triple(word);
    }
    return rest;
}

#define STORE_TRIPLE(STREAM, word, value)                                                                              \
    output_vertices[STREAM].words[word] = floatBitsToUint((value).x);                                                   \
    output_vertices[STREAM].words[(word) + 1] = floatBitsToUint((value).y);                                             \
    output_vertices[STREAM].words[(word) + 2] = floatBitsToUint((value).z)

// `first_vertex`: of the range, in every stream; `vertex_count`: vertices of the mesh; `streams`: what is written beside
// the position.
void store_vertex(uint first_vertex, uint vertex_count, uint vertex, MorphVertex value, uint streams) {
    uint row = first_vertex + vertex;
    uint word = row * POSITION_STRIDE + POSITION_OFFSET;
    STORE_TRIPLE(POSITION_STREAM, word, value.position);
    if ((streams & MORPH_STREAM_NORMALS) != 0) {
        word = row * NORMAL_STRIDE + NORMAL_OFFSET;
        if (NORMAL_FORMAT == MORPH_FORMAT_SNORM10) {
            output_vertices[NORMAL_STREAM].words[word] = pack_snorm10(value.normal, 0);
        } else if (NORMAL_FORMAT == MORPH_FORMAT_OCTAHEDRAL16) {
            output_vertices[NORMAL_STREAM].words[word] = pack_octahedral16(value.normal);
        } else {
            STORE_TRIPLE(NORMAL_STREAM, word, value.normal);
        }
    }
    if ((streams & MORPH_STREAM_TANGENTS) != 0) {
        word = row * TANGENT_STRIDE + TANGENT_OFFSET;
        if (TANGENT_FORMAT == MORPH_FORMAT_SNORM10) {
            uint w = vertex_count * TANGENT_REST_BASE + vertex * TANGENT_REST_STRIDE + TANGENT_REST_OFFSET + 3;
            output_vertices[TANGENT_STREAM].words[word] =
                pack_snorm10(value.tangent, pack_handedness(rest_words[w]));
        } else {
            STORE_TRIPLE(TANGENT_STREAM, word, value.tangent);
        }
    }
}

#endif
