"""The program's networks as PyTorch modules (needs the package torch).

The parameters carry the names of the program's files, so that a trained module plays at once:

    module = tablero.torch.Mlp("othello", [65, 128, 64, 32, 1])
    ...                                                      # train it
    module.network().save("mine.safetensors")
    tablero.match("othello", "mcts net=mine.safetensors iterations=500", "mcts iterations=1000")

Layer names, as `tablero.tensor_shapes(game, kind)` lists them:

- mlp: `layer.N.weight`, `layer.N.bias`; ReLU between layers, tanh at the end
- resnet: `input`, `block.N.first`, `block.N.second`, `policy.mix`, `value.mix` are convolutions with batch
  normalization: `conv.weight`, `norm.gamma`, `norm.beta`, `norm.mean`, `norm.variance`; `policy.out`, `ownership`
  (convolutions), `value.hidden`, `value.out` (dense) have `weight` and `bias`
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from . import Network, _tablero, game_info, tensor_shapes

__all__ = ["Mlp", "Resnet", "load", "module"]


class _Module(nn.Module):
    """A network of a game."""

    game: str
    kind: str

    def network(self, *, provenance: Sequence[str] = ("trained in PyTorch",)) -> Network:
        """The network with the current parameters, to be saved or to play."""
        tensors = {name: value.detach().cpu().numpy() for name, value in self.state_dict().items()}
        return Network.from_tensors(self.game, self.kind, tensors, provenance=list(provenance))

    def load_network(self, network: Network) -> None:
        """Takes the parameters of a network of the same kind."""
        if (network.game, network.kind) != (self.game, self.kind):
            raise ValueError(f"a {network.kind} of {network.game} does not fit a {self.kind} of {self.game}")
        self.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in network.tensors().items()})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file that players load: `net=FILE`."""
        self.network().save(path)


class Mlp(_Module):
    """Dense layers with ReLU and a tanh at the end: the value of a position.

    The inputs are those of the views "flat" or "absolute" (with `absolute=True`, as in Otelo: the value is that of the
    second side), or planes.
    """

    def __init__(self, game: str, sizes: Sequence[int], *, absolute: bool = False) -> None:
        super().__init__()
        self.game = game
        self.kind = "mlp " + "-".join(map(str, sizes)) + (" absolute" if absolute else "")
        tensor_shapes(game, self.kind)
        self.layer = nn.ModuleList(nn.Linear(inputs, outputs) for inputs, outputs in zip(sizes, sizes[1:]))

    def forward(self, inputs: Tensor) -> Tensor:
        """Values of shape (positions,)."""
        values = inputs.flatten(1)
        for layer in self.layer[:-1]:
            values = functional.relu(layer(values))
        return torch.tanh(self.layer[-1](values)).squeeze(1)


class _Norm(nn.Module):
    """Batch normalization with the names of the program."""

    mean: Tensor
    variance: Tensor

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(filters))
        self.beta = nn.Parameter(torch.zeros(filters))
        self.register_buffer("mean", torch.zeros(filters))
        self.register_buffer("variance", torch.ones(filters))

    def forward(self, values: Tensor) -> Tensor:
        return functional.batch_norm(
            values, self.mean, self.variance, self.gamma, self.beta, self.training, momentum=0.1, eps=1e-5
        )


