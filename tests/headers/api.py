#!/usr/bin/env python3
"""The public headers keep the conventions of the interface (lib/README.md).

api.py SOURCE_DIR

A list is read by index, from 0; there are no iterators. A struct that a caller allocates and a function
fills, or reads as options, begins with its size and has an _INIT macro that man pages name. Times and
sizes have their unit in their names. In all headers, no two structs or enums have one name.
"""
import pathlib
import re
import sys

# Open structs without a size, and why.
FIXED = {
    "dp_error": "in each signature, and the first that a caller sets up",
    "dp_suffix_node": "a value of four numbers, which callers keep by the million",
}
# Ends of names that would be iterators, and why these may have them.
ITERATORS = re.compile(r"_(next|first|each|foreach|begin|iter|at)$")
WALKS = {"dp_suffix_child_first", "dp_suffix_child_next"}  # nodes are computed, and have no number
# Names of numbers that have a unit, and the units.
MEASURED = re.compile(r"(?:^|_)(time|start|end|duration|bytes|memory|interval|clock|delay|wait|gap"
                      r"|spool)(?:_|$)")
UNITS = re.compile(r"(_(ns|us|ms|s|bytes|mhz|khz|kBps|ppm|mw|change|ratio)|^bytes|^ns)$")


def read(root):
    text = ""
    for header in sorted((root / "include" / "deepprof").glob("*.h")):
        text += re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
    structs = dict(re.findall(r"(?s)\bstruct (dp_\w+) \{(.*?)\n\}", text))
    functions = {name: (result.strip(), [" ".join(part.split()) for part in parameters.split(",")])
                 for result, name, parameters in
                 re.findall(r"(?m)^DP_API\b([^;{]*?)\b(dp_\w+)\s*\(([^;]*)\)\s*;", text)}
    return text, structs, functions


def sizes(text, structs, functions, manual):
    """Structs that cross the border in the caller's memory."""
    crossing = set()
    for _, parameters in functions.values():
        for parameter in parameters:
            match = re.fullmatch(r"(const )?struct (dp_\w+) \*\w+", parameter)
            if match and match[2] in structs and (
                    not match[1] or re.search(r"_(options|about|source)$", match[2])):
                crossing.add(match[2])
    for name in sorted(crossing - FIXED.keys()):
        macro = name.upper() + "_INIT"
        if not structs[name].lstrip().startswith("size_t size;"):
            yield f"struct {name} does not begin with its size"
        if f"#define {macro}" not in text or macro not in manual:
            yield f"{macro} is not defined, or in no man page"
    for name in sorted(FIXED.keys() - crossing):
        yield f"FIXED: struct {name} does not cross the border"


def names(root):
    """Structs and enums that are defined twice, in headers."""
    found = {}
    for folder in "include", "lib", "cli", "collectors":
        for header in sorted((root / folder).rglob("*.h")):
            text = header.read_text(encoding="utf-8")
            for name in re.findall(r"(?m)^(?:struct|enum) (\w+) \{", text):
                if found.setdefault(name, header) != header:
                    yield f"{name} is in {found[name]} and in {header}"


def lists(functions):
    for name, (result, parameters) in functions.items():
        if ITERATORS.search(name) and name not in WALKS:
            yield f"{name}() is an iterator; lists are read by index"
        if name.endswith("_count") and (result, len(parameters)) != ("size_t", 1) \
                and parameters != ["void"] and name != "dp_label_count":
            yield f"{name}() is not of the form size_t count(object)"


def units(structs):
    for struct, body in structs.items():
        for declaration in body.split(";"):
            declaration = re.sub(r"\[.*?\]", "", " ".join(declaration.split()))
            if not re.match(r"(const )?(u?int\d+_t|double|size_t|float)\b", declaration):
                continue
            for part in declaration.split(","):
                name = re.findall(r"\w+", part)[-1]
                if MEASURED.search(name) and not UNITS.search(name):
                    yield f"struct {struct}: {name} has no unit in its name"


def main():
    root = pathlib.Path(sys.argv[1])
    text, structs, functions = read(root)
    manual = "".join(page.read_text(encoding="utf-8") for page in (root / "man").glob("*.3*"))
    manual = manual.replace("\\-", "-")
    faults = [*sizes(text, structs, functions, manual), *names(root), *lists(functions),
              *units(structs)]
    print("\n".join(faults) + f"\n{len(structs)} structs, {len(functions)} functions, "
          f"{len(faults)} faults")
    return 1 if faults or len(structs) < 50 or len(functions) < 150 else 0


if __name__ == "__main__":
    sys.exit(main())
