// One vertex of the engine's layout out of and into words.
//
// Whoever includes this declares before it the buffers `rest_words` and `output_words`, and has morph_gather.glsl.

#ifndef MORPH_VERTEX_WORDS_GLSL
#define MORPH_VERTEX_WORDS_GLSL

vec3 load_rest_triple(uint word) {
    return vec3(uintBitsToFloat(rest_words[word]), uintBitsToFloat(rest_words[word + 1]),
                uintBitsToFloat(rest_words[word + 2]));
}

void store_triple(uint word, vec3 value) {
    output_words[word] = floatBitsToUint(value.x);
    output_words[word + 1] = floatBitsToUint(value.y);
    output_words[word + 2] = floatBitsToUint(value.z);
}

// `streams`: what is read beside the position.
MorphVertex load_rest_vertex(uint vertex, uint streams) {
    uint word = vertex * STRIDE_WORDS;
    MorphVertex rest = MorphVertex(load_rest_triple(word + POSITION_OFFSET_WORDS), vec3(0.0), vec3(0.0));
    if ((streams & MORPH_STREAM_NORMALS) != 0) {
        rest.normal = load_rest_triple(word + NORMAL_OFFSET_WORDS);
    }
    if ((streams & MORPH_STREAM_TANGENTS) != 0) {
        rest.tangent = load_rest_triple(word + TANGENT_OFFSET_WORDS);
    }
    return rest;
}

// `output_offset`: first word of the range; `streams`: what is written beside the position.
void store_vertex(uint output_offset, uint vertex, MorphVertex value, uint streams) {
    uint word = output_offset + vertex * STRIDE_WORDS;
    store_triple(word + POSITION_OFFSET_WORDS, value.position);
    if ((streams & MORPH_STREAM_NORMALS) != 0) {
        store_triple(word + NORMAL_OFFSET_WORDS, value.normal);
    }
    if ((streams & MORPH_STREAM_TANGENTS) != 0) {
        store_triple(word + TANGENT_OFFSET_WORDS, value.tangent);
    }
}

#endif
