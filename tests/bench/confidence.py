#!/usr/bin/env python3
"""Fits the weights of a loop's confidence, and judges it: is what is shown as 90% right nine times
in ten?

Rows are loops with their features, from eval_confidence:

    eval_confidence 1000 24 > tuning.csv
    confidence.py fit tuning.csv... --source lib/loops/confidence.c
    eval_confidence 7000 24 > judging.csv
    confidence.py presets SIM DEEPPROF 1400:1404 > presets.csv
    confidence.py cuts DEEPPROF TRACES 1 > judging-real.csv
    confidence.py judge judging.csv...
    confidence.py real DEEPPROF TRACES

Rows of presets are the loops that are listed of the simulator's programs, with all that a trace
tells, rows of cuts those of one half of the variants of real captures (oracle_cuts.py); "real"
prints the reliability on the real captures whose truth is known.

Both models are logistic regressions, fitted by Newton's method with a small ridge; what they claim
is corrected by an isotonic map, of pooled adjacent violators.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import textwrap

import eval_traces

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import oracle_cuts  # pylint: disable=wrong-import-position
import oracle_real  # pylint: disable=wrong-import-position

LOOP = ["iterations", "edits", "ends", "layers", "maybe_layers", "step"]
BOUNDARY = ["iterations", "edits", "renamed", "ends", "step", "margin", "count"]
FEATURES = ["iterations", "edits", "renamed", "ends", "layers", "maybe_layers", "step", "margin",
            "count", "annotated"]
RIDGE = 1.0  # of standardized weights; holds those that are always or never right
AGAINST = {"edits", "renamed", "layers", "maybe_layers"}
BINS = 10
KNOTS = 30
LEAST = 0.005  # nothing is certain
# Weights for a loop and for its boundaries that are given; None: fitted. Few traces have annotations
# inside iterations that are found without them: what one is worth is a guess, of twenty to one that
# what they repeat with is the loop. How often the numbers of -n are wrong is up to the generator, so
# what a match is worth is measured on recorded programs (RESULTS.md): right numbers are matched by
# equal iterations e^3.3 times as often as wrong ones.
GIVEN = {"annotated": (3.0, 0.0), "count": (3.3, None)}
HEADER = ",".join(["scenario", "seed", "listed", "loop", "right", *FEATURES, "p_loop",
                   "p_boundary"])
BEGIN, END = "/* fitted: begin */\n", "/* fitted: end */\n"


def read(paths):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows += list(csv.DictReader(file))
    for row in rows:
        for key, value in row.items():
            row[key] = value if key == "scenario" else float(value)
    return rows


def logistic(x):
    return 1 / (1 + math.exp(-max(min(x, 50), -50)))


def solve(a, b):
    """Gauss with pivots; a is symmetric and positive definite."""
    n = len(b)
    a = [row[:] + [b[i]] for i, row in enumerate(a)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[pivot] = a[pivot], a[i]
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            for c in range(i, n + 1):
                a[r][c] -= f * a[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][c] * x[c] for c in range(i + 1, n))) / a[i][i]
    return x


def newton(xs, ys):
    n = len(xs[0])
    weights = [0.0] * n
    for _ in range(30):
        hessian = [[0.0] * n for _ in range(n)]
        gradient = [0.0] * n
        for x, y in zip(xs, ys):
            p = logistic(sum(w * v for w, v in zip(weights, x)))
            for i, v in enumerate(x):
                if v:
                    gradient[i] += (y - p) * v
                    h = p * (1 - p) * v
                    row = hessian[i]
                    for j in range(n):
                        row[j] += h * x[j]
        for i in range(1, n):
            gradient[i] -= RIDGE * weights[i]
            hessian[i][i] += RIDGE
        hessian[0][0] += 1e-9
        step = solve(hessian, gradient)
        weights = [w + s for w, s in zip(weights, step)]
        if max(abs(s) for s in step) < 1e-6:
            break
    return weights


def fit_model(rows, label, typical, used):
    """Bias and weights of the raw features, in terms of their difference from the typical value.

    A feature that would count against what it supports says something about the rows only, and
    is left out.
    """
    while True:
        bias, weights = fit_all(rows, label, typical, used)
        against = [f for f, w in weights.items() if w * (-1 if f in AGAINST else 1) < 0]
        if not against:
            return bias, weights
        worst = max(against, key=lambda f: abs(weights[f]))
        used = [f for f in used if f != worst]


def fit_all(rows, label, typical, used):
    spread = {f: math.sqrt(sum((r[f] - typical[f]) ** 2 for r in rows) / len(rows)) for f in used}
    used = [f for f in used if spread[f] > 1e-9]
    xs = [[1.0] + [(r[f] - typical[f]) / spread[f] for f in used] for r in rows]
    weights = newton(xs, [r[label] for r in rows])
    return weights[0], {f: w / spread[f] for f, w in zip(used, weights[1:])}


def isotonic(pairs):
    """Knots of a monotone map from what is claimed to how often it is so.

    Groups have the same variance, so that the many claims near 1 do not take all of them.
    """
    pairs = sorted(pairs)
    share = sum(p * (1 - p) for p, _ in pairs) / KNOTS
    groups, done = [[] for _ in range(KNOTS)], 0
    for p, y in pairs:
        groups[min(int(done / share), KNOTS - 1)].append((p, y))
        done += p * (1 - p)
    groups = [[sum(p for p, _ in g) / len(g), sum(y for _, y in g) / len(g), len(g)]
              for g in groups if g]
    i = 0
    while i + 1 < len(groups):
        if groups[i][1] <= groups[i + 1][1]:
            i += 1
            continue
        a, b = groups[i], groups.pop(i + 1)
        n = a[2] + b[2]
        groups[i] = [(a[0] * a[2] + b[0] * b[2]) / n, (a[1] * a[2] + b[1] * b[2]) / n, n]
        i = max(i - 1, 0)
    return [(x, min(max(y, LEAST), 1 - LEAST)) for x, y, _ in groups]


def corrected(claimed, knots):
    i = 1
    while i + 1 < len(knots) and knots[i][0] < claimed:
        i += 1
    (x, y), (x2, y2) = knots[i - 1], knots[i]
    return y + (y2 - y) * (min(max(claimed, x), x2) - x) / (x2 - x)


def enumerator(feature):
    """The end of a feature's name in the source."""
    return "COUNT_GIVEN" if feature == "count" else feature.upper()


