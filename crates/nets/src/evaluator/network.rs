use std::sync::Arc;

use super::buffer::Buffer;
use super::conv::{Convolution, Epilogue, FoldedConv, PaddedBoard};
use super::dense::Dense;
use super::winograd::WinogradScratch;
use crate::{EncodingSpec, Mlp, NetError, NetKind, Resnet, Weights};

/// The most positions that are evaluated together. With more, activations would not fit the cache.
pub(super) const MAX_BATCH: usize = 8;

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
    input: Convolution,
    blocks: Vec<[Convolution; 2]>,
    policy_conv: Convolution,
    policy_out: Convolution,
    value_conv: Convolution,
    value_hidden: Dense,
    value_out: Dense,
    ownership: Option<Convolution>,
}

/// A thread's handle to a [`Network`], with its own scratch memory. Clones share the network.
pub struct Evaluator {
    network: Arc<Network>,
    scratch: Scratch,
    /// Values of the positions of a batch.
    values: Vec<f32>,
    /// Policy logits of the positions; the last one of each is always 0.
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
    winograd: WinogradScratch,
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

    fn conv(&self, name: &str, stride: usize) -> Convolution {
        let weight = self.0.tensors[&format!("{name}.weight")].clone();
        let bias = self.data(&format!("{name}.bias")).to_vec();
        Convolution::new(&FoldedConv { weight, bias }, stride)
    }

    fn conv_bn(&self, name: &str, stride: usize) -> Convolution {
        let norm = ["gamma", "beta", "mean", "variance"]
            .map(|part| self.data(&format!("{name}.norm.{part}")));
        Convolution::new(
            &FoldedConv::new(&self.0.tensors[&format!("{name}.conv.weight")], norm),
            stride,
        )
    }

    fn layers(&self, resnet: &Resnet, spec: &EncodingSpec) -> ResnetLayers {
        let input = self.conv_bn("input", resnet.planes(spec));
        let stride = input.outputs();
        let block = |block: usize| {
            ["first", "second"].map(|part| self.conv_bn(&format!("block.{block}.{part}"), stride))
        };
        let policy_conv = self.conv_bn("policy.mix", stride);
        ResnetLayers {
            board: PaddedBoard::new(spec.width, spec.height, MAX_BATCH),
            blocks: (0..resnet.blocks).map(block).collect(),
            policy_out: self.conv("policy.out", policy_conv.outputs()),
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
        let values = vec![0.0; MAX_BATCH];
        let policy = vec![0.0; MAX_BATCH * (spec.policy_size() + 1)];
        let ownership = vec![0.0; MAX_BATCH * spec.squares()];
        Self { network, scratch, values, policy, ownership }
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
        self.run_chunk(input);
        self.output(0)
    }

    /// Evaluates positions, whose encodings follow each other; passes each index and output to `read`. An output does
    /// not depend on the other positions.
    ///
    /// # Panics
    /// If the inputs are not a multiple of [`Network::inputs`] floats.
    pub fn run_batch(&mut self, inputs: &[f32], mut read: impl FnMut(usize, Output<'_>)) {
        let len = self.network.inputs();
        assert!(inputs.len().is_multiple_of(len), "inputs of a {}", self.network.kind);
        for (chunk, inputs) in inputs.chunks(MAX_BATCH * len).enumerate() {
            self.run_chunk(inputs);
            for index in 0..inputs.len() / len {
                read(chunk * MAX_BATCH + index, self.output(index));
            }
        }
    }

    /// Evaluates up to [`MAX_BATCH`] positions.
    fn run_chunk(&mut self, inputs: &[f32]) {
        match (&self.network.layers, &mut self.scratch) {
            (Layers::Mlp(layers), Scratch::Mlp(buffers)) => {
                let inputs = inputs.chunks_exact(self.network.inputs());
                for (value, input) in self.values.iter_mut().zip(inputs) {
                    *value = run_mlp(layers, buffers, input);
                }
            }
            (Layers::Resnet(layers), Scratch::Resnet(scratch)) => {
                let batch = inputs.len() / self.network.inputs();
                layers.run(scratch, inputs, &mut self.values[..batch]);
                let policies = self.policy.chunks_exact_mut(self.network.spec.policy_size() + 1);
                for (index, policy) in policies.enumerate().take(batch) {
                    layers.read_planes(index, &scratch.policy_out, &layers.policy_out, policy);
                }
                let Some((conv, buffer)) =
                    layers.ownership.as_ref().zip(scratch.ownership.as_ref())
                else {
                    return;
                };
                let ownerships = self.ownership.chunks_exact_mut(self.network.spec.squares());
                for (index, ownership) in ownerships.enumerate().take(batch) {
                    layers.read_planes(index, buffer, conv, ownership);
                    ownership.iter_mut().for_each(|value| *value = value.tanh());
                }
            }
            _ => unreachable!("scratch memory has the shape of its network"),
        }
    }

    /// The output of a position of the last chunk.
    fn output(&self, index: usize) -> Output<'_> {
        let (spec, value) = (&self.network.spec, self.values[index]);
        let Layers::Resnet(layers) = &self.network.layers else {
            return Output { value, policy: None, ownership: None };
        };
        let of = |all, len| <[f32]>::chunks_exact(all, len).nth(index);
        let ownership = layers.ownership.as_ref().and(of(&self.ownership, spec.squares()));
        Output { value, policy: of(&self.policy, spec.policy_size() + 1), ownership }
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
        let buffer = |conv: &Convolution| self.board.buffer(conv.outputs());
        let heads = [&self.input, &self.policy_conv, &self.policy_out, &self.value_conv];
        let widest = heads.into_iter().chain(&self.ownership).map(Convolution::outputs).max();
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
            winograd: WinogradScratch::new(&self.board, MAX_BATCH, widest.unwrap_or(0)),
        }
    }

