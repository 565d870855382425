//! A builder of small FBX files in the text form of version 7.4.

#![allow(dead_code, reason = "every test program uses a part of it")]

use std::fmt::Write as _;
use std::path::Path;

use morph_import::{ImportError, ImportOptions, Model};

/// A cube of eight control points and six faces, its corners in the order of the faces.
pub(crate) const CUBE: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];
pub(crate) const CUBE_FACES: [[i64; 4]; 6] = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [2, 3, 7, 6],
    [1, 2, 6, 5],
    [3, 0, 4, 7],
];
pub(crate) const CUBE_NORMALS: [[f64; 3]; 6] = [
    [0.0, 0.0, -1.0],
    [0.0, 0.0, 1.0],
    [0.0, -1.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 0.0, 0.0],
    [-1.0, 0.0, 0.0],
];

/// A shape of a blend channel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) full_weight: f64,
    pub(crate) points: Vec<i64>,
    pub(crate) offsets: Vec<[f64; 3]>,
    pub(crate) normals: Option<Vec<[f64; 3]>>,
}

impl Shape {
    pub(crate) fn new(name: &'static str, points: &[i64], offset: [f64; 3]) -> Self {
        Shape {
            name,
            full_weight: 100.0,
            points: points.to_vec(),
            offsets: vec![offset; points.len()],
            normals: None,
        }
    }

    pub(crate) fn at(self, full_weight: f64) -> Self {
        Shape { full_weight, ..self }
    }
}

/// An FBX file in the making.
#[derive(Debug, Default)]
pub(crate) struct Fbx {
    settings: String,
    objects: String,
    connections: String,
    next_id: u64,
}

fn list(values: impl IntoIterator<Item = f64>) -> String {
    values
        .into_iter()
        .map(|value| value.to_string())
        .collect::<Vec<_>>()
        .join(",")
}

/// An array of the text form.
pub(crate) fn array(name: &str, values: impl IntoIterator<Item = f64>) -> String {
    let values: Vec<f64> = values.into_iter().collect();
    format!(
        "{name}: *{} {{ a: {} }}\n",
        values.len(),
        list(values.iter().copied())
    )
}

impl Fbx {
    pub(crate) fn new() -> Self {
        Fbx {
            next_id: 1000,
            ..Fbx::default()
        }
        .unit(100.0)
    }

    /// Sets the unit, in centimetres.
    pub(crate) fn unit(mut self, centimetres: f64) -> Self {
        let axes = [
            ("UpAxis", 1),
            ("UpAxisSign", 1),
            ("FrontAxis", 2),
            ("FrontAxisSign", 1),
            ("CoordAxis", 0),
            ("CoordAxisSign", 1),
        ];
        self.settings.clear();
        for (name, value) in axes {
            let _ = writeln!(self.settings, "P: \"{name}\", \"int\", \"Integer\", \"\",{value}");
        }
        let _ = writeln!(
            self.settings,
            "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{centimetres}"
        );
        self
    }

    pub(crate) fn z_up(self) -> Self {
        self.axes(&[("UpAxis", 2), ("FrontAxis", 1), ("FrontAxisSign", -1)])
    }

    /// Sets some of what says where the axes point; the last value of a name stands.
    pub(crate) fn axes(mut self, axes: &[(&str, i64)]) -> Self {
        for (name, value) in axes {
            let _ = writeln!(self.settings, "P: \"{name}\", \"int\", \"Integer\", \"\",{value}");
        }
        self
    }

    fn id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Adds an object; `class` is such as `Model` and the text is what stands between its braces.
    pub(crate) fn object(
        &mut self,
        kind: &str,
        class: &str,
        name: &str,
        sub_class: &str,
        content: &str,
    ) -> u64 {
        let id = self.id();
        let _ = writeln!(
            self.objects,
            "{kind}: {id}, \"{class}::{name}\", \"{sub_class}\" {{\n{content}}}"
        );
        id
    }

    pub(crate) fn connect(&mut self, child: u64, parent: u64) {
        let _ = writeln!(self.connections, "C: \"OO\",{child},{parent}");
    }

    pub(crate) fn connect_property(&mut self, child: u64, parent: u64, property: &str) {
        let _ = writeln!(self.connections, "C: \"OP\",{child},{parent}, \"{property}\"");
    }

    /// A node below the root; the properties are such as `("Lcl Translation", [1.0, 0.0, 0.0])`.
    pub(crate) fn node(&mut self, name: &str, sub_class: &str, properties: &[(&str, [f64; 3])]) -> u64 {
        let mut content = "Version: 232\nProperties70: {\n".to_owned();
        for (property, value) in properties {
            let _ = writeln!(
                content,
                "P: \"{property}\", \"{property}\", \"\", \"A\",{}",
                list(*value)
            );
        }
        content.push_str("}\n");
        let id = self.object("Model", "Model", name, sub_class, &content);
        self.connect(id, 0);
        id
    }

