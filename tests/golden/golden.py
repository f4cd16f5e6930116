#!/usr/bin/env python3
"""Reports of analyses made by hand, byte by byte; and what has to hold for all of them.

golden.py PROGRAM SCHEMA [--update]: compares, or with --update writes, the files next to this one.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import unicodedata

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = ["train", "ranks", "nothing", "long", "apart", "one", "slow", "waits"]

# File, and the words that make it. Of the others the text is enough.
GOLDEN = [(f"{case}.{ext}", [case, form]) for case in CASES
          for ext, form in (("txt", "text"), ("json", "json"), ("csv", "csv"))
          if case in ("train", "ranks", "nothing") or form == "text"]
GOLDEN += [
    ("train-plain.txt", ["train", "text", "ascii", "verbose", "60"]),
    ("train-color.txt", ["train", "text", "color", "120"]),
    ("ranks-verbose.txt", ["ranks", "text", "verbose", "100"]),
    ("slow-verbose.txt", ["slow", "text", "verbose"]),
    ("slow.csv", ["slow", "csv", "period_ns"]),
    ("waits-verbose.txt", ["waits", "text", "verbose"]),
    ("waits-all.txt", ["waits", "text", "verbose", "all", "72"]),
    ("train-metrics.txt", ["train", "text", "interval_ns", "avg_size_bytes"]),
    ("train-metrics.json", ["train", "json", "interval_ns", "avg_size_bytes"]),
    ("train-metrics.csv", ["train", "csv", "overlap", "period_ns"]),
]

failures = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED: " + text)


def run(program, words):
    return subprocess.run([program] + words, stdout=subprocess.PIPE, check=True).stdout


def compare(program, update):
    for name, words in GOLDEN:
        path = os.path.join(HERE, name)
        have = run(program, words)
        if update:
            with open(path, "wb") as file:
                file.write(have)
            continue
        with open(path, "rb") as file:
            want = file.read()
        if have != want:
            fail(f"{' '.join(words)} differs from {name}")
            have, want = have.splitlines(), want.splitlines()
            for number, pair in enumerate(zip(have, want), 1):
                if pair[0] != pair[1]:
                    print(f"  line {number}:\n  have {pair[0]!r}\n  want {pair[1]!r}")
                    break


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def check_text(program):
    """A screen, and nothing on it that acts on a terminal."""
    for case in CASES:
        for width in (40, 60, 80, 132):
            text = run(program, [case, "text", str(width)]).decode("utf-8")
            lines = text.split("\n")
            for line in lines:
                if width >= 80 and columns(line) > width:
                    fail(f"{case}: a line of {columns(line)} columns, not {width}: {line!r}")
                if line != line.rstrip():
                    fail(f"{case}: blanks at the end of {line!r}")
                for c in line:
                    if unicodedata.category(c) in ("Cc", "Cf", "Mn", "Zl", "Zp"):
                        fail(f"{case}: U+{ord(c):04X} in {line!r}")
            if width == 80 and len(lines) - 1 > 24:
                fail(f"{case}: {len(lines) - 1} lines are more than a screen")
        text = run(program, [case, "text", "ascii"])
        if any(byte >= 0x80 for byte in text):
            fail(f"{case}: ascii is not")
    # In colours: the same, once the escapes are out; and they are all ended.
    for case in CASES:
        colored = run(program, [case, "text", "color"]).decode("utf-8")
        plain = run(program, [case, "text"]).decode("utf-8")
        if re.sub("\x1b\\[[0-9;]*m", "", colored) != plain:
            fail(f"{case}: colours change the text")
        for line in re.findall("\x1b\\[[0-9;]*m", colored)[1::2]:
            if line != "\x1b[0m":
                fail(f"{case}: a style inside a style")


def check_csv(program):
    for case in CASES:
        rows = list(csv.DictReader(io.StringIO(run(program, [case, "csv"]).decode("utf-8"))))
        report = json.loads(run(program, [case, "json"]))
        iterations = [(loop, it) for loop in report["loops"] if loop["selected"]
                      for it in loop["iterations"]]
        if len(rows) != len(iterations):
            fail(f"{case}: {len(rows)} rows for {len(iterations)} iterations")
        for row, (loop, it) in zip(rows, iterations):
            if row.pop("file") != re.sub("[\\x00-\\x1f\\x7f]", "?", report["trace"]["path"]):
                fail(f"{case}: a row of another file")
            want = dict(it, loop=loop["id"], device=loop["device"], context=loop["context"],
                        stream=loop["stream"])
            for key, value in want.items():
                text = "" if value is None else json.dumps(value)
                if row[key] != text:
                    fail(f"{case}: {key} is {row[key]!r} in CSV, {text} in JSON")
            if set(row) != set(want):
                fail(f"{case}: columns differ: {set(row) ^ set(want)}")


def check_json(program, schema):
    validator = None
    if jsonschema:
        with open(schema, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
    else:
        print("python3-jsonschema is missing: reports are not held against the schema")
    names = []
    for case in CASES:
        for words in ([], ["interval_ns"]):
            data = run(program, [case, "json"] + words)
            text = data.decode("utf-8")
            if any(ord(c) < 0x20 and c != "\n" or 0x7f <= ord(c) < 0xa0 for c in text):
                fail(f"{case}: control characters in JSON")
            report = json.loads(text, parse_constant=lambda word: fail(f"{case}: {word}"))
            for error in validator.iter_errors(report) if validator else []:
                fail(f"{case}: {list(error.absolute_path)}: {error.message[:200]}")
            names += [name for loop in report["loops"] for name in loop["pattern"]["kernels"]]
    if not any(name.startswith("\x1b[31mred\x1b]0;title\x07 \"quoted\" back\\slash\r\n\ttab\x9b1m")
               for name in names):
        fail("a hostile name did not survive JSON")
    if validator:
        check_schema(program, validator)


def check_schema(program, validator):
    """The schema takes reports, but not everything."""
    def broken(change):
        report = json.loads(run(program, ["train", "json"]))
        change(report)
        return not validator.is_valid(report)

    wrong = {
        "schema 1": lambda r: r.update(schema=1),
        "a float of ns": lambda r: r["loops"][0]["iterations"][1].update(interval_ns=1.5),
        "a text for a number": lambda r: r["loops"][0]["iterations"][1].update(overlap="1"),
        "an unknown metric": lambda r: r["loops"][0]["iterations"][1].update(nonsense_ns=1),
        "an unknown summary": lambda r: r["loops"][0]["summary"].update(nonsense=1),
        "an unknown severity": lambda r: r["findings"][0].update(severity="bad"),
        "an unknown rule": lambda r: r["findings"][0].update(rule="nonsense"),
        "an unknown class": lambda r: r["streams"][0].update({"class": "nonsense"}),
        "an unknown way": lambda r: r["loops"][0].update(found_by="nonsense"),
        "no index": lambda r: r["loops"][0]["iterations"][1].pop("index"),
        "no pattern": lambda r: r["loops"][0].pop("pattern"),
        "no path": lambda r: r["trace"].pop("path"),
        "no findings": lambda r: r.pop("findings"),
        "a range of one": lambda r: r["findings"][0].update(iterations=[1]),
        "a key more": lambda r: r["trace"].update(more=1),
        "confidence 2": lambda r: r["loops"][0].update(confidence=2),
    }
    for what, change in wrong.items():
        if not broken(change):
            fail(f"the schema takes a report with {what}")


def main():
    program, schema = sys.argv[1:3]
    compare(program, "--update" in sys.argv)
    check_text(program)
    check_csv(program)
    check_json(program, schema)
    sys.exit(1 if failures else 0)


main()
