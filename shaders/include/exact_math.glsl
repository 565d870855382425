// Arithmetic that gives the same bits on host and device, for skin and placement alike.
//
// Products and sums are written out and `precise`: a fused multiply-add rounds once where the host rounds twice, and
// `dot` promises no order.

#ifndef EXACT_MATH_GLSL
#define EXACT_MATH_GLSL

// +0 below 2^-40 in magnitude, so that no product of two is subnormal, which a device may flush and the host keeps.
// Compared as integers: a device may flush subnormals before a float comparison.
float exact_to_domain(float x) {
    uint bits = floatBitsToUint(x);
    return (bits & 0x7fffffffu) < 0x2b800000u ? 0.0 : x;
}

vec3 exact_to_domain(vec3 v) {
    return vec3(exact_to_domain(v.x), exact_to_domain(v.y), exact_to_domain(v.z));
}

vec4 exact_to_domain(vec4 v) {
    return vec4(exact_to_domain(v.x), exact_to_domain(v.y), exact_to_domain(v.z), exact_to_domain(v.w));
}

// (row.x * v.x + row.y * v.y) + row.z * v.z
float exact_row_times(vec3 row, vec3 v) {
    precise float x = row.x * v.x;
    precise float y = row.y * v.y;
    precise float z = row.z * v.z;
    precise float xy = x + y;
    precise float result = xy + z;
    return result;
}

#endif
