use std::sync::Arc;

use super::buffer::Buffer;
use super::conv::{After, Conv, Folded, Grid};
use super::dense::Dense;
use crate::{Dims, NetError, NetKind, Resnet, Weights};

/// A network made ready to be evaluated; threads share it.
pub struct Network {
    kind: NetKind,
    dims: Dims,
    body: Body,
}

enum Body {
    Mlp(Vec<Dense>),
    Resnet(Box<Layers>),
}

/// The layers of a residual network.
struct Layers {
    grid: Grid,
    input: Conv,
    blocks: Vec<[Conv; 2]>,
    policy_mix: Conv,
    policy_out: Conv,
    value_mix: Conv,
    value_hidden: Dense,
    value_out: Dense,
    ownership: Option<Conv>,
}

/// One thread's memory for a [`Network`].
pub struct Evaluator {
    network: Arc<Network>,
    memory: Memory,
    /// For every output for moves its worth; the last one is always 0.
    policy: Vec<f32>,
    ownership: Vec<f32>,
}

enum Memory {
    Mlp(Vec<Buffer>),
    Resnet(Box<Activations>),
}

struct Activations {
    input: Buffer,
    trunk: Buffer,
    inside: Buffer,
    policy_mix: Buffer,
    policy_out: Buffer,
    value_mix: Buffer,
    value_planes: Vec<f32>,
    value_hidden: Buffer,
    value_out: Buffer,
    ownership: Option<Buffer>,
}

/// What a network says about a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Output<'a> {
    /// From -1 to 1.
    pub value: f32,
    /// Before any softmax, one number for each output for moves, and a 0; none if the network has
    /// nothing to say about moves.
    pub policy: Option<&'a [f32]>,
    /// For each square from -1 (the opponent's in the end) to 1 (the mover's), if the network says
    /// so.
    pub ownership: Option<&'a [f32]>,
}

impl Network {
    /// An error if the weights are not those of a network for such a game.
    pub fn new(weights: &Weights, dims: &Dims) -> Result<Self, NetError> {
        weights.check(dims)?;
        let tensors = Tensors(weights);
        let body = match &weights.kind {
            NetKind::Mlp(sizes) => {
                let layer = |layer: usize| tensors.dense(&format!("layer.{layer}"));
                Body::Mlp((0..sizes.len() - 1).map(layer).collect())
            }
            NetKind::Resnet(resnet) => Body::Resnet(Box::new(tensors.layers(resnet, dims))),
        };
        Ok(Self { kind: weights.kind.clone(), dims: *dims, body })
    }

    /// What it is.
    pub const fn kind(&self) -> &NetKind {
        &self.kind
    }

    /// Whether it reads a position's table form instead of its planes.
    pub fn reads_table(&self) -> bool {
        self.kind.reads_table(&self.dims)
    }

    /// How many numbers it reads.
    pub fn inputs(&self) -> usize {
        self.kind.inputs(&self.dims)
    }
}

/// Finds tensors that are known to be there.
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
        Conv::new(&Folded { weight, bias }, stride)
    }

    fn normed(&self, name: &str, stride: usize) -> Conv {
        let norm = ["gamma", "beta", "mean", "variance"]
            .map(|part| self.data(&format!("{name}.norm.{part}")));
        Conv::new(&Folded::new(&self.0.tensors[&format!("{name}.conv.weight")], norm), stride)
    }

    fn layers(&self, resnet: &Resnet, dims: &Dims) -> Layers {
        let input = self.normed("input", resnet.planes(dims));
        let stride = input.outputs;
        let block = |block: usize| {
            ["first", "second"].map(|part| self.normed(&format!("block.{block}.{part}"), stride))
        };
        let policy_mix = self.normed("policy.mix", stride);
        Layers {
            grid: Grid::new(dims.width, dims.height),
            blocks: (0..resnet.blocks).map(block).collect(),
            policy_out: self.conv("policy.out", policy_mix.outputs),
            policy_mix,
            value_mix: self.normed("value.mix", stride),
            value_hidden: self.dense("value.hidden"),
            value_out: self.dense("value.out"),
            ownership: resnet.ownership.then(|| self.conv("ownership", stride)),
            input,
        }
    }
}

