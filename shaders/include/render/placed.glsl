// The placement of submeshes, before the model matrix.
//
// Modules come in two forms: with RENDER_PLACED they read the submesh of each vertex and its row of a table, without it
// they read neither, so a draw that places nothing pays nothing.
// What has no row stays where it is, and comes out with the same bits in both forms.

#ifndef RENDER_PLACED_GLSL
#define RENDER_PLACED_GLSL

#ifdef RENDER_PLACED

// Set 0 is the frame's; the tables change with the draw.
#define PLACEMENT_SET 1
#define PLACEMENT_BINDING 0
#include "placement_buffer.glsl"

layout(location = 3) in uint transform_id;

Placement placement_of(uint table[3]) {
    // The width is for textures.
    return placement_load(PlacementTable(table[0], table[1], table[2], 0u), transform_id);
}

vec3 place_position(uint table[3], vec3 position) {
    return placement_apply(placement_of(table), position);
}

vec3 place_normal(uint table[3], vec3 normal) {
    return placement_apply_normal(placement_of(table), normal);
}

#else

vec3 place_position(uint table[3], vec3 position) {
    return position;
}

vec3 place_normal(uint table[3], vec3 normal) {
    return normal;
}

#endif
#endif
