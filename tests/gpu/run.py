"""Checks deepprof on a machine with an NVIDIA GPU; on others it ends with 77.

    run [OPTION...] [CHECK...]      all checks, or those whose names begin so

It prints a line for each check and writes RESULTS.md, after each, so that nothing is lost where the
machine is taken away. It needs a built deepprof and Python 3.8; PyTorch and JAX where they are.
"""

import argparse
import datetime
import os
import pathlib
import shutil
import sys
import tarfile
import time
import traceback
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import harness  # noqa: E402
# In the order in which they are run.
import checks_work  # noqa: E402,F401
import checks_torch  # noqa: E402,F401
import checks_jax  # noqa: E402,F401
import checks_probe  # noqa: E402,F401

# What is run by --part, by how names begin, in this order: a borrowed machine takes commands of ten
# minutes.
PARTS = {
    "1": ["work-", "probe-limits", "probe-flush", "probe-nodes", "probe-missing", "probe-threads",
          "probe-metrics", "torch-verdict", "torch-nvtx", "torch-profiler", "torch-workers"],
    "2": ["torch-counts", "torch-iterations"],
    "3": ["torch-overhead"],
    "4": ["probe-torch", "probe-cupti", "probe-kineto", "probe-queries", "probe-exits",
          "probe-overlap", "probe-triton", "probe-attach", "jax", "torch-trace", "probe-cpu"],
}  # fmt: skip

# Of a part: under eight minutes, with what is packed at its end.
PART_S = 450

# Of a check, and of one that is run by itself: as long as a command of ten minutes can be.
LIMIT_S = 110
ALONE_S = 570

# Of all that is carried home from one command, but RESULTS.md.
ARCHIVE_BYTES = 16 << 20

SKIPPED = 77


def parse():
    root = HERE.parent.parent
    build = pathlib.Path(os.environ.get("DEEPPROF_BUILD", root / "build"))
    parser = argparse.ArgumentParser(description="Checks deepprof on a machine with a GPU.")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="its name, or how names begin")
    parser.add_argument("--deepprof", default=build / "cli" / "deepprof", type=pathlib.Path)
    parser.add_argument("--work", default=build / "tests" / "gpu" / "gpu_work", type=pathlib.Path)
    parser.add_argument(
        "--out",
        default=os.environ.get("OUT", "gpu-results"),
        help="folder for traces and RESULTS.md (OUT, or gpu-results)",
    )
    parser.add_argument(
        "--limit", type=float,
        help=f"seconds for a check ({LIMIT_S}; {ALONE_S} for one by itself)",
    )  # fmt: skip
    parser.add_argument("--repeat", default=5, type=int, help="measurements of each time (5)")
    parser.add_argument("--cuda", help="a stand-in for libcuda, to try the checks themselves")
    parser.add_argument(
        "--cupti", help="a libcupti, or the folder that has it, for programs that bring none"
    )
    parser.add_argument("--keep", action="store_true", help="keep the traces of what passed")
    parser.add_argument(
        "--part", choices=sorted(PARTS), help="a quarter of the checks, in under eight minutes"
    )
    parser.add_argument("--list", action="store_true", help="name the checks")
    options = parser.parse_args()
    options.out = pathlib.Path(options.out).resolve()
    options.deepprof = options.deepprof.resolve()
    options.work = options.work.resolve()
    options.cupti = options.cupti or harness.find_cupti(build)
    if options.part:
        options.checks = PARTS[options.part]
    if not options.limit:
        options.limit = ALONE_S if len(chosen(options.checks)) == 1 else LIMIT_S
    return options


def chosen(names):
    found = []
    for name in names or [""]:
        found += [c for c in harness.CHECKS if c[0].startswith(name) and c not in found]
    if not found:
        sys.exit(f"run: no such check: {' '.join(names)}")
    return found


def find_gpu(options):
    """The work program's own answer."""
    place = harness.Place(options, "gpu")
    result = place.run(place.work_command("iterations=1", "truth=truth.json"), status=None)
    if result.status == SKIPPED:
        print(f"skip: no GPU here: {result.stderr.strip()}")
        sys.exit(SKIPPED)
    if result.status:
        sys.exit(f"run: the GPU can't be used: {result.stderr.strip()}")
    device = place.truth()["device"]
    shutil.rmtree(place.folder)
    return device


