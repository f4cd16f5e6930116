#!/usr/bin/env python3
"""What is known of a capture tells what must be found in a part of it, or in it with other names.

Each real capture whose iterations are known is cut, renamed, thinned, put behind other work, and
so on; the truth of what results follows from that of the whole. A variant is right where every
iteration that is whole in it is found, nothing else is, and each begins where it should. Captures
are divided in two by a hash of their names: what is tuned is tuned on the first half.

    oracle_cuts.py DEEPPROF FOLDER [-v] [--half=0|1] [--of=VARIANT] [--keep=FOLDER] [FILE…]

All of them take some minutes, which is why no test runs this. FILE is a part of a capture's name,
VARIANT the beginning of a variant's; --keep=FOLDER leaves the variants there.
"""
import bisect
import collections
import gzip
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from decimal import Decimal

from oracle_real import covered, whole_starts

TOLERANCE_NS = 2000	# truth is written in whole microseconds
WHOLE_LEAST = 3		# iterations that a variant must hold to be judged
GAP_NS = 1_000_000	# between a capture and what is put around it

# Captures whose annotations, or whose sequence, tell how many iterations they have.
KNOWN = {
    "kineto-resnet50-workers0.pt.trace.json.gz": 6,
    "kineto-resnet50-workers4.pt.trace.json.gz": 6,
    "kineto-resnet50-autograd-workers0.json.gz": 5,
    "kineto-resnet50-partial-a.json.gz": 6,
    "hta-diff-control.json.gz": 6,
    "hta-diff-test.json.gz": 6,
    "hta-ns-resolution.json.gz": 5,
    "tracelens-mi300-resnet18.json.gz": 5,
    "param-linear.json.gz": 40,
    "nsys-2026-mfu-before.sqlite": 16,
    "nsys-2026-mfu-after.sqlite": 14,
    "ranks/ddp4/rank0.json.gz": 3,
}
ONE_DEVICE = {"nsys-2026-mfu-before.sqlite": 0, "nsys-2026-mfu-after.sqlite": 0}

KINDS = {"kernel": "kernel", "gpu_memcpy": "copy", "memcpy": "copy", "gpu_memset": "copy",
         "memset": "copy", "runtime": "call", "cuda_runtime": "call", "cuda_driver": "call",
         "user_annotation": "note", "gpu_user_annotation": "note"}
COPIES = {1: "Memcpy HtoD", 2: "Memcpy DtoH", 8: "Memcpy DtoD"}

TELLING = re.compile("nccl|rccl|multi_tensor_apply|adam|sgd|copy_kernel|fillfunctor")

Event = collections.namedtuple("Event", "kind start end raw")


def on_gpu(event):
    return event.kind in ("kernel", "copy")


def correlation(event):
    """Calls and what they launch have the same one; ids of several ranks in a file may be equal."""
    args = event.raw["args"]
    return args.get("rank"), args.get("correlation")


class Capture:
    """What a trace holds, in ns from its first GPU operation, in the order of starts."""

    def __init__(self, events):
        self.events = sorted(events, key=lambda e: e.start)

    def zeroed(self):
        zero = min(e.start for e in self.events if on_gpu(e))
        return Capture(moved(e, -zero) for e in self.events), zero

    def gpu(self):
        return [e for e in self.events if on_gpu(e)]

    def end(self):
        return max(e.end for e in self.gpu())


def moved(event, by):
    return Event(event.kind, event.start + by, event.end + by, event.raw)


