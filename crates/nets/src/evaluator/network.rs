use std::sync::Arc;

use super::buffer::Buffer;
use super::conv::{Conv, Epilogue, FoldedConv, PaddedBoard};
use super::dense::Dense;
use crate::{EncodingSpec, Mlp, NetError, NetKind, Resnet, Weights};

/// A network packed for inference; threads share it.
///
/// See the [crate's example](crate).
pub struct Network {
    kind: NetKind,
    spec: EncodingSpec,
    layers: Layers,
}

enum Layers {
    Mlp(Vec<Dense>),
    Resnet(Box<ResnetLayers>),
}

/// The layers of a residual network.
struct ResnetLayers {
    board: PaddedBoard,
    input: Conv,
    blocks: Vec<[Conv; 2]>,
    policy_conv: Conv,
    policy_out: Conv,
    value_conv: Conv,
    value_hidden: Dense,
    value_out: Dense,
    ownership: Option<Conv>,
}

/// A thread's handle to a [`Network`], with its own scratch memory. Clones share the network.
pub struct Evaluator {
    network: Arc<Network>,
    scratch: Scratch,
    /// Policy logits; the last one is always 0.
    policy: Vec<f32>,
    ownership: Vec<f32>,
}

enum Scratch {
    Mlp(Vec<Buffer>),
    Resnet(Box<Activations>),
}

struct Activations {
    input: Buffer,
    trunk: Buffer,
    inner: Buffer,
    policy_conv: Buffer,
    policy_out: Buffer,
    value_conv: Buffer,
    value_planes: Vec<f32>,
    value_hidden: Buffer,
    value_out: Buffer,
    ownership: Option<Buffer>,
}

/// A network's outputs for a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Output<'a> {
    /// The expected result for the side to move, from -1 to 1; for the second side in absolute networks.
    pub value: f32,
    /// Policy logits by policy index, followed by a constant 0; none without a policy head.
    pub policy: Option<&'a [f32]>,
    /// Final owner of each square, from -1 (opponent) to 1 (side to move); none without an ownership head.
    pub ownership: Option<&'a [f32]>,
}

impl Network {
    /// Folds and packs the weights; an error if they do not fit the game.
    pub fn new(weights: &Weights, spec: &EncodingSpec) -> Result<Self, NetError> {
        weights.check(spec)?;
        let tensors = Tensors(weights);
        let layers = match &weights.kind {
            NetKind::Mlp(Mlp { sizes, .. }) => {
                let layer = |layer: usize| tensors.dense(&format!("layer.{layer}"));
                Layers::Mlp((0..sizes.len() - 1).map(layer).collect())
            }
            NetKind::Resnet(resnet) => Layers::Resnet(Box::new(tensors.layers(resnet, spec))),
        };
        Ok(Self { kind: weights.kind.clone(), spec: *spec, layers })
    }

    /// The architecture.
    pub const fn kind(&self) -> &NetKind {
        &self.kind
    }

    /// Whether the input is the game's table encoding instead of its planes.
    pub fn reads_flat(&self) -> bool {
        self.kind.reads_flat(&self.spec)
    }

    /// The input length.
    pub fn inputs(&self) -> usize {
        self.kind.inputs(&self.spec)
    }
}

/// Tensor lookup, after [`Weights::check`].
struct Tensors<'a>(&'a Weights);

impl Tensors<'_> {
    fn data(&self, name: &str) -> &[f32] {
        &self.0.tensors[name].data
    }

    fn dense(&self, name: &str) -> Dense {
        let weight = &self.0.tensors[&format!("{name}.weight")];
        Dense::new(weight, self.data(&format!("{name}.bias")))
    }

    fn conv(&self, name: &str, stride: usize) -> Conv {
        let weight = self.0.tensors[&format!("{name}.weight")].clone();
        let bias = self.data(&format!("{name}.bias")).to_vec();
        Conv::new(&FoldedConv { weight, bias }, stride)
    }

    fn conv_bn(&self, name: &str, stride: usize) -> Conv {
        let norm = ["gamma", "beta", "mean", "variance"]
            .map(|part| self.data(&format!("{name}.norm.{part}")));
        Conv::new(&FoldedConv::new(&self.0.tensors[&format!("{name}.conv.weight")], norm), stride)
    }

    fn layers(&self, resnet: &Resnet, spec: &EncodingSpec) -> ResnetLayers {
        let input = self.conv_bn("input", resnet.planes(spec));
        let stride = input.outputs;
        let block = |block: usize| {
            ["first", "second"].map(|part| self.conv_bn(&format!("block.{block}.{part}"), stride))
        };
        let policy_conv = self.conv_bn("policy.mix", stride);
        ResnetLayers {
            board: PaddedBoard::new(spec.width, spec.height),
            blocks: (0..resnet.blocks).map(block).collect(),
            policy_out: self.conv("policy.out", policy_conv.outputs),
            policy_conv,
            value_conv: self.conv_bn("value.mix", stride),
            value_hidden: self.dense("value.hidden"),
            value_out: self.dense("value.out"),
            ownership: resnet.ownership.then(|| self.conv("ownership", stride)),
            input,
        }
    }
}

