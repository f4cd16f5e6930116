"""What the package shows and how it is used: plots, notebooks, the MCP server, types, and the examples
in its documents. What needs a package that is not installed is skipped."""
import doctest
import importlib.util
import json
import os
import subprocess
import sys
import unittest
import unittest.mock

import deepprof
from files import SAMPLE, SOURCE, needs


class Plots(unittest.TestCase):
    @needs("matplotlib", "numpy")
    def test_all(self):
        import matplotlib

        matplotlib.use("Agg")
        from deepprof import plot

        analysis = deepprof.analyze(SAMPLE)
        axes = plot.periods(analysis)
        drawn = sum(len(line.get_xdata()) for line in axes.get_lines())
        self.assertEqual(drawn, 20)
        axes = plot.breakdown(analysis)
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(labels[-1], "warm-up: paler")
        pale = [bar for bar in axes.patches if bar.get_alpha() < 1 and bar.get_height()]
        warm = {row["index"] for row in analysis.table("iterations", loop=0) if row["warmup"]}
        self.assertEqual({round(bar.get_center()[0]) for bar in pale}, warm)
        row = analysis.table("iterations").to_list()[1]
        heights = [bar.get_height() for bar in axes.patches if abs(bar.get_center()[0] - 1) < 0.1]
        self.assertAlmostEqual(sum(heights), row["period_ns"] / 1e6, delta=0.01)
        axes = plot.timeline(analysis, iteration=3)
        self.assertIn("iteration 3", axes.get_title())
        row = analysis.table("iterations", loop=0).to_list()[3]
        self.assertAlmostEqual(axes.get_xlim()[1], row["period_ns"] / 1e6)
        busy = sum(image.get_array()[..., 3].mean() for image in axes.images) * row["period_ns"]
        self.assertAlmostEqual(busy / row["busy_ns"], 1, delta=0.01)
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(labels[:2], ["kernels", "copies and memsets"])
        with self.assertRaises(deepprof.ArgumentError):
            plot.timeline(analysis, iteration=10**6)

    @needs("matplotlib", "numpy")
    def test_what_is_drawn(self):
        analysis, plot = deepprof.analyze(SAMPLE), deepprof.plot
        for function in plot.periods, plot.breakdown, plot.timeline:
            with self.assertRaisesRegex(TypeError, r"deepprof.analyze\(\) returns, not str: 'file'"):
                function("file")
        with self.assertRaisesRegex(TypeError, r"deepprof.ranks\(\) returns, not Analysis"):
            plot.ranks(analysis)


def has_mcp():
    return importlib.util.find_spec("mcp") and importlib.util.find_spec("mcp.server.mcpserver")


class Mcp(unittest.TestCase):
    def test_help(self):
        """Also where the extra is not installed."""
        script = (
            "import sys\n"
            "sys.modules['mcp'] = None\n"
            "sys.argv = ['deepprof', 'mcp', *sys.argv[1:]]\n"
            "from deepprof.__main__ import main\n"
            "main()\n"
        )
        words = [sys.executable, "-c", script]
        done = subprocess.run([*words, "--help"], capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, "(?s)Model Context Protocol.*analyze.*pip install")
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("pip install 'deepprof[mcp]'", done.stderr)

    @unittest.skipUnless(has_mcp(), "not installed: mcp 2.0 or later")
    def test_session(self):
        import asyncio

        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client

        async def talk():
            program = StdioServerParameters(
                command=sys.executable, args=["-m", "deepprof", "mcp"], env=dict(os.environ)
            )
            async with stdio_client(program) as streams, ClientSession(*streams) as session:
                about = await session.initialize()
                self.assertEqual(about.server_info.version, deepprof.__version__)
                names = {tool.name for tool in (await session.list_tools()).tools}
                good = await session.call_tool("analyze", {"path": str(SAMPLE)})
                bad = await session.call_tool("analyze", {"path": "/none"})
                folder = str(SOURCE / "data" / "ranks")
                job = await session.call_tool("ranks", {"paths": [folder]})
                return names, *(one.content[0].text for one in (good, bad, job))

        names, good, bad, job = asyncio.run(talk())
        self.assertEqual(names, {"analyze", "compare", "explain", "info", "ranks"})
        self.assertIn("rank 3 holds the others up", job)
        self.assertEqual(good, deepprof.analyze(SAMPLE).report("json", brief=True))
        self.assertIn("/none", bad)


def has_hta():
    """With a pandas that it works with."""
    if not importlib.util.find_spec("hta"):
        return False
    import pandas

    return int(pandas.__version__.split(".")[0]) < 3


class Notebooks(unittest.TestCase):
    def shown(self, name, without=()):
        """What the cells show, as texts; cells with these tags are not run."""
        import nbclient
        import nbformat

        notebook = nbformat.read(SOURCE / "python" / "examples" / name, 4)
        self.assertFalse(any(cell.get("outputs") for cell in notebook.cells))
        notebook.cells = [
            cell for cell in notebook.cells if not set(without) & set(cell.metadata.get("tags", ()))
        ]
        with unittest.mock.patch.dict(os.environ, DEEPPROF_DATA=str(SOURCE / "data")):
            nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        return [str(output) for cell in notebook.cells for output in cell.get("outputs", ())]

    @needs("nbclient", "nbformat", "ipykernel", "pandas", "matplotlib")
    def test_tour(self):
        shown = self.shown("tour.ipynb")
        self.assertEqual(sum("image/png" in text for text in shown), 4)
        self.assertTrue(any("input-bound" in text for text in shown))
        self.assertTrue(any("rank 3 holds the others up" in text for text in shown))

    @needs("nbclient", "nbformat", "ipykernel")
    def test_next_to_hta(self):
        shown = self.shown("hta.ipynb", () if has_hta() else ("hta",))
        self.assertRegex(shown[0], r"rank 3 holds the others up(.|\\n)*deepprof: 2 lines, .* MiB")
        if not has_hta():
            self.skipTest("HTA's cell: not installed: HolisticTraceAnalysis and pandas 2")
        self.assertRegex(shown[-1], r"idle_time(.|\\n)*HTA: 5 lines, .* MiB")


class Types(unittest.TestCase):
    @needs("mypy")
    def test_strict(self):
        words = [sys.executable, "-m", "mypy", "--strict", "--no-incremental"]
        words += ["--config-file", SOURCE / "pyproject.toml", SOURCE / "python" / "deepprof"]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


def load_tests(loader, tests, ignore):
    os.chdir(SOURCE)
    tests.addTests(doctest.DocTestSuite(deepprof))
    tests.addTests(doctest.DocFileSuite(str(SOURCE / "python/README.md"), module_relative=False))
    return tests


if __name__ == "__main__":
    unittest.main()