    /// Runs trunk and heads for positions; writes the values.
    fn run(&self, scratch: &mut Activations, inputs: &[f32], values: &mut [f32]) {
        let (board, batch) = (&self.board, values.len());
        let Activations { input, trunk, inner, winograd, .. } = scratch;
        for (index, planes) in inputs.chunks_exact(inputs.len() / batch).enumerate() {
            self.write_planes(index, planes, input);
        }
        let mut run = |conv: &Convolution, input: &Buffer, output: &mut Buffer, epilogue| {
            conv.run(board, batch, input, output, epilogue, winograd);
        };
        run(&self.input, input, trunk, Epilogue::Relu);
        for [first, second] in &self.blocks {
            run(first, trunk, inner, Epilogue::Relu);
            run(second, inner, trunk, Epilogue::AddRelu);
        }
        run(&self.policy_conv, trunk, &mut scratch.policy_conv, Epilogue::Relu);
        let policy_out = &mut scratch.policy_out;
        run(&self.policy_out, &scratch.policy_conv, policy_out, Epilogue::Identity);
        if let Some((conv, buffer)) = self.ownership.as_ref().zip(scratch.ownership.as_mut()) {
            run(conv, trunk, buffer, Epilogue::Identity);
        }
        run(&self.value_conv, trunk, &mut scratch.value_conv, Epilogue::Relu);
        for (index, value) in values.iter_mut().enumerate() {
            let planes = &mut scratch.value_planes;
            self.read_planes(index, &scratch.value_conv, &self.value_conv, planes);
            self.value_hidden.run(&scratch.value_planes, &mut scratch.value_hidden, true);
            self.value_out.run(scratch.value_hidden.as_slice(), &mut scratch.value_out, false);
            *value = scratch.value_out.as_slice()[0].tanh();
        }
    }

    /// Planes (NCHW) of position `index` to padded NHWC.
    fn write_planes(&self, index: usize, planes: &[f32], buffer: &mut Buffer) {
        let cells = self.board.cells(index);
        let channels = planes.len() / cells.len();
        let buffer = buffer.as_mut_slice();
        for (plane, values) in planes.chunks_exact(cells.len()).enumerate() {
            for (cell, value) in cells.iter().zip(values) {
                buffer[cell * channels + plane] = *value;
            }
        }
    }

    /// Padded NHWC to planes (NCHW) of position `index`, as many as there is room for; the rest is channel padding.
    fn read_planes(&self, index: usize, buffer: &Buffer, conv: &Convolution, planes: &mut [f32]) {
        let (buffer, cells) = (buffer.as_slice(), self.board.cells(index));
        for (plane, values) in planes.chunks_exact_mut(cells.len()).enumerate() {
            for (cell, value) in cells.iter().zip(values) {
                *value = buffer[cell * conv.outputs() + plane];
            }
        }
    }
}
