//! A vertex layout as vertex input of an engine's pipelines.

use ash::vk;
use morph_core::{Stream, VertexAttribute, VertexFormat, VertexLayout, VertexSet};

/// The format in which vertex input reads an attribute.
///
/// Every device reads all of them but `A2B10G10R10_SNORM_PACK32`, which most do; ask for
/// `VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT` first.
pub fn attribute_format(attribute: VertexAttribute, format: VertexFormat) -> vk::Format {
    match (format, attribute) {
        (VertexFormat::Snorm10, _) => vk::Format::A2B10G10R10_SNORM_PACK32,
        (VertexFormat::Octahedral16, _) => vk::Format::R16G16_SNORM,
        (VertexFormat::Float32, VertexAttribute::Stream(Stream::Position | Stream::Normal)) => {
            vk::Format::R32G32B32_SFLOAT
        }
        (
            VertexFormat::Float32,
            VertexAttribute::Stream(Stream::Tangent) | VertexAttribute::Set(VertexSet::Color(_)),
        ) => vk::Format::R32G32B32A32_SFLOAT,
        (VertexFormat::Float32, VertexAttribute::Set(VertexSet::Texcoord(_))) => vk::Format::R32G32_SFLOAT,
    }
}

/// The bindings of a layout, one for each stream from 0 on, stepped by vertex.
pub fn vertex_bindings(layout: &VertexLayout) -> Vec<vk::VertexInputBindingDescription> {
    let strides = (0..).zip(layout.strides());
    strides
        .map(|(binding, &stride)| vk::VertexInputBindingDescription {
            binding,
            stride,
            input_rate: vk::VertexInputRate::VERTEX,
        })
        .collect()
}

/// The attributes of a layout, at locations from 0 on: position, normal, tangent, texture coordinates, colors, as far as
/// the layout has them.
pub fn vertex_attributes(layout: &VertexLayout) -> Vec<vk::VertexInputAttributeDescription> {
    let attributes = (0..).zip(layout.attributes());
    attributes
        .map(
            |(location, (attribute, place))| vk::VertexInputAttributeDescription {
                location,
                binding: place.stream,
                format: attribute_format(attribute, place.format),
                offset: place.offset,
            },
        )
        .collect()
}
