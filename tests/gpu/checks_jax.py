"""Checks with JAX (programs/train_jax.py)."""

import functools
import pathlib
import sys

import harness
from harness import Skip, check, expect

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "train_jax.py"


@functools.lru_cache
def jax_works():
    """A reason why not, or nothing."""
    code = "import jax; assert jax.devices()[0].platform == 'gpu'"
    return harness.why_not([sys.executable, "-c", code])


@check("jax", "A JAX training loop and one of inference, recorded whole; their iterations")
def jax(place):
    if place.pretends:
        raise Skip("JAX needs a GPU")
    if jax_works():
        raise Skip(f"no JAX that uses the GPU: {jax_works()}")
    lines = []
    missed = []
    for name, words in ("training", []), ("inference", ["--inference"]):
        for mode in "graph", "node":
            trace, _ = place.record(
                [sys.executable, PROGRAM, "--truth=truth.json", *words], f"--cuda-graph={mode}"
            )
            truth = place.truth()
            wanted = truth["iterations"] + truth["warmup"]
            found = [len(loop["iterations"]) for loop in place.analyze(trace)["loops"]]
            kernels = harness.one(trace, "SELECT count(*) FROM kernel")
            lines.append((name, mode, kernels, wanted, found[:6]))
            # The first iteration may run what compiling chose among: it need not be like others.
            if mode == "node" and not any(wanted - 2 <= count <= wanted for count in found):
                missed.append(f"{name}: {found}")
    place.lines += harness.table(["", "graphs as", "kernels", "true", "loops found"], lines)
    expect(not missed, f"no loop of as many iterations: {missed}")
