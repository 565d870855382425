// The placement of submeshes: how a row is read, and what it does to positions and normals.
//
// The host's side is `morph_core::placement` (apply.rs), of which this file is the mirror: positions come out with the
// same bits, normals within 1e-6.  Include `placement_buffer.glsl` or `placement_texture.glsl`, which bring the table:
//
//     layout(location = 3) in uint transform_id;
//     ...
//     Placement placement = placement_load(PlacementTable(first_word, row_count, stride, width), transform_id);
//     vec3 placed = placement_apply(placement, position);
//     vec3 placed_normal = placement_apply_normal(placement, normal);
//
// Products and sums are written out and `precise`: a fused multiply-add rounds once where the host rounds twice, and
// `dot` and matrix products promise no order.  `precise` does not reach into a called function, so each function
// declares it on its own locals.

#ifndef PLACEMENT_GLSL
#define PLACEMENT_GLSL

#include "exact_math.glsl"

// The words of a row, as `morph_core::placement` numbers them.
#define PLACEMENT_PRESENCE_SLOT 0u
#define PLACEMENT_TRANSLATION_SLOT 1u
#define PLACEMENT_ROTATION_SLOT 4u
#define PLACEMENT_SCALE_SLOT 8u

#define PLACEMENT_LARGEST_FLOAT 3.40282346638528859812e38

// How the table is addressed.
struct PlacementTable {
    uint first_word; // where the table starts: 0 but where several share one buffer or texture
    uint row_count;  // submeshes that have a row
    uint stride;     // words from one row to the next, at least 11
    uint width;      // texels in a row of the texture; unused by the storage buffer
};

struct Placement {
    bool is_identity;
    vec3 translation;
    vec4 rotation; // unit quaternion x, y, z, w
    vec3 scale;
};

// A word of the buffer or texture that holds the table; the form of the table defines it.
uint placement_word(PlacementTable table, uint word);

float placement_float(PlacementTable table, uint word) {
    return uintBitsToFloat(placement_word(table, word));
}

vec3 placement_vec3(PlacementTable table, uint word) {
    return vec3(placement_float(table, word), placement_float(table, word + 1u), placement_float(table, word + 2u));
}

// The row of a submesh.  Without one (an id beyond the table, -1 of a signed buffer among them) and without the presence
// word 1 it is the identity, and no more than that word is read.
Placement placement_load(PlacementTable table, uint submesh) {
    Placement placement = Placement(true, vec3(0.0), vec4(0.0, 0.0, 0.0, 1.0), vec3(1.0));
    if (submesh >= table.row_count) {
        return placement;
    }
    // The product is below 2^31: the host makes no larger table.
    uint row = table.first_word + submesh * table.stride;
    if (placement_word(table, row + PLACEMENT_PRESENCE_SLOT) != 1u) {
        return placement;
    }
    placement.is_identity = false;
    placement.translation = placement_vec3(table, row + PLACEMENT_TRANSLATION_SLOT);
    placement.rotation.xyz = placement_vec3(table, row + PLACEMENT_ROTATION_SLOT);
    placement.rotation.w = placement_float(table, row + PLACEMENT_ROTATION_SLOT + 3u);
    placement.scale = placement_vec3(table, row + PLACEMENT_SCALE_SLOT);
    return placement;
}

// A vector times the power of two, exactly, that brings its largest component to 1 to 4, and small components made zero;
// nothing stays nothing.
vec3 placement_to_unit_size(vec3 v) {
    float largest = max(max(abs(v.x), abs(v.y)), abs(v.z));
    float factor = uintBitsToFloat((254u - min(floatBitsToUint(largest) >> 23, 253u)) << 23);
    precise vec3 result = vec3(v.x * factor, v.y * factor, v.z * factor);
    return exact_to_domain(result);
}

// The matrix of the quaternion q times a vector, whose small components count as zero.
vec3 placement_rotate(vec4 q, vec3 v) {
    precise float xx = q.x * q.x;
    precise float yy = q.y * q.y;
    precise float zz = q.z * q.z;
    precise float xy = q.x * q.y;
    precise float xz = q.x * q.z;
    precise float yz = q.y * q.z;
    precise float wx = q.w * q.x;
    precise float wy = q.w * q.y;
    precise float wz = q.w * q.z;
    precise vec3 row_x = vec3(1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy));
    precise vec3 row_y = vec3(2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx));
    precise vec3 row_z = vec3(2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy));
    v = exact_to_domain(v);
    return vec3(exact_row_times(exact_to_domain(row_x), v), exact_row_times(exact_to_domain(row_y), v),
                exact_row_times(exact_to_domain(row_z), v));
}

// The position of a vertex: scaled, rotated, moved.  The identity gives it back as it is.
vec3 placement_apply(Placement placement, vec3 position) {
    if (placement.is_identity) {
        return position;
    }
    vec3 p = exact_to_domain(position);
    precise vec3 scaled = vec3(placement.scale.x * p.x, placement.scale.y * p.y, placement.scale.z * p.z);
    precise vec3 result = placement_rotate(placement.rotation, scaled) + exact_to_domain(placement.translation);
    return result;
}

// The normal of a vertex: divided by the scale, rotated, made unit.  The identity gives it back as it is; a normal that
// is zero or not finite gives zero, where `normalize` would give NaN.
vec3 placement_apply_normal(Placement placement, vec3 normal) {
    if (placement.is_identity) {
        return normal;
    }
    // Written so that NaN fails it.
    if (!all(lessThanEqual(abs(normal), vec3(PLACEMENT_LARGEST_FLOAT)))) {
        return vec3(0.0);
    }
    // Of ordinary size first: what is a subnormal quotient below is then too small to matter.
    vec3 n = placement_to_unit_size(exact_to_domain(normal));
    bvec3 counts = notEqual(n, vec3(0.0));
    // Relative to the smallest scale that counts, no quotient overflows, and the largest one keeps its size.
    float reference = PLACEMENT_LARGEST_FLOAT;
    reference = counts.x ? min(reference, placement.scale.x) : reference;
    reference = counts.y ? min(reference, placement.scale.y) : reference;
    reference = counts.z ? min(reference, placement.scale.z) : reference;
    precise vec3 stretched = vec3(counts.x ? n.x * (reference / placement.scale.x) : 0.0,
                                  counts.y ? n.y * (reference / placement.scale.y) : 0.0,
                                  counts.z ? n.z * (reference / placement.scale.z) : 0.0);
    vec3 turned = placement_rotate(placement.rotation, placement_to_unit_size(stretched));
    precise float square = turned.x * turned.x + turned.y * turned.y + turned.z * turned.z;
    if (square == 0.0) {
        return vec3(0.0);
    }
    // Within 2 units of the last place, where dividing by a square root may be off by 5.
    float inverse_length = inversesqrt(square);
    precise vec3 result = vec3(turned.x * inverse_length, turned.y * inverse_length, turned.z * inverse_length);
    return result;
}

#endif
