#!/usr/bin/env python3
"""How well iterations are found in whole traces, with everything that a trace has besides names.

Every preset of the simulator is written with several seeds and analyzed without its annotations;
what is reported is held against the planted truth: precision, recall and F of the first kernels of
complete iterations, strict (the same kernel) and phase-free (one shift for the whole loop allowed).
Of real traces given by --traces, what is found without annotations is held against the annotations.
Next to it stands what the published algorithm finds, given the number of iterations. With --loops
the families of eval_loops come first, with the same seeds. Thresholds are tuned with seeds below
2000; what is quoted is judged with seeds from 7000 on.

    eval_traces.py SIM DEEPPROF [--seeds 7000:7020] [--preset NAME]... [--set KEY=VALUE]...
                   [--loops EVAL_LOOPS] [--traces DIR] [--jobs 2] [-v]
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import tempfile


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.stdout if done.returncode == 0 else None


def analyze(deepprof, path, *options):
    out = run(deepprof, "analyze", "--format=json", *options, path)
    return json.loads(out)["loops"] if out else None


def starts_of(loop):
    return [i["first_kernel"] for i in loop["iterations"] if not i["partial"]]


def f_of(hit, found, truth):
    return 2 * hit / (found + truth) if found + truth else 1.0


def shifted_hits(found, truth, length):
    """The most of the starts that one shift of less than an iteration brings to true ones."""
    at, best = 0, collections.Counter()
    for start in found:
        while at + 1 < len(truth) and truth[at + 1] <= start:
            at += 1
        for near in truth[max(at - 1, 0):at + 2]:
            if abs(start - near) < length:
                best[start - near] += 1
    return max(best.values(), default=0)


def same_stream(a, b):
    return (a["device"], a["stream"], a["pid"]) == (b["device"], b["stream"], b["process"])


def candidates(truth, found):
    """Found loops by their indices: one by one, and those side by side at the level that is shown.

    A loop whose kernels change midway is reported as two phases of the program, one after the
    other: each of their boundaries counts.
    """
    own = [(i,) for i, loop in enumerate(found) if same_stream(loop, truth)]
    level = tuple(i for i, in own if found[i]["selected"])
    return own + ([level] if len(level) > 1 else [])


class Loop:
    """A true loop, and the found one (or phases of one) that is nearest to it."""

    def __init__(self, truth, found):
        want = [i["first_kernel"] for i in truth["iterations"] if not i["partial"]]
        length = truth["pattern"]["length"] or 1
        self.name, self.default, self.truth = truth["name"], truth["default"], len(want)
        self.hit = self.free = self.found = 0
        self.free_found, self.index, self.confidence, self.level = 0, None, 0.0, False
        self.phase = "-"
        for index in candidates(truth, found):
            loop = found[index[0]]
            got = sorted(start for i in index for start in starts_of(found[i]))
            hit, free = len(set(got) & set(want)), shifted_hits(got, want, length)
            score = (f_of(free, len(got), len(want)), f_of(hit, len(got), len(want)))
            if self.index is not None and score <= self.score:
                continue
            self.index, self.score, self.hit, self.free = index, score, hit, free
            self.found, self.confidence = len(got), loop["confidence"]
            self.level, self.phase = loop["selected"], loop["phase"]
        if self.index is None:
            self.score = (f_of(0, 0, len(want)), f_of(0, 0, len(want)))


def as_published(deepprof, path, truth):
    """Hits of the published algorithm, which is given the number of iterations, and how many."""
    want = [i["first_kernel"] for i in truth["iterations"] if not i["partial"]]
    if not want:
        return 0, 0
    found = analyze(deepprof, path, "--ignore-marks", "--paper", "-n", str(len(want))) or []
    got = [starts_of(loop) for loop in found if same_stream(loop, truth)]
    return max(((len(set(g) & set(want)), len(g)) for g in got), default=(0, 0))


def one_seed(task):
    sim, deepprof, preset, seed, form, settings = task
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        changes = [word for setting in settings for word in ("-s", setting)]
        if run(sim, "--preset", preset, *changes, "--seed", str(seed), "-F", form, "-o",
               path) is None:
            raise SystemExit(f"no trace of {preset} with seed {seed}")
        found = analyze(deepprof, path, "--ignore-marks")
        with open(path + ".truth.json", encoding="utf-8") as file:
            truth = json.load(file)["loops"]
        published = [as_published(deepprof, path, t) for t in truth]
    loops = [Loop(t, found or []) for t in truth]
    for loop, paper in zip(loops, published):
        loop.paper = paper
    used = {i for x in loops if x.index is not None and x.score[0] >= 0.9 for i in x.index}
    exact = {i for x in loops if x.index is not None and x.score[1] >= 0.99 for i in x.index}
    reported = [(l["confidence"], i in exact, i in used) for i, l in enumerate(found or [])
            if l["selected"] or i in used]
    return preset, seed, loops, reported, found is None


class Row:
    def __init__(self):
        self.hit = self.free = self.found = self.truth = self.paper = self.paper_found = 0
        self.confidence, self.level, self.exact, self.runs = 0.0, 0, 0, 0
        self.phases = collections.Counter()

    def add(self, loop):
        self.hit, self.free = self.hit + loop.hit, self.free + loop.free
        self.found, self.truth = self.found + loop.found, self.truth + loop.truth
        self.paper += loop.paper[0]
        self.paper_found += loop.paper[1]
        self.confidence += loop.confidence
        self.level += loop.level == loop.default
        self.exact += loop.hit == loop.found == loop.truth
        self.phases[loop.phase] += 1
        self.runs += 1

    def print(self, preset, name):
        print(f"{preset:22s}{name:10s}"
              f" {self.hit / self.found if self.found else 1:5.3f}"
              f" {self.hit / self.truth if self.truth else 1:5.3f}"
              f" {f_of(self.hit, self.found, self.truth):5.3f}"
              f" {f_of(self.free, self.found, self.truth):5.3f}"
              f" {f_of(self.paper, self.paper_found, self.truth):5.3f}"
              f" {self.exact:3d}/{self.runs:<3d} {self.confidence / self.runs:4.2f}"
              f" {self.level / self.runs:4.2f}  "
              + " ".join(f"{k}:{v}" for k, v in self.phases.most_common(3)))


def calibration(reported):
    print("\nconfidence: loops, share of them right strictly, and but for the phase")
    for bucket in range(10):
        of = [t for t in reported if bucket / 10 <= t[0] < (bucket + 1) / 10 + (bucket == 9)]
        if of:
            print(f"  {bucket / 10:.1f} {len(of):6d}  {sum(t[1] for t in of) / len(of):.3f}"
                  f"  {sum(t[2] for t in of) / len(of):.3f}")


def eval_presets(args):
    listed = run(args.sim, "--list-presets").decode().split("\n")
    presets = args.preset or [re.split(r"[\s:]", line.strip())[0] for line in listed if line.strip()]
    first, last = (int(x) for x in args.seeds.split(":"))
    tasks = [(args.sim, args.deepprof, p, s, args.format, args.set or []) for p in presets
             for s in range(first, last)]
    rows, wrong, reported = {}, collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for preset, seed, loops, of_seed, failed in pool.map(one_seed, tasks):
            reported += of_seed
            wrong[preset] += sum(not t[2] for t in of_seed)
            for loop in loops:
                rows.setdefault((preset, loop.name), Row()).add(loop)
                if args.verbose and loop.score[1] < 0.999:
                    print(f"  {preset} {seed} {loop.name}: {loop.hit} of {loop.found} found,"
                          f" {loop.truth} true, shifted {loop.free},"
                          f" {loop.confidence:.3f} {loop.phase}")
            if failed:
                print(f"  {preset} {seed}: no report")
            if not loops:
                rows.setdefault((preset, "-"), Row()).runs += 1
    print(f"presets of the simulator, seeds {first} to {last - 1}")
    print(f"{'preset':22s}{'loop':10s} {'prec':>5s} {'rec':>5s} {'F':>5s} {'free':>5s} {'paper':>5s} {'exact':>7s}"
          " conf  lvl  phase reported by")
    for (preset, name), row in rows.items():
        row.print(preset, name)
    print("\nloops of the level shown that are no true ones:",
          ", ".join(f"{k} {v}" for k, v in wrong.items() if v) or "none")
    calibration(reported)


def eval_marked(args):
    print(f"\n{'marked trace':44s} {'marks':>6s} {'found':>6s} {'same':>6s} conf  phase reported by")
    for name in sorted(os.listdir(args.traces)):
        path = os.path.join(args.traces, name)
        marked = [l for l in analyze(args.deepprof, path) or [] if l["found_by"] == "marks"]
        free = analyze(args.deepprof, path, "--ignore-marks") if marked else []
        for loop in marked:
            want, best = set(starts_of(loop)), None
            for other in free:
                if any(other[k] != loop[k] for k in ("device", "stream", "pid")):
                    continue
                same = len(want & set(starts_of(other)))
                if best is None or same > best[0]:
                    best = (same, other)
            same, other = best or (0, None)
            print(f"{name:44s} {len(want):6d} {len(starts_of(other)) if other else 0:6d} {same:6d}"
                  + (f" {other['confidence']:4.2f}  {other['phase']}" if other else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("sim")
    parser.add_argument("deepprof")
    parser.add_argument("--seeds", default="7000:7020", help="first:end")
    parser.add_argument("--preset", action="append", help="these only")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE",
                        help="of the simulator's programs: head=0.4 cuts into an iteration")
    parser.add_argument("--format", default="nsys", help="of the simulator's traces")
    parser.add_argument("--traces", help="a folder of real traces")
    parser.add_argument("--loops", help="the program eval_loops")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    if args.loops:
        first, last = (int(x) for x in args.seeds.split(":"))
        print(run(args.loops, "-s", str(first), "-n", str(last - first)).decode())
    if not args.traces or args.preset or args.loops:
        eval_presets(args)
    if args.traces:
        eval_marked(args)


if __name__ == "__main__":
    main()
