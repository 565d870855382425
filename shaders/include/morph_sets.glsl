// Texture coordinates and colors: their own deltas, vertex-major and always floats, applied like those of positions.
//
// Whoever includes this declares before it what morph_gather.glsl and morph_vertex_words.glsl ask for, and NO_WEIGHTS: the
// offset of the weights of an instance that has none in this frame, so that its sets are written at rest.
// `morph_core::set_kernel` is the definition.

#ifndef MORPH_SETS_GLSL
#define MORPH_SETS_GLSL

// The table is not there: no target of the mesh changes the set.
#define MORPH_NO_TABLE 0xffffffffu

float load_set_weight(uint entry, uint weights_offset) {
    return uintBitsToFloat(frame_words[weights_offset + delta_words[entry]]);
}

// The first entry of a vertex, and the one behind its last.
uvec2 load_set_run(uint vertex, uint weights_offset, uint table) {
    if (weights_offset == NO_WEIGHTS || table == MORPH_NO_TABLE) {
        return uvec2(0);
    }
    return uvec2(delta_words[table + vertex], delta_words[table + vertex + 1]);
}

// `table`: word of the first entries in the delta buffer, one a vertex and one behind; the entries follow.
void morph_texcoord(uint first_vertex, uint vertex_count, uint vertex, uint weights_offset, uint table) {
    uint word = vertex_count * TEXCOORD_REST_BASE + vertex * TEXCOORD_REST_STRIDE + TEXCOORD_REST_OFFSET;
    float u = uintBitsToFloat(rest_words[word]);
    float v = uintBitsToFloat(rest_words[word + 1]);
    uint entries = table + vertex_count + 1;
    uvec2 run = load_set_run(vertex, weights_offset, table);
    for (uint i = run.x; i < run.y; ++i) {
        uint entry = entries + i * 3;
        float weight = load_set_weight(entry, weights_offset);
        u = morph_accumulate(u, weight, uintBitsToFloat(delta_words[entry + 1]));
        v = morph_accumulate(v, weight, uintBitsToFloat(delta_words[entry + 2]));
    }
    word = (first_vertex + vertex) * TEXCOORD_STRIDE + TEXCOORD_OFFSET;
    output_vertices[TEXCOORD_STREAM].words[word] = floatBitsToUint(u);
    output_vertices[TEXCOORD_STREAM].words[word + 1] = floatBitsToUint(v);
}

uint clamped_color(float x) {
    return floatBitsToUint(x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x));
}

void morph_color(uint first_vertex, uint vertex_count, uint vertex, uint weights_offset, uint table) {
    uint word = vertex_count * COLOR_REST_BASE + vertex * COLOR_REST_STRIDE + COLOR_REST_OFFSET;
    float r = uintBitsToFloat(rest_words[word]);
    float g = uintBitsToFloat(rest_words[word + 1]);
    float b = uintBitsToFloat(rest_words[word + 2]);
    float a = uintBitsToFloat(rest_words[word + 3]);
    uint entries = table + vertex_count + 1;
    uvec2 run = load_set_run(vertex, weights_offset, table);
    for (uint i = run.x; i < run.y; ++i) {
        uint entry = entries + i * 5;
        float weight = load_set_weight(entry, weights_offset);
        r = morph_accumulate(r, weight, uintBitsToFloat(delta_words[entry + 1]));
        g = morph_accumulate(g, weight, uintBitsToFloat(delta_words[entry + 2]));
        b = morph_accumulate(b, weight, uintBitsToFloat(delta_words[entry + 3]));
        a = morph_accumulate(a, weight, uintBitsToFloat(delta_words[entry + 4]));
    }
    // Once, behind the last target: one target may go past 1 and another come back.
    word = (first_vertex + vertex) * COLOR_STRIDE + COLOR_OFFSET;
    output_vertices[COLOR_STREAM].words[word] = clamped_color(r);
    output_vertices[COLOR_STREAM].words[word + 1] = clamped_color(g);
    output_vertices[COLOR_STREAM].words[word + 2] = clamped_color(b);
    output_vertices[COLOR_STREAM].words[word + 3] = clamped_color(a);
}

// What the layout asks for and the mesh changes, or, without weights, may have changed before; `texcoord_table` and
// `color_table` as above, or MORPH_NO_TABLE.
void morph_sets(uint first_vertex, uint vertex_count, uint vertex, uint weights_offset, uint texcoord_table,
                uint color_table) {
    bool is_at_rest = weights_offset == NO_WEIGHTS;
    if (TEXCOORD_STRIDE != 0 && (is_at_rest || texcoord_table != MORPH_NO_TABLE)) {
        morph_texcoord(first_vertex, vertex_count, vertex, weights_offset, texcoord_table);
    }
    if (COLOR_STRIDE != 0 && (is_at_rest || color_table != MORPH_NO_TABLE)) {
        morph_color(first_vertex, vertex_count, vertex, weights_offset, color_table);
    }
}

#endif
