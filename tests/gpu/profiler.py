"""Traces of torch.profiler, and a trace of deepprof's held against one of the same program."""

import gzip
import json
import re

import harness
from harness import expect, plain, rows, same

# As torch.profiler begins the names of copies; CUPTI's kinds.
COPY_KINDS = {"HtoD": 1, "DtoH": 2, "DtoD": 8, "PtoP": 10}


def read(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        return json.load(file)["traceEvents"]


def of_kind(events, kind):
    return [e for e in events if e.get("ph") == "X" and e.get("cat", "").lower() == kind]


def kernels_of(events):
    """{name: (how many, nanoseconds)}."""
    found = {}
    for event in of_kind(events, "kernel"):
        count, ns = found.get(plain(event["name"]), (0, 0))
        found[plain(event["name"])] = (count + 1, ns + event["dur"] * 1000)
    return found


def copies_of(events):
    """{kind: (how many, bytes)}."""
    found = {}
    for event in of_kind(events, "gpu_memcpy"):
        kind = next((k for word, k in COPY_KINDS.items() if word in event["name"]), 0)
        count, size = found.get(kind, (0, 0))
        found[kind] = (count + 1, size + int(event["args"].get("bytes", 0)))
    return found


def kernel_times(trace):
    sql = (
        "SELECT s.value, count(*), sum(k.dur_ns) FROM kernel k JOIN string s ON s.id = k.name "
        "GROUP BY 1"
    )
    found = {}
    for name, count, ns in rows(trace, sql):
        have = found.get(plain(name), (0, 0))
        found[plain(name)] = (have[0] + count, have[1] + ns)
    return found


def spelled(names, trace):
    """The names as the trace has them: torch.profiler demangles none that is longer than 1,024
    characters, or 8,192 in newer versions."""
    sql = "SELECT mangled, value FROM string WHERE mangled IS NOT NULL"
    known = {plain(mangled): plain(value) for mangled, value in rows(trace, sql)}
    found = {}
    for name, (count, ns) in names.items():
        have = found.get(known.get(name, name), (0, 0))
        found[known.get(name, name)] = (have[0] + count, have[1] + ns)
    return found


def take_copies(kernels):
    """CUPTI takes the copies of a CUDA graph for kernels, memcpy128 for example, if the graph was made
    before it was there. Removes these; how many there were."""
    return sum(kernels.pop(name)[0] for name in list(kernels) if re.fullmatch(r"memcpy\d+", name))


def differences(ours, theirs):
    """Names whose counts differ: [(name, ours, theirs)]."""
    names = sorted(set(ours) | set(theirs))
    pairs = [(n, ours.get(n, (0, 0))[0], theirs.get(n, (0, 0))[0]) for n in names]
    return [pair for pair in pairs if pair[1] != pair[2]]


def compare(trace, path):
    """Kernels by name and count, copies and bytes are the same. How many kernels and names, bytes,
    and how far the kernels' time is from theirs."""
    events = read(path)
    ours, theirs = kernel_times(trace), spelled(kernels_of(events), trace)
    expect(theirs, f"{path} has no kernels")
    copied = take_copies(theirs)
    outside = "graph IS NULL" if copied else "true"
    inside = harness.one(trace, f"SELECT count(*) FROM memcpy WHERE NOT ({outside})")
    same(inside, copied, "copies in graphs")
    same(differences(ours, theirs), [], "kernels (name, deepprof's, torch.profiler's)")
    same(harness.copies_of(trace, outside), copies_of(events), "copies and bytes by kind")
    sets = harness.one(trace, "SELECT count(*) FROM memset")
    same(sets, len(of_kind(events, "gpu_memset")), "sets")
    our_ns, their_ns = (sum(ns for _, ns in side.values()) for side in (ours, theirs))
    count = sum(count for count, _ in ours.values())
    size = sum(size for _, size in harness.copies_of(trace).values())
    return count, len(ours), size, our_ns / their_ns - 1
