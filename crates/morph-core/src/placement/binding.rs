//! What an engine binds for the lookup, as data: for its own bind groups, pipelines and checks.
//!
//! Engines bind by semantic; the names are those of the shader includes.

/// How the words reach the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BindingKind {
    /// A storage buffer of 32-bit words, read only.
    StorageBuffer,
    /// A two-dimensional texture of one level, fetched by texel: never filtered, so no sampler is needed.
    Texture2D,
}

/// The format of an attribute, a uniform or a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WordFormat {
    /// One 32-bit unsigned integer: `VK_FORMAT_R32_UINT`, `uint` in a shader.
    R32Uint,
}

impl WordFormat {
    /// The name in the Vulkan specification, without `VK_FORMAT_`.
    pub fn as_str(self) -> &'static str {
        match self {
            WordFormat::R32Uint => "R32_UINT",
        }
    }
}

/// A vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeBinding {
    /// What the attribute means: an engine looks its buffer up by this.
    pub semantic: &'static str,
    /// The name that the shader includes use for it.
    pub name: &'static str,
    /// Its format. An integer: it is not interpolated, and not normalized.
    pub format: WordFormat,
}

/// A uniform, one number the same for a whole draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UniformBinding {
    /// The name of the member of `PlacementTable` in the shader includes.
    pub name: &'static str,
    /// Its format.
    pub format: WordFormat,
}

/// The table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableBinding {
    /// What the table means: an engine looks it up by this.
    pub semantic: &'static str,
    /// The name of the resource in the shader include.
    pub name: &'static str,
    /// How it is bound.
    pub kind: BindingKind,
    /// The format of a texel or word.
    pub format: WordFormat,
}

/// Everything that a draw with placed submeshes binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlacementBinding {
    /// The number of each vertex's submesh.
    ///
    /// Which subsets of a mesh it counts (components, parts, materials) is the engine's choice.
    /// A number beyond the table leaves the vertex in place; so does -1 in a buffer of signed integers.
    pub attribute: AttributeBinding,
    /// What addresses the table: the members of `PlacementTable` in the shader includes, in their order.
    ///
    /// `first_word` is where the table starts, so that several share one buffer or texture: those of many draws, or
    /// that of the last frame beside that of this one, for motion vectors.
    pub uniforms: &'static [UniformBinding],
    /// The table.
    pub table: TableBinding,
    /// Tags for choosing a pipeline: what it can do, and how it reads the table.
    pub capabilities: &'static [&'static str],
    /// The shader include, below `shaders/include`.
    pub include: &'static str,
}

const ATTRIBUTE: AttributeBinding = AttributeBinding {
    semantic: "transform-id",
    name: "transform_id",
    format: WordFormat::R32Uint,
};

const FIRST_WORD: UniformBinding = UniformBinding {
    name: "first_word",
    format: WordFormat::R32Uint,
};

const ROW_COUNT: UniformBinding = UniformBinding {
    name: "row_count",
    format: WordFormat::R32Uint,
};

const STRIDE: UniformBinding = UniformBinding {
    name: "stride",
    format: WordFormat::R32Uint,
};

const WIDTH: UniformBinding = UniformBinding {
    name: "width",
    format: WordFormat::R32Uint,
};

/// The table as a storage buffer.
pub const BUFFER_BINDING: PlacementBinding = PlacementBinding {
    attribute: ATTRIBUTE,
    uniforms: &[FIRST_WORD, ROW_COUNT, STRIDE],
    table: TableBinding {
        semantic: "transform",
        name: "placement_words",
        kind: BindingKind::StorageBuffer,
        format: WordFormat::R32Uint,
    },
    capabilities: &["transform", "transform-table-buffer"],
    include: "placement_buffer.glsl",
};

/// The table as a texture.
pub const TEXTURE_BINDING: PlacementBinding = PlacementBinding {
    attribute: ATTRIBUTE,
    uniforms: &[FIRST_WORD, ROW_COUNT, STRIDE, WIDTH],
    table: TableBinding {
        semantic: "transform",
        name: "placement_texels",
        kind: BindingKind::Texture2D,
        format: WordFormat::R32Uint,
    },
    capabilities: &["transform", "transform-table-r32ui"],
    include: "placement_texture.glsl",
};
