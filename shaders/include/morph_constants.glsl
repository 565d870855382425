// Specialization constants that every kernel of the pre-pass shares.  `morph_vk::shader_interface` fills them.

#ifndef MORPH_CONSTANTS_GLSL
#define MORPH_CONSTANTS_GLSL

layout(constant_id = 2) const uint QUANTIZATION = 0;
// The engine's vertex, in 32-bit words.
layout(constant_id = 3) const uint STRIDE_WORDS = 10;
layout(constant_id = 4) const uint POSITION_OFFSET_WORDS = 0;
layout(constant_id = 5) const uint NORMAL_OFFSET_WORDS = 3;
layout(constant_id = 6) const uint TANGENT_OFFSET_WORDS = 6;

// Bits of `streams`: which attributes beside the position a kernel morphs.
#define MORPH_STREAM_NORMALS 1u
#define MORPH_STREAM_TANGENTS 2u

#ifdef MORPH_ROUND_TO_NEAREST_EVEN
// RoundingModeRTE for 32-bit floats, declared where the device offers it (shaderRoundingModeRTEFloat32).
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
#endif

#endif
