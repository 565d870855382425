// Specialization constants that every kernel of the pre-pass shares.  `morph_vk::shader_interface` fills them.

#ifndef MORPH_CONSTANTS_GLSL
#define MORPH_CONSTANTS_GLSL

layout(constant_id = 2) const uint QUANTIZATION = 0;

// The engine's vertices.  All of it is in 32-bit words.  A stride of zero says that vertices have no such attribute.
//
// Written is `vertex * STRIDE + OFFSET` of the stream.  Read, of the rest pose of n vertices, is
// `n * REST_BASE + vertex * REST_STRIDE + REST_OFFSET`: the same place where the attribute is floats, and the floats that
// it is packed from where it is packed.
layout(constant_id = 3) const uint STREAM_COUNT = 1;

layout(constant_id = 4) const uint POSITION_STREAM = 0;
layout(constant_id = 5) const uint POSITION_STRIDE = 10;
layout(constant_id = 6) const uint POSITION_OFFSET = 0;
layout(constant_id = 7) const uint POSITION_REST_BASE = 0;
layout(constant_id = 8) const uint POSITION_REST_STRIDE = 10;
layout(constant_id = 9) const uint POSITION_REST_OFFSET = 0;

layout(constant_id = 10) const uint NORMAL_STREAM = 0;
layout(constant_id = 11) const uint NORMAL_STRIDE = 10;
layout(constant_id = 12) const uint NORMAL_OFFSET = 3;
layout(constant_id = 13) const uint NORMAL_REST_BASE = 0;
layout(constant_id = 14) const uint NORMAL_REST_STRIDE = 10;
layout(constant_id = 15) const uint NORMAL_REST_OFFSET = 3;
layout(constant_id = 16) const uint NORMAL_FORMAT = 0;

layout(constant_id = 17) const uint TANGENT_STREAM = 0;
layout(constant_id = 18) const uint TANGENT_STRIDE = 10;
layout(constant_id = 19) const uint TANGENT_OFFSET = 6;
layout(constant_id = 20) const uint TANGENT_REST_BASE = 0;
layout(constant_id = 21) const uint TANGENT_REST_STRIDE = 10;
layout(constant_id = 22) const uint TANGENT_REST_OFFSET = 6;
layout(constant_id = 23) const uint TANGENT_FORMAT = 0;

layout(constant_id = 24) const uint TEXCOORD_STREAM = 0;
layout(constant_id = 25) const uint TEXCOORD_STRIDE = 0;
layout(constant_id = 26) const uint TEXCOORD_OFFSET = 0;
layout(constant_id = 27) const uint TEXCOORD_REST_BASE = 0;
layout(constant_id = 28) const uint TEXCOORD_REST_STRIDE = 0;
layout(constant_id = 29) const uint TEXCOORD_REST_OFFSET = 0;

layout(constant_id = 30) const uint COLOR_STREAM = 0;
layout(constant_id = 31) const uint COLOR_STRIDE = 0;
layout(constant_id = 32) const uint COLOR_OFFSET = 0;
layout(constant_id = 33) const uint COLOR_REST_BASE = 0;
layout(constant_id = 34) const uint COLOR_REST_STRIDE = 0;
layout(constant_id = 35) const uint COLOR_REST_OFFSET = 0;

// Formats of directions.
#define MORPH_FORMAT_FLOAT 0u
#define MORPH_FORMAT_SNORM10 1u
#define MORPH_FORMAT_OCTAHEDRAL16 2u

// Bits of `streams`: which attributes beside the position a kernel morphs.
#define MORPH_STREAM_NORMALS 1u
#define MORPH_STREAM_TANGENTS 2u

#ifdef MORPH_ROUND_TO_NEAREST_EVEN
// RoundingModeRTE for 32-bit floats, declared where the device offers it (shaderRoundingModeRTEFloat32).
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
#endif

#endif
