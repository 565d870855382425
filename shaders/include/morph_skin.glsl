// Bones carry what the morph gave.
//
// The documentation of `morph_core::skin` is the definition; this file mirrors its order of operations line by line, so
// that both give the same bits.  As in morph_math.glsl, products and sums are written out and `precise`, in each
// function on its own locals.
//
// Whoever includes this declares before it the buffers `skin_words` (the skin weights of the mesh) and `pose_rows` (the
// poses of this frame, three rows a bone), and has morph_gather.glsl.

#ifndef MORPH_SKIN_GLSL
#define MORPH_SKIN_GLSL

#include "exact_math.glsl"

// The first three rows of a matrix whose last row is 0, 0, 0, 1.
struct BoneRows {
    vec4 row_x;
    vec4 row_y;
    vec4 row_z;
};

float skin_row_times_point(vec4 row, vec3 p) {
    precise float result = exact_row_times(row.xyz, p) + row.w;
    return result;
}

// a * b - c * d
float skin_difference_of_products(float a, float b, float c, float d) {
    precise float ab = a * b;
    precise float cd = c * d;
    precise float result = ab - cd;
    return result;
}

// Row r of the cofactors, out of the two rows behind it.
vec3 skin_cofactor_row(vec3 r1, vec3 r2) {
    return exact_to_domain(vec3(skin_difference_of_products(r1.y, r2.z, r1.z, r2.y),
                                skin_difference_of_products(r1.z, r2.x, r1.x, r2.z),
                                skin_difference_of_products(r1.x, r2.y, r1.y, r2.x)));
}

// The blended matrix of a vertex; false where all its weights are zero.
//
// Of each vertex lie in `skin_words` its joints, two a word with the first in the low half, and then its weights.
// Starting from +0 rather than from the first product, and leaving out what weighs nothing, differs from the definition
// in signs of zeros only, which the domain takes away.
bool skin_blend(out BoneRows sum, uint vertex, uint influence_count, uint first_row) {
    sum = BoneRows(vec4(0.0), vec4(0.0), vec4(0.0));
    uint joint_words = influence_count / 2;
    uint word = vertex * (joint_words + influence_count);
    bool is_held = false;
    for (uint i = 0; i < influence_count; ++i) {
        float weight = uintBitsToFloat(skin_words[word + joint_words + i]);
        if (weight == 0.0) {
            continue;
        }
        is_held = true;
        uint joint = (skin_words[word + (i >> 1)] >> ((i & 1u) * 16u)) & 0xffffu;
        uint row = first_row + joint * 3;
        sum.row_x = morph_accumulate(sum.row_x, weight, pose_rows[row]);
        sum.row_y = morph_accumulate(sum.row_y, weight, pose_rows[row + 1]);
        sum.row_z = morph_accumulate(sum.row_z, weight, pose_rows[row + 2]);
    }
    sum = BoneRows(exact_to_domain(sum.row_x), exact_to_domain(sum.row_y), exact_to_domain(sum.row_z));
    return is_held;
}

// Carries a normal by the cofactors of a matrix, with the sign of its determinant.
vec3 skin_carry_by_cofactors(BoneRows m, vec3 n) {
    vec3 c_x = skin_cofactor_row(m.row_y.xyz, m.row_z.xyz);
    vec3 c_y = skin_cofactor_row(m.row_z.xyz, m.row_x.xyz);
    vec3 c_z = skin_cofactor_row(m.row_x.xyz, m.row_y.xyz);
    float determinant = exact_row_times(m.row_x.xyz, c_x);
    if (determinant < 0.0) {
        c_x = -c_x;
        c_y = -c_y;
        c_z = -c_z;
    }
    return vec3(exact_row_times(c_x, n), exact_row_times(c_y, n), exact_row_times(c_z, n));
}

// Skins what the morph gave.  `first_row`: where the pose starts in `pose_rows`; `by_cofactors`: how normals are carried.
// Attributes that the vertex does not have are carried along and mean nothing.
void morph_skin(inout MorphVertex value, uint vertex, uint influence_count, uint first_row, bool by_cofactors) {
    vec3 p = exact_to_domain(value.position);
    vec3 n = exact_to_domain(value.normal);
    vec3 t = exact_to_domain(value.tangent);
    value = MorphVertex(p, n, t);
    BoneRows m;
    if (!skin_blend(m, vertex, influence_count, first_row)) {
        return;
    }
    value.position = exact_to_domain(vec3(skin_row_times_point(m.row_x, p), skin_row_times_point(m.row_y, p),
                                          skin_row_times_point(m.row_z, p)));
    value.tangent = exact_to_domain(vec3(exact_row_times(m.row_x.xyz, t), exact_row_times(m.row_y.xyz, t),
                                         exact_row_times(m.row_z.xyz, t)));
    if (by_cofactors) {
        value.normal = exact_to_domain(skin_carry_by_cofactors(m, n));
    } else {
        value.normal = exact_to_domain(vec3(exact_row_times(m.row_x.xyz, n), exact_row_times(m.row_y.xyz, n),
                                            exact_row_times(m.row_z.xyz, n)));
    }
}

#endif
