// The arithmetic of the morph, stated once for every path on the device.
//
// The host kernel in `morph-core` (kernel.rs) is the definition; this file mirrors it so that both give the same
// bits.  Products and sums are written out and `precise`: a fused multiply-add rounds once where the host rounds
// twice, and `dot`, `length`, `mix` and matrix products promise no order at all.  `precise` does not reach into a
// called function, so each function below declares it on its own locals.

#ifndef MORPH_MATH_GLSL
#define MORPH_MATH_GLSL

// Quantizations, as `morph_vk::shader_interface` numbers them.
#define MORPH_QUANTIZATION_F32 0
#define MORPH_QUANTIZATION_HALF 1
#define MORPH_QUANTIZATION_SNORM16 2

// sum + weight * delta: the product rounded, then the sum rounded.
float morph_accumulate(float sum, float weight, float delta) {
    precise float product = weight * delta;
    precise float result = sum + product;
    return result;
}

vec3 morph_accumulate(vec3 sum, float weight, vec3 delta) {
    precise vec3 product = vec3(weight * delta.x, weight * delta.y, weight * delta.z);
    precise vec3 result = sum + product;
    return result;
}

vec4 morph_accumulate(vec4 sum, float weight, vec4 delta) {
    precise vec4 product = vec4(weight * delta.x, weight * delta.y, weight * delta.z, weight * delta.w);
    precise vec4 result = sum + product;
    return result;
}

// The value of a half float in the low 16 bits of `bits`, exactly.
// Subnormal halves are decoded with integers: a device may flush them in `unpackHalf2x16`, and on a scanned face more
// than half of the non-zero components are subnormal halves.  Infinities and NaN were refused when the mesh was built.
float morph_decode_half(uint bits) {
    uint sign_bit = (bits & 0x8000u) << 16;
    uint magnitude = bits & 0x7fffu;
    precise float subnormal = float(magnitude) * 5.9604644775390625e-8; // 2^-24, exact
    uint normal = (magnitude << 13) + 0x38000000u;                      // rebias the exponent: 127 - 15 = 112
    uint value = magnitude < 0x0400u ? floatBitsToUint(subnormal) : normal;
    return uintBitsToFloat(sign_bit | value);
}

// A 16-bit signed integer in the low 16 bits of `bits`, times the step of its target and stream: one rounding.
float morph_decode_snorm16(uint bits, float quantization_step) {
    precise float value = float(bitfieldExtract(int(bits), 0, 16)) * quantization_step;
    return value;
}

#endif
