// The placement table as a texture of format R32_UINT.
//
// Define PLACEMENT_SET and PLACEMENT_BINDING before including, where they are not 0 and 0.
// The texture is a sampled image without a sampler; with PLACEMENT_COMBINED_SAMPLER it is a combined image sampler, for
// engines that have no other kind.  Either is fetched by texel, so a sampler's filter is never used.

#ifndef PLACEMENT_TEXTURE_GLSL
#define PLACEMENT_TEXTURE_GLSL

#ifndef PLACEMENT_SET
#define PLACEMENT_SET 0
#endif
#ifndef PLACEMENT_BINDING
#define PLACEMENT_BINDING 0
#endif

#include "placement.glsl"

#ifdef PLACEMENT_COMBINED_SAMPLER
layout(set = PLACEMENT_SET, binding = PLACEMENT_BINDING) uniform usampler2D placement_texels;
#else
#extension GL_EXT_samplerless_texture_functions : require
layout(set = PLACEMENT_SET, binding = PLACEMENT_BINDING) uniform utexture2D placement_texels;
#endif

uint placement_word(PlacementTable table, uint word) {
    return texelFetch(placement_texels, ivec2(word % table.width, word / table.width), 0).r;
}

#endif
