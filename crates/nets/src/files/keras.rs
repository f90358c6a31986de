//! Fully connected networks of Keras: `.keras` (Keras 3) and `.h5` (the older format, which Otelo saved).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tablero_core::excerpt;

use super::hdf5::{self, Attribute, Group};
use super::zip;
use crate::weights::content;
use crate::{EncodingSpec, Mlp, NetError, NetKind, Tensor, Weights};

/// The version whose format is written.
const KERAS_VERSION: &str = "3.15.1";
// The files of a `.keras` archive.
const CONFIG: &str = "config.json";
const METADATA: &str = "metadata.json";
const WEIGHTS: &str = "model.weights.h5";
/// Our metadata: a file of the archive, or an attribute of the root. Keras ignores it.
const OURS: &str = "tablero.json";

/// What Keras does not know of a network.
#[derive(Deserialize)]
struct Metadata {
    game: String,
    net: String,
    encoding: u32,
    provenance: Vec<String>,
}

/// A layer of the model's configuration.
#[derive(Deserialize)]
struct LayerConfig {
    class_name: String,
    config: Value,
}

/// A fully connected layer.
struct Dense<'a> {
    /// `[inputs, outputs]`.
    kernel: &'a Tensor,
    bias: Option<&'a Tensor>,
}

pub(super) fn read_keras(bytes: &[u8], spec: &EncodingSpec) -> Result<Weights, NetError> {
    let entries = zip::read(bytes)?;
    let entry = |name: &str| {
        let entry = entries.get(name).map(Vec::as_slice);
        entry.ok_or_else(|| content(&format!("not a Keras file: the archive has no {name}")))
    };
    let root = hdf5::read(entry(WEIGHTS)?)?;
    let names = dense_layers(&parse(entry(CONFIG)?)?)?;
    let mut layers = Vec::new();
    for (index, name) in names.iter().enumerate() {
        // Keras numbers the layers of a class, whatever their names.
        let suffix = if index == 0 { String::new() } else { format!("_{index}") };
        let variables =
            |number: usize| root.dataset(&format!("layers/dense{suffix}/vars/{number}"));
        let kernel = variables(0).ok_or_else(|| no_weights(name))?;
        layers.push(Dense { kernel, bias: variables(1) });
    }
    let metadata = entries.get(OURS).map(Vec::as_slice).map(parse).transpose()?;
    let version = parse(entry(METADATA)?)?;
    weights(&layers, metadata, version["keras_version"].as_str(), spec)
}

pub(super) fn read_h5(bytes: &[u8], spec: &EncodingSpec) -> Result<Weights, NetError> {
    let root = hdf5::read(bytes)?;
    let config = root.text("model_config").ok_or_else(|| {
        content(
            "an HDF5 file without a model; in Keras, save the whole model, not only its weights",
        )
    })?;
    let names = dense_layers(&parse(config.as_bytes())?)?;
    let mut layers = Vec::new();
    for name in &names {
        let layer = root.groups.get("model_weights").and_then(|all| all.groups.get(name));
        let layer = layer.ok_or_else(|| no_weights(name))?;
        let variables = layer.list("weight_names").unwrap_or_default();
        let variable = |number: usize| layer.dataset(variables.get(number)?);
        let kernel = variable(0).ok_or_else(|| no_weights(name))?;
        layers.push(Dense { kernel, bias: variable(1) });
    }
    let metadata = root.text(OURS).map(str::as_bytes).map(parse).transpose()?;
    weights(&layers, metadata, root.text("keras_version"), spec)
}

fn no_weights(layer: &str) -> NetError {
    content(&format!("the layer `{}` has no weights", excerpt(layer)))
}

fn parse(json: &[u8]) -> Result<Value, NetError> {
    serde_json::from_slice(json).map_err(|_| content("not a Keras file: invalid JSON"))
}

/// The names of the fully connected layers of a model, if it is one of our kind.
fn dense_layers(model: &Value) -> Result<Vec<String>, NetError> {
    let class = model["class_name"].as_str().unwrap_or_default();
    if class != "Sequential" {
        let class = excerpt(class);
        return Err(content(&format!("a Keras model of class `{class}`; only Sequential is read")));
    }
    let layers: Vec<LayerConfig> = serde_json::from_value(model["config"]["layers"].clone())
        .map_err(|_| content("the Keras model has no list of layers"))?;
    // Dropout does nothing outside training.
    let is_dense = |layer: &&LayerConfig| {
        !matches!(layer.class_name.as_str(), "InputLayer" | "Dropout" | "Flatten")
    };
    let layers: Vec<&LayerConfig> = layers.iter().filter(is_dense).collect();
    let mut names = Vec::new();
    for (index, layer) in layers.iter().enumerate() {
        let class = excerpt(&layer.class_name);
        let name = layer.config["name"].as_str().unwrap_or_default();
        let activation = layer.config["activation"].as_str().unwrap_or_default();
        let expected = if index + 1 == layers.len() { "tanh" } else { "relu" };
        if layer.class_name != "Dense" {
            return Err(content(&format!(
                "the Keras model has a layer of class `{class}`; only Dense, Dropout and Flatten are read"
            )));
        }
        if activation != expected {
            let (name, activation) = (excerpt(name), excerpt(activation));
            return Err(content(&format!(
                "the layer `{name}` has activation `{activation}`, not {expected}: \
                 hidden layers need relu, the last one tanh"
            )));
        }
        names.push(name.into());
    }
    Ok(names)
}

