//! Buffer views compressed by meshoptimizer: `EXT_meshopt_compression` and its successor `KHR_meshopt_compression`.
//!
//! Both describe a compressed view in the same way. What the successor adds, a second version of the attribute codec
//! and the filter of colors, the data itself names, so it is read under either name.

use super::document::Compression;

/// Why data cannot be decompressed.
pub(crate) type Reason = &'static str;

/// The longest element of the attribute codec.
const MOST_ATTRIBUTE_BYTES: u64 = 256;

/// How a view was compressed, with the lengths checked that its decoder takes for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Codec {
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

impl Codec {
    /// Checks what the file says of a compressed view.
    pub(crate) fn new(described: &Compression) -> Result<Self, Reason> {
        let mode = match described.mode.as_str() {
            "ATTRIBUTES" => Mode::Attributes,
            "TRIANGLES" => Mode::Triangles,
            "INDICES" => Mode::Indices,
            _ => return Err("its mode is none of ATTRIBUTES, TRIANGLES and INDICES"),
        };
        let filter = match described.filter.as_deref() {
            None | Some("NONE") => Filter::None,
            Some("OCTAHEDRAL") => Filter::Octahedral,
            Some("QUATERNION") => Filter::Quaternion,
            Some("EXPONENTIAL") => Filter::Exponential,
            Some("COLOR") => Filter::Color,
            Some(_) => {
                return Err("its filter is none of NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL and COLOR");
            }
        };
        let (count, stride) = (described.count.0, described.byte_stride.0);
        match mode {
            Mode::Attributes if stride == 0 || stride % 4 != 0 || stride > MOST_ATTRIBUTE_BYTES => {
                return Err("the stride of attributes has to be a multiple of 4 up to 256");
            }
            Mode::Triangles | Mode::Indices if stride != 2 && stride != 4 => {
                return Err("the stride of indices has to be 2 or 4");
            }
            Mode::Triangles if count % 3 != 0 => return Err("three indices make a triangle"),
            _ => {}
        }
        match filter {
            Filter::None => {}
            _ if mode != Mode::Attributes => return Err("only attributes have a filter"),
            Filter::Octahedral | Filter::Color if stride != 4 && stride != 8 => {
                return Err("the stride of normals and colors that are filtered has to be 4 or 8");
            }
            Filter::Quaternion if stride != 8 => return Err("the stride of filtered rotations has to be 8"),
            _ => {}
        }
        let bytes = count
            .checked_mul(stride)
            .and_then(|bytes| usize::try_from(bytes).ok());
        if bytes.is_none() {
            return Err("it is longer than memory");
        }
        Ok(Self {
            mode,
            filter,
            count: count as usize,
            stride: stride as usize,
        })
    }

    /// The bytes that the view has once decompressed.
    pub(crate) fn decoded_bytes(self) -> usize {
        self.count * self.stride
    }

    /// Decompresses, into words so that elements are aligned; the last word may be half filled.
    pub(crate) fn decode(self, compressed: &[u8]) -> Result<Vec<u32>, Reason> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        match (self.mode, self.stride) {
            (Mode::Attributes, _) => {
                let mut words = self.decode_attributes(compressed)?;
                self.undo_filter(&mut words);
                Ok(words)
            }
            (Mode::Triangles, 2) => words(meshopt::decode_index_buffer::<u16>(compressed, self.count)),
            (Mode::Triangles, _) => {
                meshopt::decode_index_buffer::<u32>(compressed, self.count).map_err(|_| DAMAGED)
            }
            (Mode::Indices, 2) => words(meshopt::decode_index_sequence::<u16>(compressed, self.count)),
            (Mode::Indices, _) => {
                meshopt::decode_index_sequence::<u32>(compressed, self.count).map_err(|_| DAMAGED)
            }
        }
    }

    fn decode_attributes(self, compressed: &[u8]) -> Result<Vec<u32>, Reason> {
        // The crate's own wrapper takes the stride from a type, and the file may have any.
        let mut words = vec![0_u32; self.decoded_bytes() / 4];
        // SAFETY: `words` has the `count * stride` bytes that the decoder writes, as the stride is a multiple of 4, and
        // it reads no more of `compressed` than its length, whatever the bytes are. `new` has checked that the stride
        // is one that the decoder takes, and `decode` that there are elements.
        let code = unsafe {
            meshopt::ffi::meshopt_decodeVertexBuffer(
                words.as_mut_ptr().cast(),
                self.count,
                self.stride,
                compressed.as_ptr(),
                compressed.len(),
            )
        };
        if code == 0 { Ok(words) } else { Err(DAMAGED) }
    }

    /// `new` has checked that elements have the size that the filter works on.
    fn undo_filter(self, words: &mut [u32]) {
        match (self.filter, self.stride) {
            (Filter::None, _) => {}
            (Filter::Octahedral, 4) => {
                meshopt::decode_filter_oct::<i8>(bytemuck::cast_slice_mut(words));
            }
            (Filter::Octahedral, _) => {
                meshopt::decode_filter_oct::<i16>(bytemuck::cast_slice_mut(words));
            }
            (Filter::Quaternion, _) => meshopt::decode_filter_quat(bytemuck::cast_slice_mut(words)),
            (Filter::Exponential, _) => {
                meshopt::decode_filter_exp::<1>(bytemuck::cast_slice_mut(words));
            }
            (Filter::Color, 4) => {
                meshopt::decode_filter_color::<i8>(bytemuck::cast_slice_mut(words));
            }
            (Filter::Color, _) => {
                meshopt::decode_filter_color::<i16>(bytemuck::cast_slice_mut(words));
            }
        }
    }
}

const DAMAGED: Reason = "the compressed data is damaged";

/// Short indices as words.
fn words(indices: meshopt::Result<Vec<u16>>) -> Result<Vec<u32>, Reason> {
    let indices = indices.map_err(|_| DAMAGED)?;
    let mut words = vec![0_u32; indices.len().div_ceil(2)];
    bytemuck::cast_slice_mut::<u32, u16>(&mut words)[..indices.len()].copy_from_slice(&indices);
    Ok(words)
}
