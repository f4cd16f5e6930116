#!/usr/bin/env python3
"""Iterations of real programs, held against what their annotations, sources and stacks say.

A capture is right where the headline loop (at the reported level, covering most time) has the true
number of whole iterations and each begins where it should; "half" answers count half. Captures are
analyzed without annotations and, where these mark iterations, with them.

    oracle_real.py DEEPPROF FOLDER [-v] [FILE…]
"""
import json
import os
import subprocess
import sys

TOLERANCE_NS = 2000  # truth is written in whole microseconds

# What is not right yet, and why: reported, but no failure.
OPEN = {
}


def analyze(program, path, *options):
    done = subprocess.run([program, "analyze", "--format=json", *options, path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit(f"{path}: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)


def whole_starts(loop):
    return [i["start_ns"] for i in loop["iterations"] if not i["partial"]]


def covered(loop):
    return sum(i["end_ns"] - i["start_ns"] for i in loop["iterations"])


def headline(report, device=None):
    loops = [x for x in report["loops"]
             if x["selected"] and (device is None or x["device"] == device)]
    return max(loops, key=covered, default=None)


def same_starts(found, truth):
    return len(found) == len(truth) and all(
        abs(a - b) <= TOLERANCE_NS for a, b in zip(found, truth))


def score(found, truth):
    """1 right, 0.5 half right, 0 wrong."""
    answers = [truth["starts_ns"]] + [a["starts_ns"] for a in truth.get("accept", [])]
    if any(answer and same_starts(found, answer) for answer in answers):
        return 1
    return 0.5 if any(same_starts(found, a["starts_ns"]) for a in truth.get("half", [])) else 0


def judge(report, truth):
    if truth["kind"] == "none":
        loop = headline(report)
        return (0, whole_starts(loop), loop) if loop else (1, [], None)
    if "parts" in truth:
        marks = []
        for part in truth["parts"]:
            loop = headline(report, part.get("device"))
            marks.append(score(whole_starts(loop) if loop else [], part))
        return min(marks), marks, headline(report)
    loop = headline(report)
    found = whole_starts(loop) if loop else []
    return score(found, truth), found, loop


def faults(report, truth, by_default):
    """What else does not hold: warm-up, and findings that must or must not be there."""
    out = []
    loop = headline(report)
    warm = sum(i["warmup"] for i in loop["iterations"]) if loop else 0
    if "warmup_exact" in truth and warm != truth["warmup_exact"]:
        out.append(f"{warm} warm-up iterations, not {truth['warmup_exact']}")
    if loop and warm > truth.get("warmup_share_max", 1) * len(loop["iterations"]):
        out.append(f"{warm} of {len(loop['iterations'])} iterations are warm-up")
    rules = [f["rule"] for f in report["findings"]]
    prefix = ("", "default_") if by_default else ("",)
    for p in prefix:
        out += [f"no {r}" for r in truth.get(p + "findings_include", []) if r not in rules]
        out += [r for r in truth.get(p + "findings_absent", []) if r in rules]
        out += [f"{rules.count(r)} × {r}" for r, most in
                truth.get(p + "findings_at_most", {}).items() if rules.count(r) > most]
    return out


def main():
    args = [a for a in sys.argv[1:] if a != "-v"]
    verbose = "-v" in sys.argv
    program, folder = args[0], os.path.join(os.environ.get("DEEPPROF_TRACES") or args[1], "real")
    if not os.path.exists(os.path.join(folder, "truth.json")):
        print("the real traces are not there")
        return 77
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        truths = json.load(file)
    good = total = wrong = 0
    for truth in truths:
        if args[2:] and not any(a in truth["file"] for a in args[2:]):
            continue
        path = os.path.join(folder, truth["file"])
        for options in [("--ignore-marks",)] + ([()] if truth.get("default") else []):
            report = analyze(program, path, *options)
            mark, found, loop = judge(report, truth)
            more = faults(report, truth, not options)
            good, total = good + mark, total + 1
            wrong += (mark < 1 or bool(more)) and truth["file"] not in OPEN
            if verbose or mark < 1 or more:
                sure = f" ({loop['confidence']:.2f})" if loop else ""
                some = ", ".join(str(f) for f in found[:4])
                print(f"{mark:3} {truth['file']} {' '.join(options)}: {len(found)} "
                      f"iterations{sure} of {truth.get('count', 'parts')}: {some} "
                      f"{'; '.join(more)}")
                if (mark < 1 or more) and truth["file"] in OPEN:
                    print(f"    open: {OPEN[truth['file']]}")
    print(f"{good:g} of {total} cut right" + (f", {wrong} with a fault" if wrong else ""))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
