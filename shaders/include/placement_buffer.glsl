// The placement table as a storage buffer of words.
//
// Define PLACEMENT_SET and PLACEMENT_BINDING before including, where they are not 0 and 0.

#ifndef PLACEMENT_BUFFER_GLSL
#define PLACEMENT_BUFFER_GLSL

#ifndef PLACEMENT_SET
#define PLACEMENT_SET 0
#endif
#ifndef PLACEMENT_BINDING
#define PLACEMENT_BINDING 0
#endif

#include "placement.glsl"

layout(set = PLACEMENT_SET, binding = PLACEMENT_BINDING, std430) readonly buffer PlacementWords {
    uint placement_words[];
};

uint placement_word(PlacementTable table, uint word) {
    return placement_words[word];
}

#endif
