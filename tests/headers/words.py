#!/usr/bin/env python3
"""No text that a person reads, and no name, uses the words that the project has dropped.

words.py SOURCE_DIR

A glossary has one word for one thing, and some habits of speech read like a riddle to a native
speaker. Each row of BANNED is one of them with what to write instead; each row of ALLOWED says where
it is right all the same, and has to be needed. Looked at are all files that git tracks, or all of a
release, but for data that was not written by hand.
"""
import fnmatch
import os
import re
import subprocess
import sys

BANNED = (
    (r"told|tells? of|telling of", "report, show, print; known; requested"),
    (r"aside", "except, ignoring, besides"),
    (r"beside", "next to, besides"),
    (r"(?:is|are|was|were|be|does|do|has|have) but an?", "only, except"),
    (r"as where", "for example where, if"),
    (r"so many", "this many, the given number of"),
    (r"of (ours|yours|theirs)", "our own, deepprof's"),
    (r"dearest|dear", "most expensive"),
    (r"go(es)? round", "repeats"),
    (r"anew", "again"),
    (r"(is|are) believed", "is trusted, counts"),
    (r"wish(es|ed)?", "request, option"),
    (r"surely", "significantly, certainly"),
    (r"that there is not", "that does not exist, unknown"),
    (r"(was|were|is) said", "after printing the error"),
    (r"speaks?", "is evidence for; reports"),
    (r"(?<!round )trips?", "iterations"),
    (r"settle", "decide, resolve, finish"),
)
# Where a word is right: pattern of paths, pattern of lines, why.
ALLOWED = (
    ("man/deepprof-compare.1", "so many small slowdowns", "an emphasis, and no number"),
)

# Not written by hand, or not by us.
LEFT_OUT = (
    "tests/fuzz/corpus/*", "tests/unit/data/*", "tests/golden/*.json", "tests/golden/*.csv",
    "data/*.gz", "data/*.db", "subprojects/*", "COPYING", "tests/headers/words.py",
)


def list_files(root):
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True)
        return listed.stdout.decode().rstrip("\0").split("\0")
    except (OSError, subprocess.CalledProcessError):  # a release: no repository, or no git
        return [os.path.relpath(os.path.join(folder, name), root)
                for folder, _, names in os.walk(root) for name in names]


def main():
    root = sys.argv[1]
    banned = re.compile(r"\b(?:" + "|".join(word for word, _ in BANNED) + r")\b(?!-)")
    unused, count = set(range(len(ALLOWED))), 0
    for path in sorted(list_files(root)):
        if any(fnmatch.fnmatch(path, pattern) for pattern in LEFT_OUT):
            continue
        try:
            with open(os.path.join(root, path), "rb") as file:
                text = file.read()
        except FileNotFoundError:  # deleted, and git still tracks it
            continue
        if b"\0" in text:
            continue
        text = text.decode(errors="replace")
        # Parts of names are words, too. Of the same length: a place in one is a place in the other.
        for match in banned.finditer(text.replace("_", " ").lower()):
            line = text[text.rfind("\n", 0, match.start()) + 1:].split("\n", 1)[0]
            allowed = [i for i, (where, what, _) in enumerate(ALLOWED)
                       if fnmatch.fnmatch(path, where) and re.search(what, line)]
            unused -= set(allowed)
            if not allowed:
                count += 1
                number = text.count("\n", 0, match.start()) + 1
                print(f"{path}:{number}: {match.group()}: {line.strip()[:150]}")
    for i in sorted(unused):
        print(f"allowed, but not there: {ALLOWED[i]}")
    print(f"{count} words")
    return 1 if count or unused else 0


if __name__ == "__main__":
    sys.exit(main())
