//! The base mesh: the part of Wavefront OBJ that MakeHuman uses.

use std::borrow::Cow;
use std::collections::HashMap;

use morph_core::generate::Polygons;

use crate::error::MakeHumanError;
use crate::text::{float, shorten};

/// No texture coordinate.
pub(super) const NO_TEXCOORD: u32 = u32::MAX;

/// A corner of a face: a control point and a texture coordinate.
pub(super) type Corner = (u32, u32);

/// A base mesh as the file has it, faces cut into triangles.
#[derive(Debug, Default)]
pub(super) struct Obj {
    /// Control points, in the file's unit.
    pub(super) positions: Vec<[f64; 3]>,
    /// Texture coordinates with v pointing up.
    pub(super) texcoords: Vec<[f32; 2]>,
    /// The groups in the order in which the file first names them.
    pub(super) groups: Vec<Group>,
    /// Triangles that touch a point twice, which were left out.
    pub(super) faces_left_out: usize,
    /// The file has normals.
    pub(super) has_normals: bool,
}

/// The faces of one group.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) triangles: Vec<[Corner; 3]>,
    /// The faces before they were cut, by their control points.
    pub(super) polygons: Polygons,
}

/// Reads a base mesh. An error comes with its line, counted from one.
pub(super) fn parse(bytes: &[u8]) -> Result<Obj, (Option<u64>, MakeHumanError)> {
    let mut obj = Obj::default();
    let mut group_numbers: HashMap<String, usize> = HashMap::new();
    let mut group = None;
    let mut corners = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line: Cow<'_, str> = String::from_utf8_lossy(line);
        let mut parts = line.split_ascii_whitespace();
        let result = match parts.next() {
            Some("v") => vertex(&line, parts).map(|position| obj.positions.push(position)),
            Some("vt") => texcoord(&line, parts).map(|texcoord| obj.texcoords.push(texcoord)),
            Some("vn") => {
                obj.has_normals = true;
                Ok(())
            }
            Some("g") => {
                // The name that OBJ gives to faces that no group was named for.
                group = Some(group_number(
                    &mut obj,
                    &mut group_numbers,
                    parts.next().unwrap_or("default"),
                ));
                Ok(())
            }
            Some("f") => {
                let group =
                    *group.get_or_insert_with(|| group_number(&mut obj, &mut group_numbers, "default"));
                face(&mut obj, group, &line, parts, &mut corners)
            }
            // Materials, smoothing, objects and comments mean nothing to a morph.
            _ => Ok(()),
        };
        result.map_err(|error| (Some(number), error))?;
    }
    if obj.positions.is_empty() {
        return Err((None, MakeHumanError::NoVertices));
    }
    Ok(obj)
}

fn group_number(obj: &mut Obj, numbers: &mut HashMap<String, usize>, name: &str) -> usize {
    if let Some(&number) = numbers.get(name) {
        return number;
    }
    let number = obj.groups.len();
    obj.groups.push(Group {
        name: name.to_owned(),
        triangles: Vec::new(),
        polygons: Polygons::default(),
    });
    numbers.insert(name.to_owned(), number);
    number
}

fn vertex<'a>(line: &str, mut parts: impl Iterator<Item = &'a str>) -> Result<[f64; 3], MakeHumanError> {
    let mut position = [0.0; 3];
    for component in &mut position {
        let part = parts.next().ok_or_else(|| MakeHumanError::Line {
            expected: "v x y z",
            found: shorten(line),
        })?;
        *component = float(part)?;
    }
    Ok(position)
}

fn texcoord<'a>(line: &str, mut parts: impl Iterator<Item = &'a str>) -> Result<[f32; 2], MakeHumanError> {
    let u = parts.next().ok_or_else(|| MakeHumanError::Line {
        expected: "vt u v",
        found: shorten(line),
    })?;
    // The second coordinate may be left out and is zero then.
    let v = parts.next().unwrap_or("0");
    Ok([float(u)? as f32, float(v)? as f32])
}

/// Cuts a polygon into triangles that all touch its first corner.
fn face<'a>(
    obj: &mut Obj,
    group: usize,
    line: &str,
    parts: impl Iterator<Item = &'a str>,
    corners: &mut Vec<Corner>,
) -> Result<(), MakeHumanError> {
    corners.clear();
    for part in parts.take_while(|part| !part.starts_with('#')) {
        let mut numbers = part.split('/');
        let point = reference(numbers.next().unwrap_or(""), "vertex", obj.positions.len())?;
        let texcoord = match numbers.next() {
            None | Some("") => NO_TEXCOORD,
            Some(number) => reference(number, "texture coordinate", obj.texcoords.len())?,
        };
        corners.push((point, texcoord));
    }
    if corners.len() < 3 {
        let expected = "f and at least three corners";
        return Err(MakeHumanError::Line {
            expected,
            found: shorten(line),
        });
    }
    obj.groups[group]
        .polygons
        .push(corners.iter().map(|&(point, _)| point as usize));
    for edge in corners[1..].windows(2) {
        let triangle = [corners[0], edge[0], edge[1]];
        let [(a, _), (b, _), (c, _)] = triangle;
        if a == b || b == c || c == a {
            obj.faces_left_out += 1;
        } else {
            obj.groups[group].triangles.push(triangle);
        }
    }
    Ok(())
}

/// Reads a reference to one of the `count` items so far: from 1 on, or from -1 on backwards.
fn reference(text: &str, kind: &'static str, count: usize) -> Result<u32, MakeHumanError> {
    let index: i64 = text.parse().map_err(|_| MakeHumanError::Number {
        expected: "a whole number",
        found: shorten(text),
    })?;
    let from_start = match index {
        1.. => Some(index - 1),
        0 => None,
        _ => (count as i64).checked_add(index),
    };
    from_start
        .and_then(|index| u32::try_from(index).ok())
        .filter(|&index| (index as usize) < count && index != NO_TEXCOORD)
        .ok_or(MakeHumanError::FaceIndex { kind, index, count })
}