def load_kineto(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        document = json.load(file, parse_float=Decimal)
    for raw in document if isinstance(document, list) else document["traceEvents"]:
        kind = KINDS.get(str(raw.get("cat")).lower())
        if raw.get("ph") == "X" and kind:
            start = int(Decimal(raw["ts"]) * 1000)
            yield Event(kind, start, start + int(Decimal(raw["dur"]) * 1000), raw)


def row_event(kind, category, row, name, **args):
    args["correlation"] = row["correlationId"]
    raw = {"ph": "X", "cat": category, "name": name, "args": args}
    if kind == "call":
        raw.update(pid=row["globalTid"] >> 24, tid=row["globalTid"] & 0xffffff)
    else:
        args.update(device=row["deviceId"], stream=row["streamId"])
        raw.update(pid=row["deviceId"], tid=row["streamId"])
    return Event(kind, row["start"], row["end"], raw)


def load_nsys(path):
    base = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    base.row_factory = sqlite3.Row
    names = dict(base.execute("SELECT id, value FROM StringIds").fetchall())
    present = {row[0] for row in base.execute("SELECT name FROM sqlite_master")}

    def rows(table):
        table = "CUPTI_ACTIVITY_KIND_" + table
        return base.execute(f"SELECT * FROM {table}") if table in present else ()

    for row in rows("KERNEL"):
        yield row_event("kernel", "kernel", row, names[row["demangledName"]])
    for row in rows("MEMCPY"):
        yield row_event("copy", "gpu_memcpy", row, COPIES.get(row["copyKind"], "Memcpy"),
                        bytes=row["bytes"])
    for row in rows("MEMSET"):
        yield row_event("copy", "gpu_memset", row, "Memset", bytes=row["bytes"])
    for row in rows("RUNTIME"):
        yield row_event("call", "cuda_runtime", row, names[row["nameId"]].split("_v")[0])
    base.close()


def load(path):
    return Capture(load_nsys(path) if path.endswith("sqlite") else load_kineto(path)).zeroed()[0]


def write(capture, path):
    events = [{**e.raw, "ts": e.start / 1000 + 1e6, "dur": (e.end - e.start) / 1000}
              for e in capture.events]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file, default=float)


# Truth: for each device (None: whichever) the answers that are right; an answer is a list of the
# starts of iterations, each with the time at which it is whole.

def answers_of(part):
    alternatives = [part["starts_ns"]] + [a["starts_ns"] for a in part.get("accept", [])]
    return [starts for starts in alternatives if starts]


def truth_of(entry):
    parts = entry.get("parts", [entry])
    return {part.get("device") if "parts" in entry else None: answers_of(part) for part in parts}


