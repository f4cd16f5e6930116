#!/usr/bin/env python3
"""Loops of generated programs that work as numerical programs, renderers and trainers do.

eval_programs.py PROGRAM [--seeds FIRST:END] [--verbose] [KIND…]

Each kind has its own nesting of loops, whose numbers of repetitions are drawn from the seed. For each,
a trace of one stream is written, with launches, and every other seed also pauses before an iteration.
The first loop is right if it has the iterations of one of the named levels, nine in ten of them at the
same kernel of each. "shifted" are right ones that begin elsewhere. Rules were chosen with seeds below 10.
"""
import argparse
import collections
import json
import os
import random
import subprocess
import tempfile

FAR = 40  # kernels by which a right loop may be shifted


class Program:
    """What a program does, in order, and at which kernels the iterations of its loops begin."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.operations = []
        self.starts = {}
        self.kernels = 0

    def draw(self, least, most):
        return self.random.randint(least, most)

    def begin(self, level):
        self.starts.setdefault(level, []).append(self.kernels)
        self.operations.append(("begin", level))

    def run(self, *names):
        self.operations += [("kernel", name) for name in names]
        self.kernels += len(names)

    def download(self):
        self.operations.append(("download", None))

    def upload(self):
        self.operations.append(("upload", None))


def block(name, count):
    return [f"{name}_{i}" for i in range(count)]


def conjugate_gradients(p):
    p.run("init_a", "init_b")
    for _ in range(p.draw(30, 80)):
        p.begin("step")
        p.run("assemble", "boundary", "residual")
        for _ in range(p.draw(8, 20)):
            p.run("spmv", "dot", "axpy_x", "axpy_r", "dot", "update_p")
        p.run("correct", "advect")


def level_set(p):
    p.run("init")
    for _ in range(p.draw(30, 80)):
        p.begin("step")
        p.run("advect_x", "advect_y", "advect_z")
        for _ in range(p.draw(3, 8)):
            p.run("rebuild_rhs", "rebuild_update")
        p.run("curvature", "force")


def multigrid(p):
    for _ in range(p.draw(20, 60)):
        p.begin("step")
        p.run("rhs", "boundary")
        for _ in range(p.draw(2, 5)):
            p.run(*["smooth", "smooth", "residual", "restrict"] * 4)
            p.run(*["coarse"] * 8, *["prolong", "smooth", "smooth"] * 4, "norm")
        p.run("project")


def newton_krylov(p):
    for _ in range(p.draw(15, 40)):
        p.begin("step")
        p.run("predict")
        for _ in range(p.draw(2, 4)):
            p.run("residual", "jacobian", "precondition_setup")
            for j in range(p.draw(5, 15)):
                p.run("precondition", "spmv", *["project"] * (j + 1), "axpy", "norm")
            p.run("newton_update", "norm_inf")
        p.run("accept", "store")


def runge_kutta(p):
    every = p.draw(8, 12)
    for i in range(p.draw(40, 200)):
        p.begin("step")
        for _ in range(4):
            p.run("boundary_x", "boundary_y", "rhs", "flux_x", "flux_y", "stage")
        p.run("combine")
        if i % every == every - 1:
            p.run("energy", "mass")
            p.download()


def refinement(p):
    blocks = [1, 2, 3]
    for i in range(p.draw(30, 60)):
        p.begin("step")
        for level in range(3):
            for _ in range(2**level):
                p.run(*["ghosts", "riemann", "update"] * blocks[level], "reflux")
        p.run("time_step")
        if i % 4 == 3:
            p.run("tag", "cluster", "interpolate", "copy", "copy")
            blocks = [p.draw(1, 3), p.draw(2, 5), p.draw(3, 9)]


def molecular_dynamics(p):
    rebuild = p.draw(8, 14)
    for i in range(p.draw(100, 300)):
        p.begin("step")
        p.run("integrate_1")
        if i == rebuild:
            p.run("bin", "sort", "neighbours", "exclusions")
            rebuild = i + p.draw(8, 14)
        p.run("pair", "bond", "angle", "spread", "fft", "solve", "inverse_fft", "gather", "integrate_2")


def lattice_boltzmann(p):
    for i in range(p.draw(60, 200)):
        p.begin("step")
        if i % 2 == 0:
            p.begin("pair")
        p.run(*(f"{name}_{('even', 'odd')[i % 2]}" for name in ("collide", "boundary")))
        if i % 20 == 19:
            p.run("macroscopic")
            p.download()


def particles(p):
    for _ in range(p.draw(30, 100)):
        p.begin("step")
        p.run("hash", *["histogram", "scan", "scatter"] * 4, "cells", "density", "force", "integrate")


def renderer(p):
    for _ in range(p.draw(20, 60)):
        p.begin("frame")
        p.run("clear")
        for _ in range(p.draw(1, 4)):
            p.run("generate", *["intersect", "shade", "shadow", "compact"] * p.draw(3, 8), "accumulate")
        p.run("denoise_a", "denoise_b", "tonemap")
        p.download()


def path_tracer(p):
    samples, bounces = 2 ** p.draw(0, 4), p.draw(3, 8)
    for _ in range(p.draw(15, 50)):
        p.begin("frame")
        p.run("clear")
        for _ in range(samples):
            p.run("generate", *["intersect", "shade", "shadow", "compact"] * bounces, "accumulate")
        p.run("denoise_a", "denoise_b", "tonemap")
        p.download()


def graph_search(p):
    for _ in range(p.draw(20, 40)):
        p.begin("source")
        p.run("init_distance", "set_source")
        for _ in range(p.draw(4, 12)):
            p.run("expand", "contract")
            p.download()


def clustering(p):
    for _ in range(p.draw(6, 12)):
        p.begin("restart")
        p.run("choose")
        for _ in range(p.draw(10, 25)):
            p.begin("iteration")
            p.run("assign", "count", "sum", "divide", "shift")
        p.run("inertia")


def lanczos(p):
    p.run("random", "normalize")
    for i in range(p.draw(30, 60)):
        p.begin("iteration")
        p.run("spmv", "dot", "axpy", *["again_dot", "again_axpy"] * min(i + 1, 4), "norm", "scale")


def factorization(p):
    count = p.draw(20, 40)
    for panel in range(count):
        p.begin("panel")
        p.run("factor", "pivot", "solve", *["update_tile"] * (count - panel))


def retried_steps(p):
    for _ in range(p.draw(40, 100)):
        p.begin("step")
        p.run("save")
        accepted = False
        while not accepted:
            p.run(*["rhs_a", "rhs_b", "stage"] * 6, "error_norm")
            p.download()
            accepted = p.random.random() > 0.12
            if not accepted:
                p.run("restore")
        p.run("accept", "interpolate")


def waves(p):
    every = p.draw(4, 8)
    for i in range(p.draw(100, 300)):
        p.begin("step")
        p.run("stress_xy", "stress_z", "velocity", "layer_x", "layer_y", "source")
        if i % every == 0:
            p.run("record")


def plasma(p):
    for i in range(p.draw(40, 120)):
        p.begin("step")
        p.run(*["gather", "push", "boundary", "deposit"] * 2, "ghosts", "half_b", "half_b", "full_e")
        p.run("filter", "filter")
        if i % 10 == 9:
            p.run(*["key", "pass", "pass", "pass", "permute"] * 2)


def alternating_sweeps(p):
    for i in range(p.draw(30, 80)):
        p.begin("step")
        p.run("time_step")
        p.download()
        for d in ("xy", "yx")[i % 2]:
            p.run(f"ghosts_{d}", f"slope_{d}", f"flux_{d}", f"update_{d}", f"ghosts_{d}")
        p.run("state")


def ensemble(p):
    steps = p.draw(10, 30)
    for _ in range(p.draw(4, 8)):
        p.begin("run")
        p.run("setup_a", "setup_b", "setup_c")
        for _ in range(steps):
            p.begin("step")
            p.run("drift", "kick_a", "kick_b", "kick_c", "constrain")
        p.run("analyze_a", "analyze_b")


def reinforcement(p):
    policy, forward, backward = block("policy", 7), block("forward", 10), block("backward", 14)
    for _ in range(p.draw(8, 20)):
        p.begin("update")
        for _ in range(p.draw(16, 32)):
            p.upload()
            p.run(*policy)
            p.download()
        p.run("advantage_a", "advantage_b")
        for _ in range(16):
            p.begin("batch")
            p.run("gather", *forward, "loss", "entropy", *backward, *block("adam", 2))


def critic(p):
    g, d = block("generate", 12), block("judge", 9)
    back = [f"{name}_back" for name in d]
    for _ in range(p.draw(20, 60)):
        p.begin("step")
        for _ in range(5):
            p.begin("batch")
            p.run("noise", *g, *d, *d, "penalty_a", "penalty_b", *back, "adam_d")
        p.run("noise", *g, *d, *back, *(f"{name}_back" for name in g), "adam_g")


def training(p):
    forward, backward = block("forward", 11), block("backward", 13)
    steps, tests = p.draw(25, 50), p.draw(6, 12)
    for _ in range(p.draw(3, 5)):
        for _ in range(steps):
            p.begin("step")
            p.upload()
            p.run(*forward, "loss", "loss_back", *backward, "sgd")
        for _ in range(tests):
            p.upload()
            p.run(*forward, "loss", "argmax")


def serving(p):
    prefill, decode = block("prefill", 9), block("decode", 7)
    for _ in range(p.draw(8, 20)):
        p.begin("request")
        p.run("embed_prompt", *prefill * 6, "head_prompt", "sample")
        for _ in range(p.draw(10, 60)):
            p.begin("token")
            p.run("embed", *decode * 6, "head", "sample")
            p.download()


def diffusion(p):
    for _ in range(p.draw(2, 4)):
        p.begin("image")
        p.run("tokens", *block("encode", 6) * 12)
        for _ in range(25):
            p.begin("denoising")
            p.run("join", "time", *block("down", 17) * 5, "middle", *block("down", 17) * 4, "guide", "move")
        p.run(*block("decode", 9) * 5, "clamp")


def lattice_boltzmann_simple(p):
    for _ in range(p.draw(60, 200)):
        p.begin("step")
        p.run("collide", "stream", "bounce_back", "inlet")


NETWORKS = (reinforcement, critic, training, serving, diffusion)
KINDS = (conjugate_gradients, level_set, multigrid, newton_krylov, runge_kutta, refinement,
         molecular_dynamics, lattice_boltzmann, lattice_boltzmann_simple, particles, renderer,
         graph_search, clustering, lanczos, factorization, retried_steps, waves, plasma,
         alternating_sweeps, ensemble, *NETWORKS, path_tracer)


def write(program, kind, seed, path):
    """A Kineto trace. Host and device are busy as a program with short kernels keeps them."""
    rng = random.Random(seed)
    template = "void {}<float>(float*, int)"
    if kind in NETWORKS:
        template = "void at::native::vectorized_elementwise_kernel<4, at::native::{}<float>>(int)"
    first = next(iter(program.starts))
    events, lengths, host, device, call = [], {}, 1000.0, 0.0, 0
    for operation, what in program.operations:
        if operation == "begin":
            host += rng.uniform(3, 8) if what == first and seed % 2 == 0 else 0
            continue
        call += 1
        launch = {"ph": "X", "cat": "cuda_runtime", "pid": 1, "tid": 1, "ts": round(host, 3),
                  "name": "cudaLaunchKernel" if operation == "kernel" else "cudaMemcpyAsync",
                  "dur": round(rng.uniform(2.5, 4), 3), "args": {"correlation": call}}
        host += launch["dur"] + rng.uniform(0.5, 1.5)
        start = max(host, device + 0.8)
        if operation == "kernel":
            length = lengths.setdefault(what, rng.uniform(4, 30)) * rng.uniform(0.97, 1.03)
            name, category = template.format(what), "kernel"
        else:
            length = rng.uniform(1, 2)
            name, category = ("Memcpy DtoH (Device -> Pageable)" if operation == "download"
                              else "Memcpy HtoD (Pageable -> Device)"), "gpu_memcpy"
        device = start + length
        if operation == "download":
            launch["dur"] = round(device - launch["ts"] + 1, 3)
            host = device + 2
        events += [launch, {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7,
                            "ts": round(start, 3), "dur": round(length, 3),
                            "args": {"correlation": call, "device": 0, "stream": 7, "bytes": 4096}}]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}],
                   "traceEvents": events}, file)


def judge(found, starts):
    """Whether kernels are the starts of a loop's iterations, by how many each is shifted."""
    true = set(starts)
    hits = {shift: sum(at + shift in true for at in found) for shift in range(-FAR, FAR + 1)}
    shift = max(hits, key=lambda by: (hits[by], -abs(by)))
    return hits[shift] >= 0.9 * max(len(starts), len(found)) - 1, shift


