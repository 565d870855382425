// The boxes of all instances, as the pre-pass keeps them on the device for culling.
//
// Define MORPH_BOUNDS_SET and MORPH_BOUNDS_BINDING before including, where they are not 0 and 0. Index by what
// `bounds_index` gives for an instance; entries from `bounds_entry_count` on hold nothing that means anything.

#ifndef MORPH_BOUNDS_GLSL
#define MORPH_BOUNDS_GLSL

#ifndef MORPH_BOUNDS_SET
#define MORPH_BOUNDS_SET 0
#endif
#ifndef MORPH_BOUNDS_BINDING
#define MORPH_BOUNDS_BINDING 0
#endif

// In model units. Empty where the least corner is above the greatest; no component is infinite.
struct InstanceBounds {
    float min_x;
    float min_y;
    float min_z;
    uint reserved_0;
    float max_x;
    float max_y;
    float max_z;
    uint reserved_1;
};

layout(set = MORPH_BOUNDS_SET, binding = MORPH_BOUNDS_BINDING, std430) readonly buffer MorphBounds {
    InstanceBounds morph_bounds[];
};

bool morph_bounds_empty(InstanceBounds box) {
    return !(box.min_x <= box.max_x);
}

// Whether a box lies whole on the far side of a plane: no point p of it has dot(plane.xyz, p) + plane.w >= 0.
// The plane is given in the instance's model space.
bool morph_bounds_behind(InstanceBounds box, vec4 plane) {
    vec3 nearest = vec3(plane.x > 0.0 ? box.max_x : box.min_x, plane.y > 0.0 ? box.max_y : box.min_y,
                        plane.z > 0.0 ? box.max_z : box.min_z);
    return !(dot(plane.xyz, nearest) + plane.w >= 0.0);
}

#endif
