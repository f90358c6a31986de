#!/usr/bin/env python3
"""Compares the speed of NNUE training with PyTorch's EmbeddingBag, in turns on the same machine.

    script/bench-nnue.py target/release/tablero
    script/bench-nnue.py target/release/tablero --rounds 5

Both train 64 units a side for chess with AdamW on batches of 16,384 positions. PyTorch has the easier task: 768 features
without king buckets and shared rows, one output layer, indices drawn at random beforehand. Needs PyTorch (Debian:
python3-torch).
"""

import argparse
import json
import subprocess
import time

import torch

BATCH = 16_384
FEATURES = 768
HIDDEN = 64
PIECES = 32
SECONDS = 4.0


class Nnue(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = torch.nn.EmbeddingBag(FEATURES, HIDDEN, mode="sum")
        self.bias = torch.nn.Parameter(torch.zeros(HIDDEN))
        self.output = torch.nn.Linear(2 * HIDDEN, 1)

    def forward(self, own, other):
        accumulators = [self.rows(features) + self.bias for features in (own, other)]
        activations = torch.cat(accumulators, 1).clamp(0, 1).square()
        return torch.sigmoid(self.output(activations))


def pytorch_speed(threads):
    """Positions per second of training."""
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Nnue()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    own, other = (torch.randint(0, FEATURES, (BATCH, PIECES)) for _ in range(2))
    target = torch.rand(BATCH, 1)
    done, start = 0, None
    while start is None or time.monotonic() < start + SECONDS:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(own, other), target).backward()
        optimizer.step()
        if start is None:
            # The first step allocates.
            start = time.monotonic()
        else:
            done += BATCH
    return done / (time.monotonic() - start)


def tablero_speeds(tablero):
    """Positions per second by number of threads, from `tablero bench nnue`."""
    output = subprocess.run([tablero, "bench", "nnue", "--json"], check=True, capture_output=True, text=True).stdout
    lines = map(json.loads, output.splitlines())
    return {line["threads"]: line["value"] for line in lines if "training" in line["name"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tablero", help="the program")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"PyTorch {torch.__version__}; positions/s")
    print("threads     tablero     PyTorch   ratio")
    for _ in range(arguments.rounds):
        for threads, ours in tablero_speeds(arguments.tablero).items():
            theirs = pytorch_speed(threads)
            print(f"{threads:7} {ours:11,.0f} {theirs:11,.0f} {ours / theirs:7.1f}")


if __name__ == "__main__":
    main()