class _Conv(nn.Module):
    """A convolution with batch normalization."""

    def __init__(self, inputs: int, filters: int, kernel: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, filters, kernel, padding=kernel // 2, bias=False)
        self.norm = _Norm(filters)

    def forward(self, values: Tensor) -> Tensor:
        return self.norm(self.conv(values))


class _Block(nn.Module):
    """A residual block."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.first = _Conv(filters, filters, 3)
        self.second = _Conv(filters, filters, 3)

    def forward(self, values: Tensor) -> Tensor:
        inner = functional.relu(self.first(values))
        return functional.relu(self.second(inner) + values)


class Resnet(_Module):
    """A residual tower with a policy and a value head, as in AlphaGo Zero.

    `view` is that of its planes: "planes", for chess also "mover" or "attacks".
    """

    outputs: Tensor

    def __init__(
        self, game: str, blocks: int, filters: int, *, view: str = "planes", ownership: bool = False
    ) -> None:
        super().__init__()
        self.game = game
        self.view = view
        keywords = (["ownership"] if ownership else []) + ([view] if view != "planes" else [])
        self.kind = " ".join([f"resnet {blocks}x{filters}", *keywords])
        shapes = tensor_shapes(game, self.kind)
        info = game_info(game)
        self.input = _Conv(shapes["input.conv.weight"][1], filters, 3)
        self.block = nn.ModuleList(_Block(filters) for _ in range(blocks))
        mixed, flat = shapes["value.hidden.weight"]
        value_filters = shapes["value.mix.conv.weight"][0]
        self.policy = nn.ModuleDict({"mix": _Conv(filters, filters, 1), "out": nn.Conv2d(filters, info.policy_planes, 1)})
        self.value = nn.ModuleDict(
            {"mix": _Conv(filters, value_filters, 1), "hidden": nn.Linear(flat, mixed), "out": nn.Linear(mixed, 1)}
        )
        if ownership:
            self.ownership = nn.Conv2d(filters, 1, 1)
        # Of both sides: in the views of the mover a move of the second side has the outputs of its mirror image.
        sides = [torch.from_numpy(_tablero.action_outputs(game, view, side)) for side in (0, 1)]
        self.register_buffer("outputs", torch.stack(sides), persistent=False)
        self._depends_on_side = not torch.equal(*sides)

    def trunk(self, inputs: Tensor) -> Tensor:
        values = functional.relu(self.input(inputs))
        for block in self.block:
            values = block(values)
        return values

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Values of shape (positions,) and logits of the policy as planes, (positions, planes, rows, columns)."""
        trunk = self.trunk(inputs)
        policy = self.policy["out"](functional.relu(self.policy["mix"](trunk)))
        flat = functional.relu(self.value["mix"](trunk)).flatten(1)
        hidden = functional.relu(self.value["hidden"](flat))
        return torch.tanh(self.value["out"](hidden)).squeeze(1), policy

    def action_logits(self, policy: Tensor, mask: Tensor | None = None, *, sides: Tensor | None = None) -> Tensor:
        """Logits of all actions, (positions, actions), from those of `forward`; illegal ones are -inf with a `mask`.

        The views "mover" and "attacks" of chess need `sides`, the side to move of each position (Positions.sides).
        """
        flat = functional.pad(policy.flatten(1), (0, 1))
        if not self._depends_on_side:
            logits = flat[:, self.outputs[0, :, 0]] + flat[:, self.outputs[0, :, 1]]
        elif sides is None:
            raise ValueError(f"outputs of the view {self.view!r} depend on the side to move: give sides=positions.sides")
        else:
            sides = torch.as_tensor(sides, device=flat.device).long()
            if sides.shape != flat.shape[:1] or ((sides < 0) | (sides > 1)).any():
                raise ValueError(f"sides: expected {len(flat)} numbers, 0 or 1, found shape {tuple(sides.shape)}")
            outputs = self.outputs[sides]
            logits = flat.gather(1, outputs[:, :, 0]) + flat.gather(1, outputs[:, :, 1])
        return logits if mask is None else logits.masked_fill(~mask, -torch.inf)


def module(game: str, kind: str) -> Mlp | Resnet:
    """The module of a network kind: "mlp 65-128-64-32-1", "resnet 6x64", ..."""
    tensor_shapes(game, kind)
    words = kind.split()
    if words[0] == "mlp":
        return Mlp(game, [int(size) for size in words[1].split("-")], absolute="absolute" in words[2:])
    blocks, filters = (int(size) for size in words[1].split("x"))
    view = next((word for word in words[2:] if word != "ownership"), "planes")
    return Resnet(game, blocks, filters, view=view, ownership="ownership" in words[2:])


def load(path: str | os.PathLike[str], *, game: str | None = None) -> Mlp | Resnet:
    """The module of a network in a file, with its parameters."""
    network = Network.load(path, game=game)
    found = module(network.game, network.kind)
    found.load_network(network)
    return found