def fitted_before(source):
    """The typical values, the bias and the weights of the model of loops, and its map's knots.

    A feature that the source does not have yet has no weight.
    """
    text = source[source.index(BEGIN):source.index(END)]
    numbers = [[float(x) for x in re.findall(r"-?[0-9]+\.[0-9]+", line)]
               for line in text.splitlines()]
    names = [re.search(r"\[DP_FEATURE_(\w+)\]", line) for line in text.splitlines()]
    rows = {name.group(1): n for name, n in zip(names, numbers) if name}
    rows = {f: rows.get(enumerator(f), [0.0, 0.0, 0.0]) for f in FEATURES}
    pairs = [tuple(n) for n in numbers if len(n) == 2]
    count = int(re.search(r"^\t\t([0-9]+),$", text, re.M).group(1))
    return ({f: r[0] for f, r in rows.items()}, pairs[0][0],
            {f: r[1] for f, r in rows.items()}, pairs[1:1 + count])


def fit(args):
    rows = read(args.rows)
    with open(args.source, encoding="utf-8") as file:
        source = file.read()
    typical = {f: 0.0 if f in GIVEN else sum(r[f] for r in rows) / len(rows) for f in FEATURES}
    unaided = [r for r in rows if not r["count"]]
    if args.boundary_only:
        before, loop_bias, loop, loop_knots = fitted_before(source)
        typical.update({f: before[f] for f in LOOP if loop[f]})
    else:
        loop_bias, loop = fit_model(unaided, "loop", typical, LOOP)
    loops = [r for r in rows if r["loop"]]
    boundary_bias, boundary = fit_model(loops, "right", typical, BOUNDARY)
    for f, (a, b) in GIVEN.items():
        loop[f] = a
        boundary[f] = boundary.get(f, 0.0) if b is None else b
    for row in rows:
        for p, bias, weights in (("p_loop", loop_bias, loop),
                                 ("p_boundary", boundary_bias, boundary)):
            row[p] = logistic(bias + sum(w * (row[f] - typical[f]) for f, w in weights.items()))
    knots = {"p_loop": isotonic([(r["p_loop"], r["loop"]) for r in unaided]),
             "p_boundary": isotonic([(r["p_boundary"], r["right"]) for r in loops])}
    if args.boundary_only:
        knots["p_loop"] = loop_knots
    seeds = sorted({int(r["seed"]) for r in rows if not r["scenario"].startswith("p")})
    generated = sum(not r["scenario"].startswith("p-") for r in rows)
    about = (f"{generated} loops of eval_confidence {seeds[0]} {seeds[-1] - seeds[0] + 1}, and"
             f" {len(rows) - generated} rows of presets and of parts of captures. Given:"
             f" {'the weights for a loop, and ' if args.boundary_only else ''}what 'count' and"
             " 'annotated' say of a loop.")
    text = ("/*\n" + "".join(f" * {line}\n" for line in textwrap.wrap(about, 95)) + " */\n"
            f"static const double bias[2] = {{ {loop_bias:.4f}, {boundary_bias:.4f} }};\n"
            "static const double fitted[DP_FEATURES][3] = {\n"
            "\t/* typical value, weight for a loop, weight for its boundaries */\n")
    for f in FEATURES:
        text += (f"\t[DP_FEATURE_{enumerator(f)}] = {{ {typical[f]:.4f}, {loop.get(f, 0.0):.4f},"
                 f" {boundary.get(f, 0.0):.4f} }},\n")
        print(f"{f:12s} typical {typical[f]:8.3f}  loop {loop.get(f, 0.0):8.3f}"
              f"  boundary {boundary.get(f, 0.0):8.3f}")
    text += "};\nstatic const struct map maps[2] = {\n"
    for of in knots.values():
        text += (f"\t{{\n\t\t{len(of)},\n\t\t{{\n"
                 + "".join(f"\t\t\t{{ {x:.4f}, {y:.4f} }},\n" for x, y in of) + "\t\t},\n\t},\n")
    text += "};\n"
    source = source[:source.index(BEGIN) + len(BEGIN)] + text + source[source.index(END):]
    with open(args.source, "w", encoding="utf-8") as file:
        file.write(source)
    for row in rows:
        for p, of in knots.items():
            row[p] = corrected(row[p], of)
    table(rows)


