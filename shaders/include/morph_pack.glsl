// Unit directions in 32 bits.
//
// `morph_core::packed` is the definition, says why there is no division and no square root here, and both give the same
// bits.  As in morph_math.glsl every product and sum is `precise`, and no instruction of GLSL.std.450 is used.

#ifndef MORPH_PACK_GLSL
#define MORPH_PACK_GLSL

// Below zero; -0 is not, because a device may lose its sign.
bool pack_is_negative(float x) {
    return floatBitsToUint(x) > 0x80000000u;
}

float pack_with_sign_of(float magnitude, float sign_source) {
    uint bits = floatBitsToUint(magnitude);
    return uintBitsToFloat(pack_is_negative(sign_source) ? bits | 0x80000000u : bits);
}

// The power of two that brings the largest component to 1 or more and below 4; zero for a direction that is zero or not
// finite.
float pack_scale(vec3 direction) {
    uvec3 magnitudes = floatBitsToUint(direction) & 0x7fffffffu;
    uint largest = magnitudes.x > magnitudes.y ? magnitudes.x : magnitudes.y;
    largest = magnitudes.z > largest ? magnitudes.z : largest;
    if (largest < 0x00800000u || largest >= 0x7f800000u) {
        return 0.0;
    }
    uint exponent = largest >> 23;
    exponent = exponent > 253u ? 253u : exponent;
    return uintBitsToFloat((254u - exponent) << 23);
}

// A number of magnitude 1 or less times `largest`, rounded to the next integer, half away from zero.
uint pack_quantize(float x, float largest) {
    precise float scaled = x * largest;
    precise float rounded = scaled < 0.0 ? scaled - 0.5 : scaled + 0.5;
    return uint(int(rounded));
}

float pack_inverse_square_root(float x) {
    precise float half_x = 0.5 * x;
    precise float guess = uintBitsToFloat(0x5f375a86u - (floatBitsToUint(x) >> 1));
    for (int i = 0; i < 3; ++i) {
        precise float square = guess * guess;
        precise float product = half_x * square;
        precise float correction = 1.5 - product;
        guess = guess * correction;
    }
    return guess;
}

float pack_reciprocal(float x) {
    precise float guess = uintBitsToFloat(0x7ef311c7u - floatBitsToUint(x));
    for (int i = 0; i < 3; ++i) {
        precise float product = x * guess;
        precise float correction = 2.0 - product;
        guess = guess * correction;
    }
    return guess;
}

// A2B10G10R10_SNORM_PACK32; `handedness` is the two bits of w, in place.
uint pack_snorm10(vec3 direction, uint handedness) {
    float scale = pack_scale(direction);
    if (scale == 0.0) {
        return handedness;
    }
    precise vec3 scaled = direction * scale;
    precise vec3 squares = vec3(scaled.x * scaled.x, scaled.y * scaled.y, scaled.z * scaled.z);
    precise float first = squares.x + squares.y;
    precise float sum = first + squares.z;
    float inverse_length = pack_inverse_square_root(sum);
    precise vec3 unit = vec3(scaled.x * inverse_length, scaled.y * inverse_length, scaled.z * inverse_length);
    uint x = pack_quantize(unit.x, 511.0) & 0x3ffu;
    uint y = pack_quantize(unit.y, 511.0) & 0x3ffu;
    uint z = pack_quantize(unit.z, 511.0) & 0x3ffu;
    return x | y << 10 | z << 20 | handedness;
}

// The two bits of w for a tangent: the sign of its handedness, as a word.
uint pack_handedness(uint w) {
    return (w & 0x80000000u) != 0 ? 3u << 30 : 1u << 30;
}

// R16G16_SNORM, an octahedral map.
uint pack_octahedral16(vec3 direction) {
    float scale = pack_scale(direction);
    if (scale == 0.0) {
        return 0;
    }
    precise vec3 scaled = direction * scale;
    vec3 magnitudes = uintBitsToFloat(floatBitsToUint(scaled) & 0x7fffffffu);
    precise float first = magnitudes.x + magnitudes.y;
    precise float sum = first + magnitudes.z;
    float inverse_sum = pack_reciprocal(sum);
    precise float x = magnitudes.x * inverse_sum;
    precise float y = magnitudes.y * inverse_sum;
    precise float folded_x = 1.0 - y;
    precise float folded_y = 1.0 - x;
    bool folds = pack_is_negative(direction.z);
    uint u = pack_quantize(pack_with_sign_of(folds ? folded_x : x, direction.x), 32767.0) & 0xffffu;
    uint v = pack_quantize(pack_with_sign_of(folds ? folded_y : y, direction.y), 32767.0) & 0xffffu;
    return u | v << 16;
}

#endif
