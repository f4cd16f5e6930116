"""deepprof-trace(5) and a recorded file: the same tables, columns and views; its examples run."""

import os
import pathlib
import re
import unittest

import cli
import recording

PAGE = pathlib.Path(os.environ["DEEPPROF_SOURCE"]) / "man" / "deepprof-trace.5"


def plain(text):
    """Text without what formats it."""
    text = re.sub(r"\\f[BIR]", "", text)
    text = re.sub(r"(?m)^\.(?:B|I|BR|IR|RB) ", "", text)
    return text.replace("\\-", "-").replace("\\(aq", "'")


def section(name):
    text = PAGE.read_text()
    start = text.index(f".SH {name}\n")
    end = text.find("\n.SH ", start + 1)
    return text[start:end]


def documented():
    """{table: {column: required}}"""
    tables = {}
    for part in section("TABLES").split("\n.SS ")[1:]:
        name, rest = part.split("\n", 1)
        columns = re.findall(r"\.TP\n\.B (\w+)(\*?)\n", rest)
        tables[name.strip()] = {column: bool(star) for column, star in columns}
    return tables


class Page(recording.Case):
    def setUp(self):
        super().setUp()
        result = self.produce()
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_tables(self):
        found = [
            row[0]
            for row in self.query("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not row[0].startswith("sqlite_")
        ]
        self.assertEqual(sorted(found), sorted(documented()))

    def test_columns(self):
        for table, columns in documented().items():
            info = self.query(f"PRAGMA table_info({table})")
            self.assertEqual([row[1] for row in info], list(columns), table)

    def test_views(self):
        found = {row[0] for row in self.query("SELECT name FROM sqlite_master WHERE type = 'view'")}
        words = set(re.findall(r"^\.BR? (\w+)", section("VIEWS"), re.M))
        self.assertEqual(found, words)
        for view in found:
            self.query(f"SELECT * FROM {view} LIMIT 1")

    def test_examples(self):
        examples = re.findall(r"\.nf\n(.*?)\.fi", section("EXAMPLES"), re.S)
        self.assertGreaterEqual(len(examples), 3)
        rows = [self.query(plain(example)) for example in examples]
        self.assertEqual(rows[0][0][:2], ("gemm(float*, float*, int)", 40))
        self.assertEqual(rows[1], [(20 * 4096,)])
        # 6 µs, but where the clocks were compared between a call and its kernel.
        self.assertGreater(rows[2][0][0], 0)


if __name__ == "__main__":
    cli.main()