def find_cupti(options):
    """Without one there is nothing to check, and each check would say so at length."""
    place = harness.Place(options, "work-cupti")
    command = place.record_command(place.work_command("iterations=1"))
    result = place.run(command, status=None)
    shutil.rmtree(place.folder)
    if "no libcupti found" in result.stderr or "--cupti=" in result.stderr:
        sys.exit(f"run: {result.stderr.strip()}\nrun: --cupti names one; pack takes one along")


def run_check(options, name, function):
    """(verdict, lines, seconds)."""
    began = time.monotonic()
    place = harness.Place(options, name)
    try:
        function(place)
        verdict = "busy" if place.busy else "pass"
    except harness.Skip as why:
        verdict = "skip"
        place.say(str(why))
    except harness.Failed as why:
        verdict = "FAIL"
        place.say(f"failed: {why}")
    except Exception:  # noqa: BLE001: the next check runs
        verdict = "FAIL"
        place.say("```\n" + traceback.format_exc() + "```")
    place.end_all()
    if verdict != "FAIL" and not (options.keep or place.keeps):
        shutil.rmtree(place.folder)
    return verdict, place.lines, time.monotonic() - began


def carry_home(options):
    """All that is there but RESULTS.md in one archive, the small first, as much as it may have."""
    files = [p for p in options.out.rglob("*") if p.is_file() and p.parent != options.out]
    kept = []
    packed = 0
    for path in sorted(files, key=lambda p: p.stat().st_size):
        packed += packed_bytes(path, ARCHIVE_BYTES - packed)
        if packed > ARCHIVE_BYTES:
            break
        kept.append(path)
    with tarfile.open(options.out / f"part{options.part}.tar.gz", "w:gz", compresslevel=6) as tar:
        for path in kept:
            tar.add(path, path.relative_to(options.out))
    for path in options.out.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


def packed_bytes(path, most):
    """What a file takes in the archive, with what describes it there; beyond most, that is enough."""
    packer = zlib.compressobj(6)
    count = 2 * tarfile.BLOCKSIZE
    with open(path, "rb") as file:
        while count <= most and (piece := file.read(1 << 20)):
            count += len(packer.compress(piece))
    return count + len(packer.flush())


def write_results(options, device, results):
    when = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    lines = [f"# {device}, {when}", "", *options.about, ""]
    lines += harness.table(
        ["check", "", "seconds"], [(n, v, f"{s:.1f}") for n, _, v, _, s in results]
    )
    for name, about, verdict, said, _ in results:
        lines += ["", f"## {name}: {verdict}", "", about + ".", "", *said]
    name = f"RESULTS.part{options.part}.md" if options.part else "RESULTS.md"
    (options.out / name).write_text("\n".join(lines) + "\n")


def main():
    options = parse()
    checks = chosen(options.checks)
    if options.list:
        for name, about, _ in checks:
            print(f"{name:26} {about}")
        return 0
    for program in options.deepprof, options.work:
        if not program.exists():
            sys.exit(f"run: {program} is not there: build deepprof first")
    until = time.monotonic() + PART_S
    device = find_gpu(options)
    if any(name.startswith("work") for name, _, _ in checks):
        find_cupti(options)
    options.about = harness.about_machine(options)
    results = []
    for name, about, function in checks:
        if options.part:
            # The last of a part may have what is left: it measures for as long as it can.
            last = name == checks[-1][0]
            left = until - time.monotonic()
            options.limit = left if last else min(options.limit, left)
            if left < 10:
                results.append((name, about, "skip", ["no time was left"], 0))
                continue
        verdict, lines, seconds = run_check(options, name, function)
        results.append((name, about, verdict, lines, seconds))
        write_results(options, device, results)
        print(f"{verdict} {name} ({seconds:.1f} s)", flush=True)
        if verdict != "pass":
            print("\n".join("     " + line for line in lines), flush=True)
    write_results(options, device, results)
    if options.part:
        carry_home(options)
    verdicts = [result[2] for result in results]
    print(f"{options.out} has the numbers")
    if "FAIL" in verdicts:
        return 1
    return 0 if "pass" in verdicts else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