def reliability(title, pairs):
    """pairs: what was claimed, and whether it is so."""
    if not pairs:
        return 0
    error = 0
    print(f"\n{title}: {len(pairs)} loops")
    print("  claimed      loops   mean    right")
    for b in range(BINS):
        of = [p for p in pairs if min(int(p[0] * BINS), BINS - 1) == b]
        if not of:
            continue
        mean, right = (sum(p[k] for p in of) / len(of) for k in (0, 1))
        error += abs(mean - right) * len(of) / len(pairs)
        print(f"  {b / BINS:.1f} to {(b + 1) / BINS:.1f} {len(of):6d}  {mean:5.3f}   {right:5.3f}")
    brier = sum((p - y) ** 2 for p, y in pairs) / len(pairs)
    print(f"  Brier score {brier:.4f}, expected calibration error {error:.4f}")
    return error


def table(rows):
    reliability("is a loop, of all that were judged", [(r["p_loop"], r["loop"]) for r in rows])
    listed = [r for r in rows if r["p_loop"] >= 0.5]
    return reliability("right, of those that are listed",
                       [(r["p_loop"] * r["p_boundary"], r["right"]) for r in listed])


def judge(args):
    rows = read(args.rows)
    error = table(rows)
    worst = collections.Counter()
    for r in rows:
        if r["p_loop"] >= 0.5:
            worst[r["scenario"]] += r["p_loop"] * r["p_boundary"] - r["right"]
    print("\nmost too high, and too low (loops):",
          ", ".join(f"{k} {v:+.1f}" for k, v in worst.most_common(6) + worst.most_common()[-6:]))
    refused = [r for r in rows if r["p_loop"] < 0.5]
    print(f"loops that are refused: {sum(r['loop'] for r in refused):.0f} of"
          f" {sum(r['loop'] for r in rows):.0f}; listed that are none:"
          f" {sum(1 - r['loop'] for r in rows if r['p_loop'] >= 0.5):.0f}")
    return error > args.gate


def features(report, loop):
    """The facts of a reported loop's confidence, of the last that has its numbers."""
    stream = next(s for s in report["streams"]
                  if all(s[k] == loop[k] for k in ("device", "context", "stream")))
    whole = sum(not i["partial"] for i in loop["iterations"])
    of = [e["facts"] for e in stream.get("explain", []) if e["stage"] == "confidence"
          and e["facts"]["length"] == loop["pattern"]["length"] and e["facts"]["iterations"] == whole]
    return of[-1] if of else None