def analyze(program, path, *options):
    done = subprocess.run([program, "analyze", "--format=json", *options, path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode < 0:
        raise SystemExit(f"{path}: {done.stderr.decode(errors='replace')}")
    return json.loads(done.stdout)["loops"] if done.returncode == 0 else []


def headline(loops, device):
    level = [x for x in loops if x["selected"] and device in (None, x["device"])]
    return max(level, key=covered, default=None)


class Variant:
    """A capture made of another, with the iterations that must and may be found in it."""

    def __init__(self, name, capture, truth, least=WHOLE_LEAST):
        self.name = name
        self.capture, zero = capture.zeroed()
        # answers: [(start, must)]
        self.truth = {device: [[(s - zero, must) for s, must in answer] for answer in answers]
                      for device, answers in truth.items()}
        self.tolerance = TOLERANCE_NS
        self.second = None  # the truth of a second loop
        self.judged = all(sum(must for _, must in answer) >= least
                          for answers in truth.values() for answer in answers[:1])

    def verdict(self, loops):
        """right, or what is wrong."""
        if self.second:
            level = [whole_starts(x) for x in loops if x["selected"]]
            return max(self.best(level, self.truth[None], self.second),
                       self.best(level, self.second, self.truth[None]), key=ORDER.index)
        found = {device: headline(loops, device) for device in self.truth}
        return max((self.best([whole_starts(found[device])] if found[device] else [], answers)
                    for device, answers in self.truth.items()), key=ORDER.index)

    def best(self, found, answers, others=((),)):
        """How near the best loop comes to any answer; one program run twice is one loop."""
        return min((self.compare(starts, answer + [(s, False) for s, _ in other])
                    for starts in found for answer in answers for other in others),
                   key=ORDER.index, default="none")

    def compare(self, found, answer):
        must = [s for s, needed in answer if needed]
        near = [closest(s, [a for a, _ in answer]) for s in found]
        if all(abs(d) <= self.tolerance for d in near):
            missing = sum(abs(closest(s, found)) > self.tolerance for s in must)
            return "right" if not missing else "missing" if found else "none"
        counts = len(must) - 1 <= len(found) <= len(answer) + 1
        return "shifted" if counts else "wrong"


ORDER = ["right", "missing", "shifted", "wrong", "none"]


def closest(x, among):
    """From the nearest of them to x."""
    at = bisect.bisect(among, x)
    return min((x - y for y in among[max(at - 1, 0):at + 1]), key=abs, default=1 << 62)


def whole(truth):
    return {device: [[(s, True) for s in starts] for starts in answers]
            for device, answers in truth.items()}


def cut(capture, truth, first, end):
    """What a profiler records from first to end, and which iterations of the truth are in it."""
    kept = [e for e in capture.events if first <= e.start < end]
    last = capture.end()

    def window(starts):
        ends = starts[1:] + [last if end > last else end + 1]
        return [(s, e <= end) for s, e in zip(starts, ends) if first <= s < end]

    return Capture(kept), {device: [window(starts) for starts in answers]
                           for device, answers in truth.items()}


def only(capture, truth, k, n):
    """Iterations k to k + n: what a profiler records that begins and ends with one."""
    starts = next(iter(truth.values()))[0]
    first, end = starts[k], starts[k + n] if k + n < len(starts) else capture.end() + 1
    gpu = [e for e in capture.gpu() if first <= e.start < end]
    launched = {correlation(e) for e in gpu}
    calls = [e.start for e in capture.events if e.kind == "call" and correlation(e) in launched]
    low, high = (min(calls), max(calls)) if calls else (0, 0)
    kept = gpu + [e for e in capture.events
                  if e.kind == "call" and low <= e.start <= high]
    return Capture(kept), {device: [[(s, True) for s in a if first <= s < end] for a in answers]
                           for device, answers in truth.items()}


def edited(capture, change):
    """Each event's raw form through a function."""
    return Capture(Event(e.kind, e.start, e.end, change(e)) for e in capture.events)


def renamed(capture):
    """Other names, in which the words are left that tell an optimizer or a collective."""
    names = {}

    def change(event):
        if event.kind != "kernel":
            return event.raw
        name = event.raw["name"]
        words = "_".join(TELLING.findall(name.lower()))
        return {**event.raw, "name": names.setdefault(name, f"k{len(names):04d}_{words}")}

    return edited(capture, change)


def restreamed(capture):
    """Other ids of streams, and events of equal times in another order."""
    def change(event):
        if not on_gpu(event):
            return event.raw
        args = event.raw["args"]
        stream = 1000 - int(args["stream"])
        return {**event.raw, "tid": stream, "args": {**args, "stream": stream}}

    made = edited(capture, change)
    made.events.sort(key=lambda e: (e.start, -e.end, zlib.crc32(e.raw["name"].encode())))
    return made


def thinned(capture, truth, rng):
    """1% of the kernels are lost: an iteration whose first is begins with its next one.

    One that lost more than a tenth of its kernels need not be found, nor a last one its last.
    """
    kept, lost = [], []
    for event in capture.events:
        if event.kind == "kernel" and rng.random() < 0.01:
            lost.append(event.start)
        else:
            kept.append(event)
    gpu = sorted(e.start for e in kept if on_gpu(e))

    last = capture.end()

    def within(times, first, end):
        return bisect.bisect_left(times, end) - bisect.bisect_left(times, first)

    def move(start, end):
        few = within(lost, start, end) * 10 <= within(gpu, start, end) and \
            not (end == last and within(lost, gpu[-1], end))
        if within(lost, start - TOLERANCE_NS, start + TOLERANCE_NS):
            start = gpu[min(bisect.bisect_left(gpu, start - TOLERANCE_NS), len(gpu) - 1)]
        return start, few

    return Capture(kept), {d: [[move(*ends) for ends in zip(a, a[1:] + [last])]
                               for a in answers] for d, answers in truth.items()}


def scaled(capture, by):
    return Capture(Event(e.kind, round(e.start * by), round(e.end * by), e.raw)
                   for e in capture.events)


def main_stream(capture):
    time = collections.Counter()
    for e in capture.events:
        if e.kind == "kernel":
            time[e.raw["args"]["device"], e.raw["args"]["stream"]] += e.end - e.start
    return time.most_common(1)[0][0]


def onto(capture, other, marker):
    """The other's events as if the first one's program had run them: its device, stream, host."""
    device, stream = main_stream(capture)
    there = main_stream(other)
    host = next((e.raw for e in capture.events if e.kind == "call"), {"pid": 1, "tid": 1})
    first = next(e.raw["args"] for e in capture.events if on_gpu(e))
    same_place = {key: first[key] for key in ("rank", "context") if key in first}

    def change(event):
        args = {**event.raw.get("args", {})}
        args.pop("rank", None)
        args.pop("context", None)
        args.update(same_place)
        if "correlation" in args:
            args["correlation"] = int(args["correlation"]) + marker
        if not on_gpu(event):
            return {**event.raw, "pid": host["pid"], "tid": host["tid"], "args": args}
        same = (args["device"], args["stream"]) == there
        args["stream"] = stream if same else int(args["stream"]) + 5000
        args["device"] = device
        return {**event.raw, "pid": device, "tid": args["stream"], "args": args}

    return edited(other, change)


def stretch(capture, truth, share, most):
    """Less than an iteration of a capture, with the calls that launched it."""
    starts = next(iter(truth.values()))[0]
    first = starts[len(starts) // 2]
    after = starts[len(starts) // 2 + 1] if len(starts) > 2 else capture.end()
    gpu = [e for e in capture.gpu() if first <= e.start < after]
    gpu = gpu[:min(max(int(len(gpu) * share), 1), most)]
    ids = {correlation(e) for e in gpu}
    return Capture(gpu + [e for e in capture.events
                          if e.kind == "call" and correlation(e) in ids])


def behind(first, second):
    """Both, one after the other, and by how much the second one's times move."""
    begin = min(e.start for e in second.events)
    by = max(e.end for e in first.events) + GAP_NS - begin
    return Capture(first.events + [moved(e, by) for e in second.events]), by


def shifted(truth, by):
    return {d: [[(s + by, m) for s, m in a] for a in answers] for d, answers in truth.items()}


def begun_by(part, truth):
    """What is in front may be called an iteration that lacks its end, as that of one program."""
    begin = min(e.start for e in part.gpu())
    return {d: [[(begin, False)] + a for a in answers] for d, answers in truth.items()}


def inside(capture, starts, i, share):
    """A time within iteration i, between two of its operations."""
    end = starts[i + 1] if i + 1 < len(starts) else capture.end() + 1
    gpu = [e.start for e in capture.gpu() if starts[i] <= e.start < end]
    return gpu[min(max(int(len(gpu) * share), 1), len(gpu) - 1)]


def cuts(capture, truth):
    starts = next(iter(truth.values()))[0]
    n = len(starts)
    windows = {"first half": (0, inside(capture, starts, n // 2, 0.5)),
               "last half": (inside(capture, starts, n // 2 - 1, 0.4), capture.end() + 1),
               "middle": (inside(capture, starts, n // 3, 0.6),
                          inside(capture, starts, min(n - n // 3, n - 1), 0.3)),
               "late 30%": (inside(capture, starts, 0, 0.3), capture.end() + 1),
               "late 70%": (inside(capture, starts, 0, 0.7), capture.end() + 1),
               "early 40%": (0, inside(capture, starts, n - 1, 0.4)),
               "both ends": (inside(capture, starts, 0, 0.5), inside(capture, starts, n - 1, 0.8))}
    for name, (first, end) in windows.items():
        yield Variant("cut " + name, *cut(capture, truth, first, end))


def variants(name, capture, truth, other, other_truth):
    rng = random.Random(name)
    starts = next(iter(truth.values()))[0]
    yield Variant("same", capture, whole(truth), 2)
    yield from cuts(capture, truth)
    yield Variant("renamed", renamed(capture), whole(truth), 2)
    for seed in range(3):
        yield Variant(f"thinned {seed}", *thinned(capture, truth, rng))
    for n in (3, 4, 6):
        for k in {0, (len(starts) - n) // 2}:
            if 0 <= k and k + n <= len(starts) and len(truth) == 1:
                yield Variant(f"only {k}+{n}", *only(capture, truth, k, n))
    yield Variant("streams", restreamed(capture), whole(truth), 2)
    for by in (0.1, 10):
        v = Variant(f"times {by}", scaled(capture, by), whole(
            {d: [[round(s * by) for s in a] for a in answers] for d, answers in truth.items()}), 2)
        v.tolerance = max(TOLERANCE_NS * by, 1000)
        yield v
    if len(truth) > 1 or not other:
        return
    # at most a quarter of what there is then
    most = len(capture.gpu()) // 3
    foreign = onto(capture, stretch(other, other_truth, 0.7, most), 1 << 24)
    front, by = behind(foreign, capture)
    yield Variant("front", front, begun_by(foreign, shifted(whole(truth), by)))
    yield Variant("behind", behind(capture, foreign)[0], whole(truth))
    own = onto(capture, stretch(capture, truth, 0.6, most), 1 << 24)
    front, by = behind(own, capture)
    yield Variant("own front", front, begun_by(own, shifted(whole(truth), by)))
    if is_loop(capture, starts) and len(other_truth) == 1 and is_loop(other, other_truth[None][0]):
        both, by = behind(capture, onto(capture, other, 1 << 24))
        both = Variant("two loops", both, whole(truth))
        both.second = [[(s + by, True) for s in a] for a in other_truth[None]]
        yield both


def is_loop(capture, starts):
    """One that is listed next to others: of five iterations, of eight kernels."""
    return len(starts) >= 5 and len(capture.gpu()) >= 8 * len(starts)


def judge(program, variant, path):
    write(variant.capture, path)
    return variant.verdict(analyze(program, path, "--ignore-marks"))


def load_all(program, folder, wanted):
    """[(name, capture, truth)] of the captures that are there."""
    out = []
    with open(os.path.join(folder, "real", "truth.json"), encoding="utf-8") as file:
        truths = {t["file"]: truth_of(t) for t in json.load(file) if t["kind"] == "loop"}
    for name, truth in truths.items():
        if wanted(name):
            out.append((name, load(os.path.join(folder, "real", name)), truth))
    for name, count in KNOWN.items():
        path = os.path.join(folder, name)
        if not wanted(name) or not os.path.exists(path):
            continue
        device = ONE_DEVICE.get(name)
        starts = whole_starts(headline(analyze(program, path), device))
        if len(starts) != count:
            raise SystemExit(f"{name}: {len(starts)} iterations, not {count}")
        capture = load(path)
        if device is not None:
            capture = Capture(e for e in capture.events
                              if not on_gpu(e) or e.raw["args"]["device"] == device)
        out.append((name, capture, {None: [starts]}))
    return out


def half_of(name):
    return zlib.crc32(name.encode()) & 1


def main():
    args = [a for a in sys.argv[1:] if not a.startswith("-")]
    flags = dict((a.split("=") + [""])[:2] for a in sys.argv[1:] if a.startswith("-"))
    program, folder = args[0], os.environ.get("DEEPPROF_TRACES") or args[1]
    if not os.path.exists(os.path.join(folder, "real", "truth.json")):
        print("the real traces are not there")
        return 77
    captures = load_all(program, folder, lambda n: not args[2:] or any(a in n for a in args[2:]))
    table = collections.Counter()
    wrong = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        for i, (name, capture, truth) in enumerate(captures):
            if flags.get("--half") not in (None, str(half_of(name))):
                continue
            _, other, other_truth = captures[i - 1]
            for v in variants(name, capture, truth, other if i else captures[-1][1],
                              other_truth if i else captures[-1][2]):
                if not v.judged or not v.name.startswith(flags.get("--of", "")):
                    continue
                keep = flags.get("--keep")
                path = os.path.join(keep or scratch, "variant.json" if not keep else
                                    f"{name}-{v.name}.json".replace(" ", "_").replace("/", "_"))
                verdict = judge(program, v, path)
                table[half_of(name), verdict] += 1
                if verdict != "right":
                    wrong[v.name].append(name)
                if verdict != "right" or "-v" in flags:
                    print(f"{verdict:8} {half_of(name)} {v.name:16} {name}", flush=True)
    for half in (0, 1):
        total = sum(n for (h, _), n in table.items() if h == half)
        print(f"half {half}: {table[half, 'right']} of {total} right")
    return any(wrong)


if __name__ == "__main__":
    sys.exit(main())
