//! The lists of a file, each item as far as it could be read.

use std::collections::HashSet;

use super::accessors::Accessor;
use super::animations::Animation;
use super::asset::Extensions;
use super::buffers::{Buffer, View};
use super::json::{Json, child};
use super::meshes::Mesh;
use super::nodes::{Node, Scene};
use super::object::{Need, Object, Reading};
use super::skins::Skin;

/// The lists. An item that could not be read at all is `None`, and counts as not there.
#[derive(Debug)]
pub(super) struct Lists<'j> {
    pub(super) extensions: Extensions,
    pub(super) buffers: Vec<Option<Buffer<'j>>>,
    pub(super) views: Vec<Option<View>>,
    pub(super) accessors: Vec<Option<Accessor>>,
    pub(super) meshes: Vec<Option<Mesh<'j>>>,
    pub(super) nodes: Vec<Option<Node>>,
    pub(super) skins: Vec<Option<Skin>>,
    pub(super) animations: Vec<Option<Animation<'j>>>,
    pub(super) scenes: Vec<Option<Scene>>,
    pub(super) material_count: u64,
    pub(super) camera_count: u64,
}

impl<'j> Lists<'j> {
    /// Reads all lists of the root object.
    pub(super) fn read(root: &mut Object<'j, '_>, extensions: Extensions) -> Self {
        let accessors = items(root, "accessors", Accessor::read);
        let animations = items(root, "animations", |object| Animation::read(object, extensions));
        let buffers = items(root, "buffers", Buffer::read);
        let mut views = items(root, "bufferViews", View::read);
        images_use_views(root, &mut views);
        let camera_count = length(root, "cameras");
        let material_count = length(root, "materials");
        let meshes = items(root, "meshes", Mesh::read);
        let nodes = items(root, "nodes", Node::read);
        let scenes = items(root, "scenes", Scene::read);
        let skins = items(root, "skins", Skin::read);
        Lists {
            extensions,
            buffers,
            views,
            accessors,
            meshes,
            nodes,
            skins,
            animations,
            scenes,
            material_count,
            camera_count,
        }
    }

    pub(super) fn buffer(&self, index: u64) -> Option<&Buffer<'j>> {
        get(&self.buffers, index)
    }

    pub(super) fn view(&self, index: u64) -> Option<&View> {
        get(&self.views, index)
    }

    pub(super) fn view_mut(&mut self, index: u64) -> Option<&mut View> {
        self.views.get_mut(usize::try_from(index).ok()?)?.as_mut()
    }

    pub(super) fn accessor(&self, index: u64) -> Option<&Accessor> {
        get(&self.accessors, index)
    }

    pub(super) fn accessor_mut(&mut self, index: u64) -> Option<&mut Accessor> {
        self.accessors.get_mut(usize::try_from(index).ok()?)?.as_mut()
    }

    pub(super) fn mesh(&self, index: u64) -> Option<&Mesh<'j>> {
        get(&self.meshes, index)
    }

    pub(super) fn node(&self, index: u64) -> Option<&Node> {
        get(&self.nodes, index)
    }

    pub(super) fn skin(&self, index: u64) -> Option<&Skin> {
        get(&self.skins, index)
    }

    /// The buffer view of an accessor.
    pub(super) fn view_of(&self, accessor: &Accessor) -> Option<&View> {
        self.view(accessor.view?)
    }

    pub(super) fn views(&self) -> impl Iterator<Item = (usize, &View)> {
        present(&self.views)
    }
}

/// An item that is there and could be read.
fn get<T>(list: &[Option<T>], index: u64) -> Option<&T> {
    list.get(usize::try_from(index).ok()?)?.as_ref()
}

/// All items that could be read, with their indices.
pub(super) fn present<T>(list: &[Option<T>]) -> impl Iterator<Item = (usize, &T)> {
    list.iter()
        .enumerate()
        .filter_map(|(index, item)| Some((index, item.as_ref()?)))
}

/// Reads the objects of a list of the root.
fn items<'j, T>(
    root: &mut Object<'j, '_>,
    name: &str,
    mut read: impl FnMut(&mut Object<'j, '_>) -> T,
) -> Vec<Option<T>> {
    let Some(list) = root.list(name, Need::Optional) else {
        return Vec::new();
    };
    let place = child(&root.pointer, name);
    let reading: &mut Reading = root.reading;
    let mut item = |(index, json): (usize, &'j Json)| {
        let pointer = child(&place, index);
        let Some(members) = json.object() else {
            let message = format!("the item is {}, it has to be an object", json.kind());
            reading.findings.error("TYPE_MISMATCH", pointer, message);
            return None;
        };
        Some(read(&mut Object {
            members,
            pointer,
            reading: &mut *reading,
        }))
    };
    list.iter().enumerate().map(&mut item).collect()
}

/// The length of a list whose items are not looked into.
fn length(root: &Object<'_, '_>, name: &str) -> u64 {
    let list = root.members.get(name).and_then(Json::list);
    list.map_or(0, |list| list.len() as u64)
}

/// Notes the buffer views that hold images, whose own faults are not looked for.
fn images_use_views(root: &Object<'_, '_>, views: &mut [Option<View>]) {
    let images = root
        .members
        .get("images")
        .and_then(Json::list)
        .unwrap_or_default();
    let named: HashSet<u64> = images
        .iter()
        .filter_map(|image| image.object()?.get("bufferView")?.index())
        .collect();
    for index in named {
        if let Ok(index) = usize::try_from(index)
            && let Some(Some(view)) = views.get_mut(index)
        {
            view.usage.get_or_insert(super::buffers::ViewUsage::Image);
        }
    }
}
