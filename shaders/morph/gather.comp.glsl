// Batched gather: one invocation morphs one vertex of one instance.
//
// X counts vertices and Y counts the instances of one mesh that need writing this frame.  The two published shapes,
// X32Y1 (below four instances) and X8Y16 (from four), are specialization constants of this one module: in X8Y16 the
// sixteen invocations of a vertex read the same entries at the same time, so one fetch serves them all.
// Every invocation reads the rest pose and writes a whole result, so no order between instances is needed.
//
// With MORPH_SKIN bones then carry what the morph gave, before anything is written.  That is a module of its own rather
// than a specialization constant, because it binds two buffers more, and Vulkan promises a stage four storage buffers
// only: a pass without skinning runs where no more are to be had.

#version 450
#extension GL_GOOGLE_include_directive : require

#include "morph_constants.glsl"
#include "morph_math.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 1) in;

// The rest pose of the mesh: its streams of vertices one after the other, then what packed attributes are packed from.
layout(set = 0, binding = 0, std430) readonly restrict buffer RestBuffer { uint rest_words[]; };
// The vertex-major deltas of the mesh: first entry of every vertex, quantization steps, entries.
layout(set = 0, binding = 1, std430) readonly restrict buffer DeltaBuffer { uint delta_words[]; };
// The ranges of the instances of this mesh that lie in one block: a part of each stream of vertices.
layout(set = 0, binding = 2, std430) writeonly restrict buffer OutputBuffer { uint words[]; } output_vertices[STREAM_COUNT];
// This frame's instance records and weights.
layout(set = 0, binding = 3, std430) readonly restrict buffer FrameBuffer { uint frame_words[]; };
#ifdef MORPH_SKIN
// The skin weights of the mesh.
layout(set = 0, binding = 4, std430) readonly restrict buffer SkinBuffer { uint skin_words[]; };
// This frame's poses, three rows a bone; the same bytes as those of the frame buffer.
layout(set = 0, binding = 5, std430) readonly restrict buffer PoseBuffer { vec4 pose_rows[]; };
#endif

layout(push_constant, std430) uniform GatherParams {
    uint vertex_count;
    uint instance_count;
    uint first_record;    // word offset of the first instance record in the frame buffer
    uint steps_offset;    // word offset of the quantization steps in the delta buffer
    uint entries_offset;  // word offset of the entries in the delta buffer
    uint entry_words;
    uint entry_streams;   // streams that an entry holds
    uint output_streams;  // streams that are written
    uint influence_count; // bones that may hold a vertex: 4 or 8; 0 without a skin
    uint by_cofactors;    // 1 where cofactors carry normals
    uint texcoord_table;  // word offset of the deltas of texture coordinates in the delta buffer, or MORPH_NO_TABLE
    uint color_table;     // the same of colors
} params;

// An instance record is three words: the first vertex that is written in each output stream, the word in the frame
// buffer where its weights start, and at which row its pose starts.
const uint RECORD_WORDS = 3;
// The instance shows its rest shape: nothing is morphed, and the deltas need not be there.
const uint NO_WEIGHTS = 0xffffffffu;
#ifdef MORPH_SKIN
// The instance has no skeleton: it is morphed only.
const uint NO_POSE = 0xffffffffu;
#endif

#include "morph_gather.glsl"
#include "morph_vertex_words.glsl"
#include "morph_sets.glsl"
#ifdef MORPH_SKIN
#include "morph_skin.glsl"
#endif

void main() {
    // Where X needs more groups than the device dispatches in one direction, Z carries the rest.
    uint group = gl_WorkGroupID.z * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint vertex = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    uint instance = gl_GlobalInvocationID.y;
    // The last group of each direction is partly idle; nothing here relies on robust access.
    if (vertex >= params.vertex_count || instance >= params.instance_count) {
        return;
    }
    uint record = params.first_record + instance * RECORD_WORDS;
    uint first_vertex = frame_words[record];
    uint weights_offset = frame_words[record + 1];
    DeltaLayout deltas =
        DeltaLayout(params.steps_offset, params.entries_offset, params.entry_words, params.entry_streams);

    MorphVertex result = load_rest_vertex(params.vertex_count, vertex, params.output_streams);
#ifdef MORPH_SKIN
    uint pose_offset = frame_words[record + 2];
    if (weights_offset != NO_WEIGHTS) {
        morph_gather(result, vertex, weights_offset, deltas, params.output_streams);
    }
    if (pose_offset != NO_POSE) {
        morph_skin(result, vertex, params.influence_count, pose_offset, params.by_cofactors != 0);
    }
#else
    morph_gather(result, vertex, weights_offset, deltas, params.output_streams);
#endif
    store_vertex(first_vertex, params.vertex_count, vertex, result, params.output_streams);
    morph_sets(first_vertex, params.vertex_count, vertex, weights_offset, params.texcoord_table, params.color_table);
}
