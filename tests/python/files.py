"""What tests of the Python package share: the files that they read, and what they need."""
import importlib.util
import os
import pathlib
import unittest

SOURCE = pathlib.Path(os.environ["DEEPPROF_SOURCE"])
SAMPLE = SOURCE / "data" / "sample.json.gz"
FASTER = SOURCE / "data" / "faster.json.gz"
RANKS = SOURCE / "data" / "ranks"


def needs(*modules):
    lacking = [name for name in modules if not importlib.util.find_spec(name)]
    return unittest.skipIf(lacking, f"not installed: {', '.join(lacking)}")