def preset_rows(task):
    sim, deepprof, preset, seed, settings = task
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        subprocess.run([sim, "--preset", preset, "--seed", str(seed), "-F", "nsys", "-o", path,
                        *settings],
                       check=True)
        out = subprocess.run([deepprof, "analyze", "--explain", "--format=json", "--ignore-marks",
                              "--metric=period_ns", path], stdout=subprocess.PIPE, check=True)
        with open(path + ".truth.json", encoding="utf-8") as file:
            truth = json.load(file)["loops"]
    report = json.loads(out.stdout)
    near = [eval_traces.Loop(t, report["loops"]) for t in truth]
    rows = []
    for k, loop in enumerate(report["loops"]):
        of = [x for x in near if x.index and k in x.index]
        facts = features(report, loop)
        if facts and (loop["selected"] or of):
            rows.append([f"p-{preset}", seed, 1, int(any(x.score[0] >= 0.75 for x in of)),
                         int(any(x.score[1] >= 0.99 for x in of)),
                         *(facts["feature_" + f] for f in FEATURES),
                         facts["loop"], facts["boundary"]])
    return rows


def presets(args):
    """Loops of the simulator's programs, whole and cut, as rows."""
    listed = subprocess.run([args.sim, "--list-presets"], stdout=subprocess.PIPE, check=True)
    names = [line.split()[0] for line in listed.stdout.decode().splitlines() if line.strip()]
    first, end = (int(x) for x in args.seeds.split(":"))
    cut = [w for s in ("head=0.4", "tail=0.3", "after=1") for w in ("--set", s)]
    tasks = [(args.sim, args.deepprof, n, s, c) for n in args.preset or names
             for s in range(first, end) for c in ([], cut)]
    print(HEADER)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for rows in pool.map(preset_rows, tasks):
            for row in rows:
                print(",".join(str(x) for x in row))


def cuts(args):
    """The headline loops of the variants of one half of the real captures, as rows."""
    print(HEADER)
    captures = oracle_cuts.load_all(args.deepprof, args.traces, lambda name: True)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "variant.json")
        for i, (name, capture, truth) in enumerate(captures):
            if oracle_cuts.half_of(name) != args.half:
                continue
            for v in oracle_cuts.variants(name, capture, truth, *captures[i - 1][1:]):
                if not v.judged or v.second:
                    continue
                oracle_cuts.write(v.capture, path)
                report = oracle_real.analyze(args.deepprof, path, "--ignore-marks", "--explain",
                                             "--metric=period_ns")
                loop = oracle_real.headline(report, next(iter(v.truth)))
                facts = loop and features(report, loop)
                if facts:
                    verdict = v.verdict(report["loops"])
                    print(",".join(str(x) for x in [
                        "p-" + name, 0, 1, int(verdict != "wrong"), int(verdict == "right"),
                        *(facts["feature_" + f] for f in FEATURES), facts["loop"],
                        facts["boundary"]]), flush=True)


def real(args):
    """The reliability of the headline loops of captures with truth, unaided."""
    folder = os.path.join(args.traces, "real")
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        truths = json.load(file)
    pairs = []
    for truth in truths:
        report = oracle_real.analyze(args.deepprof, os.path.join(folder, truth["file"]),
                                     "--ignore-marks")
        for part in truth.get("parts", [truth]):
            loop = oracle_real.headline(report, part.get("device"))
            if not loop:
                continue
            right = part.get("kind") != "none" and oracle_real.score(
                oracle_real.whole_starts(loop), part) == 1
            pairs.append((loop["confidence"], int(right)))
            print(f"  {loop['confidence']:.3f} {'right' if right else 'wrong'} {truth['file']}")
    reliability("real captures, right", pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("fit")
    one.add_argument("rows", nargs="+")
    one.add_argument("--source", required=True)
    one.add_argument("--boundary-only", action="store_true", help="keep the model of loops")
    one = commands.add_parser("judge")
    one.add_argument("rows", nargs="+")
    one.add_argument("--gate", type=float, default=0.02)
    one = commands.add_parser("presets")
    one.add_argument("sim")
    one.add_argument("deepprof")
    one.add_argument("seeds")
    one.add_argument("--preset", action="append")
    one = commands.add_parser("cuts")
    one.add_argument("deepprof")
    one.add_argument("traces")
    one.add_argument("half", type=int)
    one = commands.add_parser("real")
    one.add_argument("deepprof")
    one.add_argument("traces")
    args = parser.parse_args()
    return {"fit": fit, "judge": judge, "presets": presets, "cuts": cuts,
            "real": real}[args.command](args)


if __name__ == "__main__":
    sys.exit(main())
