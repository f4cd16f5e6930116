"""The HTML report: what is in the page, and what a browser makes of it.

The part with a browser skips where there is no Chromium. Screenshots stay in DEEPPROF_SHOTS.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["DEEPPROF_SOURCE"]) / "tests" / "cli"))
import browser
import cli

GOLDEN = os.environ["DEEPPROF_GOLDEN"]
TRACES = pathlib.Path(os.environ.get("DEEPPROF_TRACES", cli.SOURCE / ".." / "shared" / "traces"))
REAL = ["kineto-resnet50-workers0.pt.trace.json.gz", "hta-diff-control.json.gz",
        "nsys-2026-mfu-after.sqlite"]
SHOTS = pathlib.Path(os.environ["DEEPPROF_SHOTS"])
MOST_BYTES = 5 << 20
ALIKE = 50    # of 765, black against white: closer colours are one colour in a legend's square


def golden(case, form="html"):
    """A report of one of the analyses that are made by hand, hostile names and all."""
    return subprocess.run([GOLDEN, case, form], stdout=subprocess.PIPE, check=True).stdout.decode()


def data_of(page):
    """The document in the page, and what is left of the page."""
    match = re.search(r'(?s)<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(match[1]), page[:match.start(1)] + page[match.end(1):]


def difference(one, other):
    """Of two colours: Euclidean in RGB, weighted by how red they are ("redmean")."""
    a, b = ([int(color[i:i + 2], 16) for i in (1, 3, 5)] for color in (one, other))
    red = (a[0] + b[0]) / 2 / 256
    return sum(weight * (x - y) ** 2 for weight, x, y in zip((2 + red, 4, 3 - red), a, b)) ** .5


def points(series, count):
    return list(zip(series.get("x", range(count)), series["y"]))


class Page(unittest.TestCase):
    """Without a browser."""

    def test_nothing_of_the_trace_is_markup(self):
        rests = set()
        for case in "train", "ranks", "nothing", "long":
            page = golden(case)
            text = re.search(r'(?s)id="data">(.*?)</script>', page)[1]
            self.assertNotRegex(text, "[<>&]")
            self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e]", text))
            rests.add(data_of(page)[1])
        self.assertEqual(len(rests), 1, "the page but for its data is always the same")

    def test_nothing_is_loaded(self):
        rest = data_of(golden("train"))[1]
        self.assertIn("default-src 'none'", rest)
        self.assertNotRegex(rest, r"(?i)<(script|img|iframe|link)[^>]*(src|href)=\"(?!data:)")
        self.assertNotRegex(rest, r"url\([^#]|@import")

    def test_same_bytes(self):
        self.assertEqual(golden("train"), golden("train"))

    def test_values(self):
        """Of a short loop all values are there, those of the JSON report."""
        for case in "train", "ranks":
            report = json.loads(golden(case, "json"))
            data = data_of(golden(case))[0]
            self.assertEqual(len(data["loops"]), len(report["loops"]))
            for loop, reported in zip(data["loops"], report["loops"]):
                self.assertEqual(loop["iterations"], len(reported["iterations"]))
                for series in loop.get("series", []):
                    name = data["metrics"][series["m"]]["name"]
                    self.assertEqual(series["y"], [it[name] for it in reported["iterations"]], name)
                for info, value in zip(data["summaries"], loop.get("summary", [])):
                    self.assertEqual(value, reported["summary"][info["name"]], info["name"])
                means = [part["mean"] for part in loop.get("parts", [])]
                if means and reported["summary"]["avg_period_ns"] is not None:
                    self.assertAlmostEqual(sum(means), reported["summary"]["avg_period_ns"], delta=1)
            for key in "rule", "loop", "devices":
                self.assertEqual([f[key] for f in data["findings"]],
                                 [f[key] for f in report["findings"]])

    def test_kernels(self):
        """Occupancy is weighted by duration; names tell which kernels use tensor cores."""
        def kernel(name, start, length, occupancy):
            return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start, "dur": length,
                    "args": {"device": 0, "context": 1, "stream": 7, "correlation": start,
                             "est. achieved occupancy %": occupancy}}

        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [
                kernel("ampere_fp16_s16816gemm_fp16_128x128", 1, 10, 0), kernel("gamma", 20, 10, 20),
                kernel("gamma", 40, 30, 40)]}), encoding="utf-8")
            page = cli.run("analyze", "-q", "--format=html", "-o", "-", path).stdout
        data = data_of(page)[0]
        self.assertEqual([[data["names"][row[0]][:5], row[7], row[8]] for row in data["kernels"]],
                         [["gamma", .35, 0], ["amper", None, 1]])

    def test_timeline(self):
        """What a timeline shows adds up."""
        data = data_of(golden("train"))[0]
        seen = 0
        for loop in data["loops"]:
            for line in loop.get("timelines", []):
                seen += 1
                busy = []
                for lane in line["lanes"]:
                    ops = [lane["ops"][i:i + 6] for i in range(0, len(lane["ops"]), 6)]
                    self.assertEqual(ops, sorted(ops, key=lambda op: op[0]))
                    busy += [(op[0], op[0] + op[1]) for op in ops]
                    for op in ops:
                        self.assertGreaterEqual(op[0], 0)
                        self.assertLessEqual(op[0] + op[1], line["length"])
                union, until = 0, 0
                for start, end in sorted(busy):
                    union += max(0, end - max(start, until))
                    until = max(until, end)
                self.assertEqual(union + line["idle"], line["length"])
                self.assertEqual(sum(line["causes"]), line["idle"])
                gaps = [line["gaps"][i:i + 3] for i in range(0, len(line["gaps"]), 3)]
                causes = [sum(gap[1] for gap in gaps if gap[2] == cause) for cause in range(6)]
                self.assertEqual(causes, line["causes"])
                for start, length, _ in gaps:
                    self.assertFalse([op for op in busy if op[0] < start + length and start < op[1]])
        self.assertGreater(seen, 1)

    def test_the_whole_capture(self):
        """The strip of a device is as busy as its operations are; parts of the path sum to the period."""
        sample = cli.SOURCE / "data" / "sample.json.gz"
        data = data_of(cli.run("analyze", "-q", "--format=html", sample).stdout)[0]
        loops = json.loads(cli.run("analyze", "-q", "--format=json", sample).stdout)["loops"]
        text = cli.run("analyze", "-q", sample).stdout
        (device, busy, _, exact), = data["capture"]
        self.assertEqual(device, 0)
        self.assertTrue(all(0 <= share <= 100 for share in busy))
        reported = float(re.search(r"busy (\d+\.\d)%", text)[1])
        self.assertAlmostEqual(sum(busy) / len(busy), reported, delta=0.5)
        self.assertEqual(f"{exact:.1%}", f"{reported}%")
        for loop, known in zip(data["loops"], loops):
            iterations = known["iterations"]
            self.assertEqual(loop["span"], [iterations[0]["start_ns"], iterations[-1]["end_ns"]])
        first, last = map(int, re.fullmatch(r"iterations (\d+) to (\d+)", data["loops"][0]["path_of"]).groups())
        periods = [it["period_ns"] for it in loops[0]["iterations"][first:last + 1]]
        path = sum(row[2] for row in data["loops"][0]["path"])
        self.assertAlmostEqual(path / (sum(periods) / len(periods)), 1, delta=0.01)
        self.assertEqual({row[0] for row in data["loops"][0]["path"]}, {"copies", "host up to", "calls", "launch up to"})
        verbose = cli.run("analyze", "-qv", sample).stdout
        self.assertIn(f"  critical path of iterations {first} to {last}\n", verbose)
        self.assertRegex(verbose, r"(?m)^ .*% .* ms  host up to +cudaMemcpyAsync$")

    def test_memory_and_host_operators(self):
        """What is allocated over the capture; the host's time by operator, with and without others."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="deepprof-html-"))
        self.addCleanup(shutil.rmtree, folder)
        program = folder / "program"
        program.write_text("[program]\ndo = loop train; sync\n[net model]\nkind = mlp\nlayers = 3\n"
                           "kernel = 20us\nhost = 4us\n[loop train]\ncount = 20\ndefault = yes\n"
                           "mark = ProfilerStep\ndo = allocate bytes=64M; zero model; forward model; "
                           "loss; backward model; optimize model; free bytes=64M; allocate bytes=1M\n")
        trace = folder / "memory.db"
        subprocess.run([cli.SIM, "--no-truth", "--program", program, "-F", "deepprof", "-o", trace],
                       check=True)
        data, _ = data_of(cli.run("analyze", "-q", "--format=html", trace).stdout)
        memory = data["capture"][0][2]
        self.assertTrue(64 << 20 <= max(memory[:30]) <= 67 << 20, max(memory[:30]))
        self.assertTrue(83 << 20 <= max(memory) <= 84 << 20, max(memory))
        loop = data["loops"][0]
        rows = {str(data["names"][row[0]]): row[1:] for row in loop["host_operators"]}
        (step,) = [row for name, row in rows.items() if "ProfilerStep#" in name]
        self.assertEqual(step[0], loop["iterations"])
        for _, total, own in rows.values():
            self.assertTrue(0 <= own <= total)
        # Nothing is in two: on the thread of the steps they fill these, and others come on top.
        self.assertLess(step[2], step[1] / 2)
        self.assertGreaterEqual(sum(row[2] for row in rows.values()), step[1])

    def test_idle_by_cause(self):
        """What a timeline shows of idle time is what the iteration's metrics are."""
        with tempfile.TemporaryDirectory() as folder:
            trace = cli.simulate(pathlib.Path(folder) / "t.sqlite", "-F", "nsys", "-p", "demo")
            data = data_of(cli.run("analyze", "-q", "--format=html", trace).stdout)[0]
        names = [f"idle_{cause}_ns" for cause in ("host", "sync", "copy", "launch", "other")]
        checked = 0
        for loop in data["loops"]:
            series = {data["metrics"][s["m"]]["name"]: s["y"] for s in loop.get("series", [])}
            for line in loop.get("timelines", []):
                want = [series[name][line["k"]] for name in names]
                host, *others, late = line["causes"]
                # The last one has no period.
                if want[0] is not None:
                    self.assertEqual([host + late, *others], want)
                    # But for what small uploads before the input wait.
                    self.assertAlmostEqual(late / (series["input_wait_ns"][line["k"]] or 1), late > 0,
                                           delta=0.001)
                self.assertTrue(line["threads"])
                checked += late > 0
        self.assertGreater(checked, 1)

    def test_warm_up_is_in_no_list(self):
        """It is drawn, but neither the slowest iterations nor how long they take count it."""
        sample = cli.SOURCE / "data" / "sample.json.gz"
        data = data_of(cli.run("analyze", "-q", "--format=html", sample).stdout)[0]
        loops = json.loads(cli.run("analyze", "-q", "--format=json", sample).stdout)["loops"]
        loop = data["loops"][0]
        warm = [it["index"] for it in loops[0]["iterations"] if it["warmup"]]
        steady = [it["period_ns"] for it in loops[0]["iterations"]
                  if not it["warmup"] and it["period_ns"] is not None]
        self.assertEqual((loop["warmup"], warm), (1, [0]))
        self.assertEqual([row[1] for row in loop["slowest"]], sorted(steady, reverse=True))
        self.assertEqual(loop["histogram"]["most"], max(steady))
        self.assertEqual(sum(loop["histogram"]["bins"]), len(steady))
        self.assertGreater(loops[0]["iterations"][0]["period_ns"], max(steady))

    def test_a_long_loop(self):
        """Decimated, but every extreme is there, in a small file."""
        count = 200000
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "long.csv"
            write_long(trace, count)
            page = cli.run("analyze", "-q", "--format=html", trace)
            rows = cli.run("analyze", "-q", "--format=json", trace)
        self.assertEqual((page.returncode, rows.returncode), (0, 0), page.stderr)
        self.assertLess(len(page.stdout.encode()), MOST_BYTES)
        reported = json.loads(rows.stdout)["loops"][0]
        data = data_of(page.stdout)[0]
        loop = data["loops"][0]
        self.assertGreater(loop["iterations"], count * 0.99)
        checked = 0
        for series in loop["series"]:
            name = data["metrics"][series["m"]]["name"]
            values = [it[name] for it in reported["iterations"]]
            known = [value for value in values if value is not None]
            shown = points(series, len(values))
            self.assertLessEqual(len(shown), 8000)
            self.assertEqual([x for x, _ in shown], sorted({x for x, _ in shown}), name)
            for x, y in shown:
                self.assertEqual(y, values[x])
            have = [y for _, y in shown if y is not None]
            self.assertEqual((min(have), max(have)), (min(known), max(known)), name)
            checked += "x" in series
        self.assertGreater(checked, 2)
        slow = [row[0] for row in loop["slowest"][:5]]
        self.assertEqual(sorted(slow), [12345, 77777, 100000, 150001, 199000])
        self.assertEqual(sum(loop["histogram"]["bins"]), len(
            [it for it in reported["iterations"] if it["period_ns"] is not None and not it["partial"]]))