impl Evaluator {
    /// One thread's way to use `network`.
    pub fn new(network: Arc<Network>) -> Self {
        let dims = network.dims;
        let memory = match &network.body {
            Body::Mlp(layers) => Memory::Mlp(layers.iter().map(Dense::buffer).collect()),
            Body::Resnet(layers) => {
                Memory::Resnet(Box::new(layers.activations(network.inputs() / dims.squares())))
            }
        };
        let (policy, ownership) = (vec![0.0; dims.outputs() + 1], vec![0.0; dims.squares()]);
        Self { network, memory, policy, ownership }
    }

    /// The network.
    pub const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// What the network says about a position that was written as planes or, if it
    /// [reads them](Network::reads_table), as a table.
    ///
    /// # Panics
    /// If there are not as many numbers as the network reads.
    pub fn run(&mut self, input: &[f32]) -> Output<'_> {
        assert_eq!(input.len(), self.network.inputs(), "numbers for a {}", self.network.kind);
        match (&self.network.body, &mut self.memory) {
            (Body::Mlp(layers), Memory::Mlp(buffers)) => {
                let value = run_mlp(layers, buffers, input);
                Output { value, policy: None, ownership: None }
            }
            (Body::Resnet(layers), Memory::Resnet(memory)) => {
                let value = layers.run(memory, input);
                layers.read(&memory.policy_out, &layers.policy_out, &mut self.policy);
                let ownership = layers.ownership.as_ref().zip(memory.ownership.as_ref());
                if let Some((conv, buffer)) = ownership {
                    layers.read(buffer, conv, &mut self.ownership);
                    self.ownership.iter_mut().for_each(|value| *value = value.tanh());
                }
                let ownership = ownership.map(|_| &self.ownership[..]);
                Output { value, policy: Some(&self.policy), ownership }
            }
            _ => unreachable!("the memory was made for this network"),
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

impl Layers {
    fn activations(&self, planes: usize) -> Activations {
        let buffer = |conv: &Conv| self.grid.buffer(conv.outputs);
        Activations {
            input: self.grid.buffer(planes),
            trunk: buffer(&self.input),
            inside: buffer(&self.input),
            policy_mix: buffer(&self.policy_mix),
            policy_out: buffer(&self.policy_out),
            value_mix: buffer(&self.value_mix),
            value_planes: vec![0.0; self.value_hidden.inputs()],
            value_hidden: self.value_hidden.buffer(),
            value_out: self.value_out.buffer(),
            ownership: self.ownership.as_ref().map(buffer),
        }
    }

    /// Computes everything; gives the value.
    fn run(&self, memory: &mut Activations, input: &[f32]) -> f32 {
        let grid = &self.grid;
        self.write(input, &mut memory.input);
        self.input.run(grid, &memory.input, &mut memory.trunk, After::Relu);
        for [first, second] in &self.blocks {
            first.run(grid, &memory.trunk, &mut memory.inside, After::Relu);
            second.run(grid, &memory.inside, &mut memory.trunk, After::AddThenRelu);
        }
        self.policy_mix.run(grid, &memory.trunk, &mut memory.policy_mix, After::Relu);
        self.policy_out.run(grid, &memory.policy_mix, &mut memory.policy_out, After::Nothing);
        if let Some((conv, buffer)) = self.ownership.as_ref().zip(memory.ownership.as_mut()) {
            conv.run(grid, &memory.trunk, buffer, After::Nothing);
        }
        self.value_mix.run(grid, &memory.trunk, &mut memory.value_mix, After::Relu);
        self.read(&memory.value_mix, &self.value_mix, &mut memory.value_planes);
        self.value_hidden.run(&memory.value_planes, &mut memory.value_hidden, true);
        self.value_out.run(memory.value_hidden.as_slice(), &mut memory.value_out, false);
        memory.value_out.as_slice()[0].tanh()
    }

    /// Puts planes, one after the other, into the cells of the board.
    fn write(&self, planes: &[f32], buffer: &mut Buffer) {
        let squares = self.grid.cells.len();
        let channels = planes.len() / squares;
        let buffer = buffer.as_mut_slice();
        for (plane, values) in planes.chunks_exact(squares).enumerate() {
            for (cell, value) in self.grid.cells.iter().zip(values) {
                buffer[cell * channels + plane] = *value;
            }
        }
    }

    /// Takes as many planes out of the cells of the board as there is room for.
    fn read(&self, buffer: &Buffer, conv: &Conv, planes: &mut [f32]) {
        let buffer = buffer.as_slice();
        for (plane, values) in planes.chunks_exact_mut(self.grid.cells.len()).enumerate() {
            for (cell, value) in self.grid.cells.iter().zip(values) {
                *value = buffer[cell * conv.outputs + plane];
            }
        }
    }
}