def first_loop(deepprof, path):
    result = subprocess.run([deepprof, "analyze", "--format=json", path], check=True,
                            capture_output=True, text=True)
    loops = json.loads(result.stdout)["loops"]
    iterations = loops[0]["iterations"] if loops else []
    return [each["first_kernel"] for each in iterations if not each["partial"]]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seeds", default="10:16")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("kinds", nargs="*")
    options = parser.parse_intermixed_args()
    seeds = range(*map(int, options.seeds.split(":")))
    total = collections.Counter()
    print(f"{'kind':28s} right shifted    of")
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            if options.kinds and kind.__name__ not in options.kinds:
                continue
            row = collections.Counter()
            for seed in seeds:
                program = Program(seed * 1000 + KINDS.index(kind))
                kind(program)
                path = os.path.join(folder, "trace.json")
                write(program, kind, seed, path)
                found = first_loop(options.program, path)
                levels = {name: judge(found, starts) for name, starts in program.starts.items()}
                right = [shift for is_right, shift in levels.values() if is_right]
                row += collections.Counter(all=1, right=bool(right), shifted=bool(right and all(right)))
                if options.verbose and not right:
                    truth = ", ".join(f"{len(at)} {name}s" for name, at in program.starts.items())
                    print(f"    seed {seed}: {len(found)} iterations, not {truth}")
            total += row
            print(f"{kind.__name__:28s} {row['right']:5d} {row['shifted']:7d} {row['all']:5d}")
    print(f"{'all':28s} {total['right']:5d} {total['shifted']:7d} {total['all']:5d}")


if __name__ == "__main__":
    main()
