// The consumer's normalize for morphed normals.
//
// The pre-pass does not make morphed normals unit again, and opposed deltas can cancel a normal to nothing.
// `normalize` of nothing is NaN, and one NaN turns a pixel, its neighbors in a blur and a whole history buffer black.

#ifndef SAFE_NORMALIZE_GLSL
#define SAFE_NORMALIZE_GLSL

// Below this length a direction means nothing any more.
#define SAFE_NORMALIZE_MIN_LENGTH 1.0e-4

// The unit vector along v, or zero where v is shorter than SAFE_NORMALIZE_MIN_LENGTH or not finite.
vec3 safe_normalize(vec3 v) {
    // Scaling by the largest component first keeps the square of a long vector from overflowing.
    float largest = max(max(abs(v.x), abs(v.y)), abs(v.z));
    // The comparisons are written so that NaN and infinity fail them.
    bool usable = largest > 0.0 && largest <= 3.4028234e38;
    vec3 scaled = v / (usable ? largest : 1.0);
    float scaled_length = sqrt(dot(scaled, scaled));
    bool long_enough = usable && largest * scaled_length >= SAFE_NORMALIZE_MIN_LENGTH;
    return long_enough ? scaled / scaled_length : vec3(0.0);
}

#endif