STALLS_US = dict.fromkeys((12345, 77777, 100000, 150001, 199000), 5000)


def write_long(path, count, stalls=None):
    """nvprof's CSV: iterations of two kernels, five of which are followed by a stall."""
    stalls = stalls or STALLS_US
    with open(path, "w", encoding="ascii") as file:
        file.write('"Start","Duration","Grid X","Device","Context","Stream","Name","Correlation_ID"\n')
        file.write("us,us,,,,,,\n")
        at = 0
        for k in range(count):
            for name, length in ("forward", 10), ("backward", 20):
                file.write(f'{at},{length},1,"GPU (0)","1","7","{name}",{k}\n')
                at += length + 1
            at += 5 + k * 7919 % 13 + stalls.get(k, 0)


@unittest.skipUnless(browser.find(), "there is no Chromium")
class Looks(unittest.TestCase):
    """In a browser."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="deepprof-html-"))
        SHOTS.mkdir(parents=True, exist_ok=True)
        for case in "train", "ranks", "nothing", "long":
            (cls.folder / f"{case}.html").write_text(golden(case), encoding="utf-8")
        trace = cli.simulate(cls.folder / "trace.json", "-n", "60")
        cls.report("sim", trace)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def report(cls, name, trace):
        path = cls.folder / f"{name}.html"
        result = cli.run("analyze", "-q", "--format=html", "-o", path, trace)
        assert result.returncode == 0, result.stderr
        return path

    def look(self, page, name):
        """It is drawn; nothing sticks out to the right; a picture of it stays."""
        self.assertTrue(page.run("document.querySelectorAll('#kernel-table tbody tr').length > 0"))
        self.assertTrue(page.run(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name)
        page.screenshot(SHOTS / f"{name}.png")
        self.assertEqual(page.complaints, [], name)

    def test_all_cases(self):
        for dark, width in (False, 1280), (True, 1280), (False, 400):
            with browser.Browser(width=width, dark=dark) as page:
                for case in "train", "ranks", "nothing", "long", "sim":
                    page.open(self.folder / f"{case}.html")
                    self.look(page, f"{case}-{width}{'-dark' if dark else ''}")

    def test_hostile_names(self):
        """They are text: seen, but nothing else."""
        with browser.Browser() as page:
            page.open(self.folder / "train.html")
            self.assertIn("[31mred", page.run("document.body.innerText"))
            self.assertIn("=cmd|'/c calc'!A1", page.run("document.body.innerText"))
            self.assertEqual(page.run("document.querySelectorAll('img, iframe, object').length"), 0)
            self.assertFalse(page.run(
                r"/[\u0000-\u0008\u202a-\u202e\u009b]/.test(document.body.innerText)"))
        names = ["</script><script>document.title='owned'</script>", "<img src=x onerror=owned()>",
                 "\" onmouseover=\"owned()", "<!--<script>", "&lt;b&gt;", "javascript:owned()"]
        trace = self.folder / "hostile.json"
        events = []
        for k in range(40):
            for i, name in enumerate(names):
                events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
                               "ts": k * 1000 + i * 100, "dur": 50 + (k == 20) * 20,
                               "args": {"device": 0, "context": 1, "stream": 7, "correlation": 1 + k * 10 + i}})
        trace.write_text(json.dumps({"traceEvents": events, "deviceProperties": [
            {"id": 0, "name": names[0], "totalGlobalMem": 1}]}), encoding="utf-8")
        with browser.Browser() as page:
            page.open(self.report("hostile", trace))
            text = page.run("document.body.innerText")
            for name in names:
                self.assertIn(name, text)
            self.assertEqual(page.run("document.title"), "hostile.json \u2013 deepprof")
            self.assertEqual(page.run("document.querySelectorAll('img, [onmouseover], [onerror]').length"), 0)
            self.assertEqual(page.complaints, [])

    def test_zoom(self):
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            reported = "document.getElementById('zoom-range').textContent"
            whole = page.run(reported)
            self.assertRegex(whole, r"all \d+ iterations")
            page.drag("#series .chart", 0.4, 0.6)
            time.sleep(0.2)
            first, last = map(int, re.search(r"(\d+)\u2013(\d+)", page.run(reported)).groups())
            self.assertTrue(10 < first < last < 50, (first, last))
            # Both charts and the breakdown follow.
            low = page.run("page.charts.filter(c => c.spec.range).map(c => c.toValue(c.area.left))")
            self.assertEqual(len(low), 3)
            for value in low:
                self.assertAlmostEqual(value, page.run("zoom.from"), places=3)
            page.screenshot(SHOTS / "sim-zoomed.png")
            page.run("document.querySelector('#series .chart').focus()")
            page.key("ArrowRight")
            moved = int(re.search(r"(\d+)", page.run(reported))[1])
            self.assertGreater(moved, first)
            page.key("-")
            page.key("0")
            self.assertEqual(page.run(reported), whole)
            page.run("document.getElementById('zoom-in').click()")
            self.assertNotEqual(page.run(reported), whole)
            page.run("document.getElementById('zoom-all').click()")
            self.assertEqual(page.run(reported), whole)
            page.hover("#series .chart", 0.5)
            self.assertRegex(page.run("document.getElementById('tip').innerText"), r"iteration \d+")
            self.assertEqual(page.complaints, [])

    def test_timeline(self):
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            reported = "document.getElementById('time-range').textContent"
            rects = "document.querySelectorAll('#timelines svg rect').length"
            self.assertEqual(page.run(reported), "the whole iteration")
            self.assertEqual(page.run("document.querySelectorAll('#timelines svg').length"), 2)
            self.assertGreater(page.run(rects), 20)
            page.drag("#timelines .timeline", 0.3, 0.4)
            self.assertRegex(page.run(reported), r" to ")
            left, top, width, height = page.box("#timelines .timeline rect")
            page.mouse("mouseMoved", left + width / 2, top + height / 2)
            self.assertFalse(page.run("document.getElementById('tip').hidden"))
            page.run("document.querySelector('#timelines .timeline').focus()")
            page.key("Escape")
            self.assertEqual(page.run(reported), "the whole iteration")
            self.assertEqual(page.complaints, [])

    def test_any_iteration(self):
        """A click, a key or a choice shows the timeline of an iteration; keys read points."""
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            shown = "document.querySelectorAll('#timelines svg').length"
            heads = "[...document.querySelectorAll('#timelines h3')].map(head => head.textContent)"
            held = page.run("page.loop.timelines.map(line => line.k)")
            other = held[-1]
            self.assertGreater(len(held), 2)
            page.run(f"""const pick = document.getElementById('time-pick');
                pick.value = {other}; pick.dispatchEvent(new Event('change'))""")
            self.assertEqual(page.run(heads)[2], f"Chosen iteration: {other}")
            page.run(f"lookAt({{ loop: page.loop.id, iterations: [{held[0]}, {held[0]}], slow: [] }})")
            self.assertEqual(page.run(shown), 2)
            page.run("document.querySelector('#series .chart').focus()")
            page.key(".")
            page.key(".")
            read = page.run("document.getElementById('read').textContent")
            self.assertRegex(read, r"^iteration \d+, .*: [\d.]+")
            self.assertFalse(page.run("document.getElementById('tip').hidden"))
            page.key("Enter")
            self.assertRegex(page.run("document.getElementById('time-note').textContent"),
                             "[Ii]" + read.split(",")[0][1:] + r"\b")
            self.assertEqual(page.complaints, [])

    def test_kinds_of_calls(self):
        """Each kind that the library numbers has a name and a colour."""
        root = pathlib.Path(__file__).resolve().parents[2]
        header = (root / "include" / "deepprof" / "trace.h").read_text()
        kinds = re.findall(r"^\tDP_CALL_\w+", header[header.index("enum dp_call_kind {"):].split("};")[0], re.M)
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            self.assertEqual(page.run("callClasses.length"), len(kinds))

    def test_colors_of_a_timeline(self):
        """No two of a legend are alike, and each stands out from the page."""
        colors = "['card', ...[opClasses, callClasses, idleCauses].flat().map(row => row.at(-1))].map(name => [name, color(name)])"
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            for theme in "light", "dark":
                page.theme(theme)
                found = page.run(colors)
                for i, (name, value) in enumerate(found):
                    for other, its in found[:i]:
                        self.assertGreater(difference(value, its), ALIKE, (theme, name, other))

    def test_host_ranges_are_of_typical_iterations(self):
        """Unlike the host's operators, which are means over all: each table states its own."""
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            self.assertIn("Per typical iteration",
                          page.run("document.getElementById('host-table').innerText"))

    def test_negative_numbers(self):
        """They have one sign in all tables."""
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            self.assertEqual(page.run("[format.share(-.046), format.share(-.0001), format.duration(-1500), format.bytes(-2048)]"),
                             ["\u22124.6%", "\u2212<0.1%", "\u22121.500\u00a0\u00b5s", "\u22122.000\u00a0KiB"])
            self.assertEqual(page.run("[format.share(.046), format.share(0), over(.954), over(1.026)]"),
                             ["4.6%", "0%", "\u22124.6%", "+2.6%"])

    def test_tables(self):
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            column = """[...document.querySelectorAll('#kernel-table tbody tr')]
                .map(row => row.children[%d].innerText)"""
            head = "#kernel-table th:nth-child(%d) button"
            totals = page.run("report.kernels.map(row => row[3])")
            self.assertEqual(totals, sorted(totals, reverse=True))
            page.run(f"document.querySelector('{head % 3}').click()")
            counts = [int(text.replace(",", "")) for text in page.run(column % 2)]
            self.assertEqual(counts, sorted(counts, reverse=True))
            self.assertEqual(page.run("document.querySelector('#kernel-table th:nth-child(3)').ariaSort"),
                             "descending")
            page.run(f"document.querySelector('{head % 3}').click()")
            counts = [int(text.replace(",", "")) for text in page.run(column % 2)]
            self.assertEqual(counts, sorted(counts))
            first = page.run(column % 0)[0].split()[0][:6]
            page.run(f"""(() => {{
                const input = document.querySelector('#kernel-table input');
                input.value = {json.dumps(first.upper())};
                input.dispatchEvent(new Event('input'));
            }})()""")
            names = page.run(column % 0)
            self.assertTrue(names)
            self.assertTrue(all(first.lower() in name.lower() for name in names), names)
            page.run("""(() => {
                const input = document.querySelector('#kernel-table input');
                input.value = "no such name";
                input.dispatchEvent(new Event('input'));
            })()""")
            self.assertIn(f"0 of {len(totals)}", page.run("document.querySelector('#kernel-table').innerText"))
            self.assertEqual(page.complaints, [])

    def test_findings_lead_to_their_iterations(self):
        with browser.Browser() as page:
            page.open(self.folder / "train.html")
            self.assertGreater(page.run("report.findings.length"), 0)
            first, last = page.run("report.findings[0].iterations")
            page.run("document.querySelector('.finding .link').click()")
            self.assertEqual(page.run("page.picked"), [[first - 0.5, last + 0.5]])
            self.assertEqual(page.run("page.loop.id"), page.run("report.findings[0].loop"))
            self.assertEqual(page.complaints, [])

    def test_findings_name_their_place(self):
        """A GPU where a person thinks of one, and a loop where a GPU has several."""
        with browser.Browser() as page:
            page.open(self.folder / "train.html")
            self.assertEqual(page.run("placeOf(report.findings[0])"), "")
            page.run("report.devices.push(report.devices[0]); report.loops.push({ ...report.loops[0], id: 7, device: 1 });"
                     "report.findings.push({ ...report.findings[0], loop: report.loops.length - 1, devices: [1] })")
            self.assertRegex(page.run("placeOf(report.findings.at(-1))"), "^ on ")
            page.run("report.loops.push({ ...report.loops.at(-1), id: 8 })")
            self.assertEqual(page.run("placeOf(report.findings.at(-1))"), " in loop 7")
            self.assertEqual(page.complaints, [])

    def test_the_only_gpu_has_its_number(self):
        """"1 GPU" above "GPU 2" would be read as two."""
        facts = "document.getElementById('facts').textContent"
        with browser.Browser() as page:
            page.open(self.folder / "train.html")
            self.assertIn("1 GPU (", page.run(facts))
            page.run("report.devices = [{ ...report.devices[0], id: 2 }]; showFacts()")
            self.assertIn("GPU 2 (", page.run(facts))
            self.assertNotIn("1 GPU", page.run(facts))
            self.assertEqual(page.complaints, [])

    def test_one_iteration(self):
        """There is nothing to compare: no series, no bars, and one timeline."""
        trace = self.folder / "one.json"
        events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1,
                   "ts": 0, "dur": 1000}]
        events += [{"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": ts,
                    "dur": 1, "args": {"correlation": 100 + ts}}
                   for ts, name in ((51, "cudaStreamBeginCapture"), (53, "cudaStreamEndCapture"),
                                    (55, "cudaGraphInstantiate"))]
        # others follow: a mark around everything says only when the profiler was on
        for i in [*range(9), 30, 31, 32]:
            shared = {"pid": 1, "args": {"device": 0, "stream": 7, "correlation": i + 1}}
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1,
                           "ts": 10 + i * 50, "dur": 5, **shared})
            events.append({"ph": "X", "cat": "kernel", "name": f"kernel_{i % 4 if i < 9 else i}", "tid": 7,
                           "ts": 20 + i * 50, "dur": 20 + i, **shared})
        trace.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
        with browser.Browser() as page:
            page.open(self.report("one", trace))
            self.assertTrue(page.run("document.getElementById('over-iterations').hidden"))
            self.assertEqual(page.run("document.querySelectorAll('#capture .band').length"), 1)
            self.assertEqual(page.run("page.charts.length"), 0)
            self.assertEqual(page.run("document.querySelectorAll('#timelines svg').length"), 1)
            self.assertRegex(page.run("document.getElementById('loop-text').innerText"),
                             r"^one iteration of 9 kernels, 428\.0 .s long\. GPU 0, stream 7: ")
            self.assertIn("graph capture", page.run("document.getElementById('legend').textContent"))
            self.assertEqual(page.complaints, [])
            self.look(page, "one")

    def test_loops(self):
        with browser.Browser() as page:
            page.open(self.folder / "ranks.html")
            self.assertFalse(page.run("document.getElementById('loop-pick').hidden"))
            self.assertEqual(page.run("document.querySelectorAll('#loop-tree ul ul li').length"), 1)
            page.run("selectLoop(2)")
            self.assertEqual(page.run("document.getElementById('loop-select').value"), "2")
            self.assertEqual(page.complaints, [])

    def test_print_and_theme(self):
        with browser.Browser(dark=True) as page:
            page.open(self.folder / "sim.html")
            dark = page.run("getComputedStyle(document.body).backgroundColor")
            page.pdf(SHOTS / "sim.pdf")
            self.assertTrue((SHOTS / "sim.pdf").read_bytes().startswith(b"%PDF"))
            page.theme("light")
            self.assertNotEqual(page.run("getComputedStyle(document.body).backgroundColor"), dark)
            self.assertEqual(page.complaints, [])

    def test_ranks(self):
        """The page of many ranks: an iteration is chosen by a click in the heat map, and zoomed."""
        job = self.folder / "job"
        subprocess.run([cli.SIM, "job", "-o", job, "ranks=8", "iterations=12",
                        "fault=compute:rank=5,first=4,factor=1.3"], check=True)
        page_of = self.folder / "job.html"
        self.assertEqual(cli.run("ranks", "-q", "-o", page_of, job).returncode, 0)
        with browser.Browser() as page:
            page.open(page_of)
            self.assertIn("rank 5", page.run("document.getElementById('findings-list').textContent"))
            self.assertEqual(page.run("[drawn, report.iterations]"), [11, 12])
            self.assertIn("have no period", page.run("document.getElementById('map-text').textContent"))
            page.hover("#map-box", 0.5, 0.5)
            self.assertIn("own time", page.run("document.getElementById('tip').textContent"))
            left, top, width, height = page.box("#map-box")
            for kind in "mousePressed", "mouseReleased":
                page.mouse(kind, left + width * 0.2, top + height * 0.5, button="left", clickCount=1)
            chosen = page.run("report.shown[lanes.shown]")
            self.assertEqual(chosen, page.run("map.column"))
            self.assertIn(f"Iteration {chosen}: rank 5 waits least" if chosen >= 4 else f"Iteration {chosen}",
                          page.run("document.getElementById('lanes-text').textContent"))
            page.drag("#lanes-box", 0.4, 0.6)
            self.assertFalse(page.run("time.whole"))
            page.run("document.getElementById('map-order').value = 'own'; "
                     "document.getElementById('map-order').onchange({ target: { value: 'own' } })")
            self.assertEqual(page.run("map.layout.order[0]"), 5)
            page.screenshot(SHOTS / "ranks.png")
            page.theme("dark")
            page.screenshot(SHOTS / "ranks-dark.png")
            self.assertEqual(page.complaints, [])

    def test_compare(self):
        """Both runs in one chart, in stacked bars and in two timelines that zoom together."""
        after = cli.simulate(self.folder / "after.json", "-n", "40")
        page_of = self.folder / "compare.html"
        result = cli.run("compare", "-q", "-o", page_of, self.folder / "trace.json", after)
        self.assertEqual(result.returncode, 0, result.stderr)
        with browser.Browser() as page:
            page.open(page_of)
            self.assertEqual(page.run("page.charts[0].spec.sets.map(set => set.points.length > 30)"), [True, True])
            widths = page.run("""[...document.querySelectorAll('#parts-bars .stack')].map(bar =>
                bar.getBoundingClientRect().width / bar.parentNode.getBoundingClientRect().width)""")
            means = page.run("report.pairs[0].parts.slice(-1)[0].slice(2, 4)")
            for width, mean in zip(widths, means):
                self.assertAlmostEqual(width, mean / max(means), places=2)
            self.assertEqual(page.run("document.querySelectorAll('#timelines svg').length"), 2)
            blocks = "[...document.querySelectorAll('#timelines svg')].map(svg => svg.querySelectorAll('rect').length)"
            whole = page.run(blocks)
            page.drag("#timelines .timeline", 0.3, 0.32)
            self.assertRegex(page.run("document.getElementById('time-range').textContent"), " to ")
            for few, all_of_it in zip(page.run(blocks), whole):
                self.assertLess(few, all_of_it)
            self.look(page, "compare")
            page.theme("dark")
            page.screenshot(SHOTS / "compare-dark.png")

    def test_compare_other_work(self):
        """Iterations of other work have no red verdict and no parts; kernels are compared by single calls."""
        runs = [cli.SOURCE / "data" / f"h200-{name}.db.gz" for name in ("inference", "training")]
        page_of = self.folder / "other-work.html"
        result = cli.run("compare", "-q", "-o", page_of, *runs)
        self.assertEqual(result.returncode, 0, result.stderr)
        with browser.Browser() as page:
            page.open(page_of)
            self.assertEqual(page.run("document.querySelectorAll('#verdict-list .critical, #verdict-list .better').length"), 0)
            self.assertIn("not comparable", page.run("document.getElementById('verdict-list').innerText"))
            self.assertIn("Whole capture: ", page.run("document.getElementById('verdict-list').innerText"))
            self.assertEqual(page.run("['parts', 'findings', 'metrics'].map(id => byId(id).hidden)"), [True] * 3)
            self.assertEqual(page.run("byId('kernels-title').textContent"), "Kernels: mean time of one call")
            self.assertNotIn("Calls", page.run("byId('kernel-table').innerText"))
            self.assertEqual(page.complaints, [])

    def test_warm_up_leaves_charts_readable(self):
        """Axes end at the steady iterations, which would be flat lines; what is above is written."""
        trace = self.folder / "warm.csv"
        write_long(trace, 600, {0: 4000000})
        with browser.Browser() as page:
            page.open(self.report("warm-up", trace))
            self.assertGreaterEqual(page.run("page.loop.warmup"), 1)
            most = page.run("Math.max(...points(page.loop.series.find(s => metric(s.m).name === 'period_ns')).slice(page.loop.warmup).map(p => p[1] || 0))")
            ends = page.run("page.charts.filter(chart => chart.spec.range).map(chart => chart.spec.end || null)")
            self.assertEqual(len(ends), 3)
            for end in ends:
                self.assertLess(end, 2 * most)
            self.assertGreater(ends[0], most)
            self.assertIn("warm-up is above the chart, up to 4.000\u00a0s", page.run("document.getElementById('series').innerText"))
            self.assertIn("Warm-up is above the chart", page.run("document.getElementById('breakdown').innerText"))
            page.run("zoom.set(0, page.loop.warmup - .5)")
            self.assertIsNone(page.run("page.charts[0].spec.end || null"))
            self.look(page, "warm-up")

    def test_numbers_are_those_of_the_text_report(self):
        with browser.Browser() as page:
            page.open(self.folder / "sim.html")
            for ns, text in ((801.55e6, "801.6 ms"), (99.996e6, "100.0 ms"), (12.346, "12.35 ns"), (7, "7 ns"),
                             (-1.0005e3, "\u22121.001 \u00b5s"), (616.4e9, "10 min 16 s"), (7509e9, "2 h 05 min")):
                self.assertEqual(page.run(f"format.duration({ns})").replace("\u00a0", " "), text)

    def test_a_long_loop_is_quick(self):
        trace = self.folder / "long.csv"
        write_long(trace, 100000)
        with browser.Browser() as page:
            page.open(self.report("long-loop", trace))
            spent = page.run("""(() => {
                const start = performance.now();
                for (let i = 0; i < 10; i++) zoom.zoom(i % 2 ? 1 / .7 : .7);
                return (performance.now() - start) / 10;
            })()""")
            self.assertLess(spent, 1000)
            self.look(page, "long-loop")

    def test_real_traces(self):
        found = [TRACES / name for name in REAL if (TRACES / name).exists()]
        if not found:
            self.skipTest("the real traces are not there")
        with browser.Browser() as page:
            for trace in found:
                page.complaints.clear()
                page.open(self.report(trace.name, trace))
                self.look(page, trace.name.split(".")[0])


if __name__ == "__main__":
    cli.main()
