#!/usr/bin/env python3
"""A small JAX program with a known number of iterations, for GPU or CPU."""

import argparse
import json
import os
import time

# Compiled kernels must be the same in each run.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--inference", action="store_true")
    parser.add_argument("--decode", action="store_true")
    parser.add_argument("--truth")
    return parser.parse_args()


def forward(layers, x):
    for weight, bias in layers[:-1]:
        x = jax.nn.relu(x @ weight + bias)
    weight, bias = layers[-1]
    return x @ weight + bias


def loss_of(layers, x, y):
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(forward(layers, x)) * y, axis=1))


@jax.jit
def train(layers, x, y):
    loss, grads = jax.value_and_grad(loss_of)(layers, x, y)
    return loss, jax.tree_util.tree_map(lambda p, g: p - 0.01 * g, layers, grads)


infer = jax.jit(lambda layers, x: forward(layers, x).sum())

CACHE = 128


@jax.jit
def decode(layers, caches, token, at):
    """One token: what it adds to the caches are copies within the CUDA graph."""
    x = layers[0][0][token]
    updated = []
    for (weight, _), cache in zip(layers, caches):
        cache = jax.lax.dynamic_update_slice(cache, (x @ weight)[None], (at, 0))
        scores = jnp.where(jnp.arange(CACHE) <= at, cache @ x, -1e9)
        x = x + jax.nn.softmax(scores) @ cache
        updated.append(cache)
    return updated, jnp.argmax(x).astype(jnp.int32)


def main():
    args = parse()
    numbers = numpy.random.default_rng(1)
    sizes = [1024, 1024, 1024, 10]
    layers = [
        (jnp.asarray(numbers.normal(0, 0.02, (a, b)), jnp.float32), jnp.zeros(b))
        for a, b in zip(sizes, sizes[1:])
    ]
    x = numbers.normal(size=(64, sizes[0])).astype(numpy.float32)
    y = numpy.eye(10, dtype=numpy.float32)[numbers.integers(0, 10, 64)]
    caches = [jnp.zeros((CACHE, sizes[0])) for _ in layers[:2]]
    token = jnp.int32(1)
    for i in range(-args.warmup, args.iterations):
        if not i:
            began = time.perf_counter_ns()
        if args.decode:
            caches, token = decode(layers[:2], caches, token, i + args.warmup)
            int(token)
            continue
        batch = jax.device_put(x), jax.device_put(y)
        if args.inference:
            float(infer(layers, batch[0]))
        else:
            loss, layers = train(layers, *batch)
            float(loss)
    loop_ns = time.perf_counter_ns() - began
    if args.truth:
        with open(args.truth, "w", encoding="utf-8") as file:
            truth = {**vars(args), "loop_ns": loop_ns, "device": str(jax.devices()[0])}
            json.dump(truth, file, indent=1)


if __name__ == "__main__":
    main()