/// The network of these layers.
fn weights(
    layers: &[Dense<'_>],
    metadata: Option<Value>,
    version: Option<&str>,
    spec: &EncodingSpec,
) -> Result<Weights, NetError> {
    let (mut sizes, mut tensors) = (Vec::new(), BTreeMap::new());
    for (layer, Dense { kernel, bias }) in layers.iter().enumerate() {
        let [inputs, outputs] = kernel.shape[..] else {
            return Err(content(&format!("layer {layer} is not a matrix")));
        };
        if layer == 0 {
            sizes.push(inputs);
        }
        sizes.push(outputs);
        let zeros = || Tensor { shape: vec![outputs], data: vec![0.0; outputs] };
        tensors.insert(format!("layer.{layer}.weight"), transpose(kernel, inputs, outputs));
        let bias = bias.map_or_else(zeros, |bias| bias.clone());
        tensors.insert(format!("layer.{layer}.bias"), bias);
    }
    if sizes.len() < 2 {
        return Err(content("the Keras model has no Dense layer"));
    }
    if let Some(metadata) = metadata {
        let metadata: Metadata = serde_json::from_value(metadata)
            .map_err(|_| content(&format!("{OURS} is not what Tablero writes")))?;
        let Metadata { game, net, encoding: version, provenance } = metadata;
        return Ok(Weights { game, kind: net.parse()?, version, provenance, tensors });
    }
    let is_absolute = sizes[0] == spec.absolute_size;
    let kind = NetKind::Mlp(Mlp { sizes, is_absolute });
    let version = excerpt(version.unwrap_or("of unknown version")).to_string();
    Ok(Weights {
        game: spec.game.into(),
        version: spec.version_for(&kind),
        provenance: vec![format!("imported from Keras {version}")],
        kind,
        tensors,
    })
}

fn transpose(tensor: &Tensor, rows: usize, columns: usize) -> Tensor {
    let mut data = Vec::with_capacity(tensor.data.len());
    for column in 0..columns {
        data.extend((0..rows).map(|row| tensor.data[row * columns + column]));
    }
    Tensor { shape: vec![columns, rows], data }
}

/// The name of a layer, as Keras would number it.
fn layer_name(layer: usize) -> String {
    if layer == 0 { "dense".into() } else { format!("dense_{layer}") }
}

/// A layer's kernel and bias, as Keras stores them.
fn variables(weights: &Weights, layer: usize) -> [Tensor; 2] {
    let weight = &weights.tensors[&format!("layer.{layer}.weight")];
    let bias = weights.tensors[&format!("layer.{layer}.bias")].clone();
    [transpose(weight, weight.shape[0], weight.shape[1]), bias]
}

/// The configuration of the model; `.keras` names the module of every class.
fn config(mlp: &Mlp, with_modules: bool) -> Value {
    let object = |module: &str, class: &str, config: Value| match with_modules {
        true => {
            json!({ "module": module, "class_name": class, "config": config, "registered_name": null })
        }
        false => json!({ "class_name": class, "config": config }),
    };
    let input =
        json!({ "batch_shape": [null, mlp.sizes[0]], "dtype": "float32", "name": "input_layer" });
    let mut layers = vec![object("keras.layers", "InputLayer", input)];
    for (layer, outputs) in mlp.sizes[1..].iter().enumerate() {
        let activation = if layer + 2 == mlp.sizes.len() { "tanh" } else { "relu" };
        let config = json!({
            "name": layer_name(layer), "units": outputs, "activation": activation, "use_bias": true,
            "dtype": "float32", "trainable": true,
        });
        let mut dense = object("keras.layers", "Dense", config);
        if with_modules {
            dense["build_config"] = json!({ "input_shape": [null, mlp.sizes[layer]] });
        }
        layers.push(dense);
    }
    let config = json!({
        "name": "sequential", "trainable": true, "layers": layers,
        "build_input_shape": [null, mlp.sizes[0]],
    });
    object("keras", "Sequential", config)
}

fn metadata(weights: &Weights) -> Value {
    json!({
        "game": weights.game, "net": weights.kind.to_string(), "encoding": weights.version,
        "provenance": weights.provenance,
    })
}

pub(super) fn write_keras(weights: &Weights, mlp: &Mlp) -> Result<Vec<u8>, NetError> {
    let mut root = Group::default();
    root.group("vars");
    for layer in 0..mlp.sizes.len() - 1 {
        for (number, tensor) in variables(weights, layer).into_iter().enumerate() {
            root.add(&format!("layers/{}/vars/{number}", layer_name(layer)), tensor);
        }
    }
    let version = json!({ "keras_version": KERAS_VERSION, "date_saved": "1980-01-01@00:00:00" });
    let text = |value: Value| value.to_string().into_bytes();
    Ok(zip::write(&[
        (METADATA, text(version)),
        (CONFIG, text(config(mlp, true))),
        (OURS, text(metadata(weights))),
        (WEIGHTS, hdf5::write(&root)?),
    ]))
}

pub(super) fn write_h5(weights: &Weights, mlp: &Mlp) -> Result<Vec<u8>, NetError> {
    let mut root = Group::default();
    root.set("model_config", &config(mlp, false).to_string());
    root.set(OURS, &metadata(weights).to_string());
    let names: Vec<String> = (0..mlp.sizes.len() - 1).map(layer_name).collect();
    root.set("keras_version", KERAS_VERSION);
    root.set("backend", "tensorflow");
    let all = root.group("model_weights");
    all.set("keras_version", KERAS_VERSION);
    all.set("backend", "tensorflow");
    for (layer, name) in names.iter().enumerate() {
        let group = all.group(name);
        let paths = ["kernel", "bias"].map(|part| format!("sequential/{name}/{part}"));
        for (path, tensor) in paths.iter().zip(variables(weights, layer)) {
            group.add(path, tensor);
        }
        group.attributes.insert("weight_names".into(), Attribute::List(paths.into()));
    }
    all.attributes.insert("layer_names".into(), Attribute::List(names));
    hdf5::write(&root)
}