    /// Geometry of faces, with whatever layers are given, on a node of its own; returns the geometry and the node.
    pub(crate) fn mesh(&mut self, points: &[[f64; 3]], faces: &[Vec<i64>], layers: &str) -> (u64, u64) {
        let mut content = array("Vertices", points.iter().flatten().copied());
        let corners = faces.iter().flat_map(|face| {
            let (last, rest) = face.split_last().unwrap();
            rest.iter().copied().chain([!last])
        });
        content.push_str(&array("PolygonVertexIndex", corners.map(|corner| corner as f64)));
        content.push_str("GeometryVersion: 124\n");
        content.push_str(layers);
        let geometry = self.object("Geometry", "Geometry", "mesh", "Mesh", &content);
        let node = self.node("Body", "Mesh", &[]);
        self.connect(geometry, node);
        (geometry, node)
    }

    /// The cube with a normal for each face.
    pub(crate) fn hard_cube(&mut self, more_layers: &str) -> (u64, u64) {
        let normals = CUBE_NORMALS.iter().flat_map(|normal| [*normal; 4]).flatten();
        let layers = format!(
            "LayerElementNormal: 0 {{\nVersion: 101\nName: \"\"\nMappingInformationType: \"ByPolygonVertex\"\n\
             ReferenceInformationType: \"Direct\"\n{}}}\n{more_layers}Layer: 0 {{\nVersion: 100\n{}{}}}\n",
            array("Normals", normals),
            "LayerElement: {\nType: \"LayerElementNormal\"\nTypedIndex: 0\n}\n",
            "LayerElement: {\nType: \"LayerElementMaterial\"\nTypedIndex: 0\n}\n",
        );
        self.mesh(&CUBE, &CUBE_FACES.map(Vec::from), &layers)
    }

    /// A blend deformer on a geometry.
    pub(crate) fn deformer(&mut self, geometry: u64, name: &str) -> u64 {
        let deformer = self.object("Deformer", "Deformer", name, "BlendShape", "Version: 100\n");
        self.connect(deformer, geometry);
        deformer
    }

    /// A channel on a deformer.
    pub(crate) fn channel(&mut self, deformer: u64, name: &str, percent: f64, shapes: &[Shape]) -> u64 {
        let content = format!(
            "Version: 100\nProperties70: {{\nP: \"DeformPercent\", \"Number\", \"\", \"A\",{percent}\n}}\n{}",
            array("FullWeights", shapes.iter().map(|shape| shape.full_weight)),
        );
        let channel = self.object("Deformer", "SubDeformer", name, "BlendShapeChannel", &content);
        self.connect(channel, deformer);
        for shape in shapes {
            let mut content = "Version: 100\n".to_owned();
            content.push_str(&array("Indexes", shape.points.iter().map(|&point| point as f64)));
            content.push_str(&array("Vertices", shape.offsets.iter().flatten().copied()));
            if let Some(normals) = &shape.normals {
                content.push_str(&array("Normals", normals.iter().flatten().copied()));
            }
            let id = self.object("Geometry", "Geometry", shape.name, "Shape", &content);
            self.connect(id, channel);
        }
        channel
    }

    /// A stack with one layer; returns the layer.
    pub(crate) fn stack(&mut self, name: &str) -> u64 {
        let stack = self.object("AnimationStack", "AnimStack", name, "", "");
        let layer = self.object("AnimationLayer", "AnimLayer", "BaseLayer", "", "");
        self.connect(layer, stack);
        layer
    }

    /// Animates a property of an object by linear keys at times in seconds.
    pub(crate) fn animate(
        &mut self,
        layer: u64,
        object: u64,
        property: &str,
        curves: &[(&str, &[(f64, f64)])],
    ) {
        const TICKS: f64 = 46_186_158_000.0;
        const LINEAR: f64 = 4.0;
        let node = self.object("AnimationCurveNode", "AnimCurveNode", property, "", "");
        self.connect(node, layer);
        self.connect_property(node, object, property);
        for (component, keys) in curves {
            let content = format!(
                "Default: 0\nKeyVer: 4008\n{}{}{}{}{}",
                array("KeyTime", keys.iter().map(|key| key.0 * TICKS)),
                array("KeyValueFloat", keys.iter().map(|key| key.1)),
                array("KeyAttrFlags", [LINEAR]),
                array("KeyAttrDataFloat", [0.0; 4]),
                array("KeyAttrRefCount", [keys.len() as f64]),
            );
            let curve = self.object("AnimationCurve", "AnimCurve", "", "", &content);
            self.connect_property(curve, node, component);
        }
    }

    pub(crate) fn text(&self) -> String {
        format!(
            "; FBX 7.4.0 project file\nFBXHeaderExtension: {{\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}}\n\
             GlobalSettings: {{\nVersion: 1000\nProperties70: {{\n{}}}\n}}\nObjects: {{\n{}}}\nConnections: {{\n{}}}\n",
            self.settings, self.objects, self.connections,
        )
    }

    pub(crate) fn load_with(&self, options: &ImportOptions) -> Result<Model, ImportError> {
        morph_import::load_bytes(Path::new("model.fbx"), self.text().as_bytes(), options)
    }

    pub(crate) fn model(&self) -> Model {
        let model = self.load_with(&ImportOptions::default()).unwrap();
        super::common::check(&model);
        model
    }
}
