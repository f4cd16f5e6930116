#!/usr/bin/env python3
"""One program captured twice by the clock: FSDP's annotations show where its iterations begin.

    oracle_phase.py DEEPPROF FOLDER
"""
import json
import os
import subprocess
import sys

FILES = ("nsys-2026-mfu-before.sqlite", "nsys-2026-mfu-after.sqlite")


def starts(program, path, *options):
    out = subprocess.run([program, "analyze", "--format=json", *options, path], check=True,
                         stdout=subprocess.PIPE).stdout
    return {loop["device"]: [i["first_kernel"] for i in loop["iterations"] if not i["partial"]]
            for loop in json.loads(out)["loops"] if loop["selected"]}


def main():
    program, folder = sys.argv[1], os.environ.get("DEEPPROF_TRACES") or sys.argv[2]
    if not all(os.path.exists(os.path.join(folder, name)) for name in FILES):
        print("the real traces are not there")
        return 77
    wrong = 0
    for name in FILES:
        path = os.path.join(folder, name)
        marked = starts(program, path, "--marks", "FSDP::pre_forward")
        found = starts(program, path, "--ignore-marks")
        for device, truth in marked.items():
            # the last range is that of an iteration that the capture cut off
            same = found.get(device) == truth[:len(found.get(device, []))]
            if not same or len(truth) - len(found[device]) > 1:
                print(f"{name}: {found.get(device)} on GPU {device}, not {truth}")
                wrong += 1
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
