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


def add_loop(name, words):
    @check(f"jax-{name}", "A JAX loop, recorded whole: its iterations")
    def loop(place):
        if place.pretends:
            raise Skip("JAX needs a GPU")
        if jax_works():
            raise Skip(f"no JAX that uses the GPU: {jax_works()}")
        lines = []
        for mode in "graph", "node":
            trace, _ = place.record(
                [sys.executable, PROGRAM, "--truth=truth.json", *words], f"--cuda-graph={mode}"
            )
            truth = place.truth()
            wanted = truth["iterations"] + truth["warmup"]
            found = [len(loop["iterations"]) for loop in place.analyze(trace)["loops"]]
            kernels = harness.one(trace, "SELECT count(*) FROM kernel")
            lines.append((mode, kernels, wanted, found[:6]))
        place.lines += harness.table(["graphs as", "kernels", "true", "loops found"], lines)
        # The first iteration may run what compiling chose among: it need not be like others.
        expect(any(wanted - 2 <= count <= wanted for count in found), f"by node: loops of {found}")


add_loop("training", [])
add_loop("inference", ["--inference"])
# CUDA graphs with copies in them, which failed while copies between devices were recorded, too.
add_loop("decoding", ["--decode"])