impl Evaluator {
    /// A handle for one thread.
    pub fn new(network: Arc<Network>) -> Self {
        let spec = network.spec;
        let scratch = match &network.layers {
            Layers::Mlp(layers) => Scratch::Mlp(layers.iter().map(Dense::buffer).collect()),
            Layers::Resnet(layers) => {
                Scratch::Resnet(Box::new(layers.activations(network.inputs() / spec.squares())))
            }
        };
        let (policy, ownership) = (vec![0.0; spec.policy_size() + 1], vec![0.0; spec.squares()]);
        Self { network, scratch, policy, ownership }
    }

    /// The network.
    pub const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Evaluates a position, encoded by [`NetKind::encode`].
    ///
    /// # Panics
    /// If the input does not have [`Network::inputs`] floats.
    pub fn run(&mut self, input: &[f32]) -> Output<'_> {
        assert_eq!(input.len(), self.network.inputs(), "inputs of a {}", self.network.kind);
        match (&self.network.layers, &mut self.scratch) {
            (Layers::Mlp(layers), Scratch::Mlp(buffers)) => {
                let value = run_mlp(layers, buffers, input);
                Output { value, policy: None, ownership: None }
            }
            (Layers::Resnet(layers), Scratch::Resnet(scratch)) => {
                let value = layers.run(scratch, input);
                layers.read_planes(&scratch.policy_out, &layers.policy_out, &mut self.policy);
                let ownership = layers.ownership.as_ref().zip(scratch.ownership.as_ref());
                if let Some((conv, buffer)) = ownership {
                    layers.read_planes(buffer, conv, &mut self.ownership);
                    self.ownership.iter_mut().for_each(|value| *value = value.tanh());
                }
                let ownership = ownership.map(|_| &self.ownership[..]);
                Output { value, policy: Some(&self.policy), ownership }
            }
            _ => unreachable!("scratch memory has the shape of its network"),
        }
    }
}

impl Clone for Evaluator {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.network))
    }
}

fn run_mlp(layers: &[Dense], buffers: &mut [Buffer], input: &[f32]) -> f32 {
    for (index, layer) in layers.iter().enumerate() {
        let (before, after) = buffers.split_at_mut(index);
        let input = before.last().map_or(input, Buffer::as_slice);
        layer.run(input, &mut after[0], index + 1 < layers.len());
    }
    buffers.last().map_or(0.0, |last| last.as_slice()[0].tanh())
}

impl ResnetLayers {
    fn activations(&self, planes: usize) -> Activations {
        let buffer = |conv: &Conv| self.board.buffer(conv.outputs);
        Activations {
            input: self.board.buffer(planes),
            trunk: buffer(&self.input),
            inner: buffer(&self.input),
            policy_conv: buffer(&self.policy_conv),
            policy_out: buffer(&self.policy_out),
            value_conv: buffer(&self.value_conv),
            value_planes: vec![0.0; self.value_hidden.inputs()],
            value_hidden: self.value_hidden.buffer(),
            value_out: self.value_out.buffer(),
            ownership: self.ownership.as_ref().map(buffer),
        }
    }

    /// Runs trunk and heads; returns the value.
    fn run(&self, scratch: &mut Activations, input: &[f32]) -> f32 {
        let board = &self.board;
        self.write_planes(input, &mut scratch.input);
        self.input.run(board, &scratch.input, &mut scratch.trunk, Epilogue::Relu);
        for [first, second] in &self.blocks {
            first.run(board, &scratch.trunk, &mut scratch.inner, Epilogue::Relu);
            second.run(board, &scratch.inner, &mut scratch.trunk, Epilogue::AddRelu);
        }
        self.policy_conv.run(board, &scratch.trunk, &mut scratch.policy_conv, Epilogue::Relu);
        self.policy_out.run(
            board,
            &scratch.policy_conv,
            &mut scratch.policy_out,
            Epilogue::Identity,
        );
        if let Some((conv, buffer)) = self.ownership.as_ref().zip(scratch.ownership.as_mut()) {
            conv.run(board, &scratch.trunk, buffer, Epilogue::Identity);
        }
        self.value_conv.run(board, &scratch.trunk, &mut scratch.value_conv, Epilogue::Relu);
        self.read_planes(&scratch.value_conv, &self.value_conv, &mut scratch.value_planes);
        self.value_hidden.run(&scratch.value_planes, &mut scratch.value_hidden, true);
        self.value_out.run(scratch.value_hidden.as_slice(), &mut scratch.value_out, false);
        scratch.value_out.as_slice()[0].tanh()
    }

    /// Planes (NCHW) to padded NHWC.
    fn write_planes(&self, planes: &[f32], buffer: &mut Buffer) {
        let squares = self.board.cells.len();
        let channels = planes.len() / squares;
        let buffer = buffer.as_mut_slice();
        for (plane, values) in planes.chunks_exact(squares).enumerate() {
            for (cell, value) in self.board.cells.iter().zip(values) {
                buffer[cell * channels + plane] = *value;
            }
        }
    }

    /// Padded NHWC to planes (NCHW), as many as there is room for; the rest is channel padding.
    fn read_planes(&self, buffer: &Buffer, conv: &Conv, planes: &mut [f32]) {
        let buffer = buffer.as_slice();
        for (plane, values) in planes.chunks_exact_mut(self.board.cells.len()).enumerate() {
            for (cell, value) in self.board.cells.iter().zip(values) {
                *value = buffer[cell * conv.outputs + plane];
            }
        }
    }
}
