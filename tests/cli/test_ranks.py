"""deepprof ranks on small simulated jobs: who is blamed, and how files are handled."""
import collections
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

import cli
import pftrace

SCHEMA = json.loads((cli.SOURCE / "data" / "ranks.schema.json").read_text(encoding="utf-8"))
TRACES = os.environ.get("DEEPPROF_TRACES", cli.SOURCE.parent / "shared" / "traces")
DDP4 = pathlib.Path(TRACES) / "ranks" / "ddp4"


def follows(value, schema):
    """As far as this schema goes: types, keys, enumerations."""
    if "$ref" in schema:
        schema = SCHEMA["definitions"][schema["$ref"].rsplit("/", 1)[1]]
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if "const" in schema and value != schema["const"]:
        return f"{value} is not {schema['const']}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{value} is none of {schema['enum']}"
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if names and not any(
        isinstance(value, kinds[name]) if name in kinds else number and (name == "number" or isinstance(value, int))
        for name in names
    ):
        return f"{value!r} is no {names}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if set(value) != set(known):
            return f"keys {set(value) ^ set(known)}"
        for key, below in value.items():
            if why := follows(below, known[key]):
                return f"{key}: {why}"
    for below in value if isinstance(value, list) else []:
        if why := follows(below, schema["items"]):
            return why
    return ""


class Jobs(unittest.TestCase):
    """Each job is simulated once; tests copy what they change."""

    jobs = {}

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp())

    @classmethod
    def tearDownClass(cls):
        cls.jobs.clear()
        shutil.rmtree(cls.root)

    def job(self, *settings):
        """The folder of a job; its truth lies next to it."""
        if settings not in self.jobs:
            folder = self.root / f"job{len(self.jobs)}"
            subprocess.run(
                [cli.SIM, "job", "-o", folder, "ranks=4", "iterations=12", *settings],
                check=True, stdout=subprocess.DEVNULL, timeout=cli.TIMEOUT_S,
            )
            (folder / "truth.json").rename(f"{folder}.truth")
            self.jobs[settings] = folder
        return self.jobs[settings]

    def changed(self, *settings):
        """A copy of it."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.root)) / "traces"
        shutil.copytree(self.job(*settings), folder)
        return folder

    def ranks(self, *operands):
        result = cli.run("ranks", "--format=json", *operands)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual(follows(report, SCHEMA), "")
        return report

    def assert_blames(self, report, rank, part, first=0):
        verdict = report["verdict"]
        self.assertEqual((verdict["kind"], verdict["ranks"]), ("straggler", [rank]))
        self.assertEqual((verdict["part"], verdict["since_iteration"]), (part, first))
        return verdict

    def test_healthy(self):
        report = self.ranks(self.job())
        self.assertEqual(report["verdict"]["kind"], "none")
        self.assertEqual(report["left_out"], [])
        self.assertEqual([rank["rank_from"] for rank in report["ranks"]], ["trace"] * 4)
        self.assertEqual(report["matching"]["matched"], report["matching"]["collectives"])
        self.assertEqual(len(report["iterations"]), 12)

    def test_straggler(self):
        folder = self.job("fault=compute:rank=2,first=4,factor=1.3")
        verdict = self.assert_blames(self.ranks(folder), 2, "compute", 4)
        truth = json.loads(pathlib.Path(f"{folder}.truth").read_text(encoding="utf-8"))
        cost_ns = truth["faults"][0]["cost_per_iteration_ns"]
        self.assertLess(abs(verdict["cost_ns"] - cost_ns), 0.05 * cost_ns)
        self.assertRegex(verdict["operator"], "aten::")

    def check_cost(self, *settings):
        folder = self.job(*settings)
        truth = json.loads(pathlib.Path(f"{folder}.truth").read_text(encoding="utf-8"))
        cost_ns = truth["faults"][0]["cost_per_iteration_ns"]
        verdict = self.ranks(folder)["verdict"]
        self.assertLess(abs(verdict["cost_ns"] - cost_ns), 0.05 * cost_ns, settings)
        self.assertLessEqual(verdict["cost_least_ns"], verdict["cost_ns"])
        self.assertLessEqual(verdict["cost_ns"], verdict["cost_most_ns"])

    def test_cost(self):
        """What the simulator takes without the fault, where buckets and groups overlap."""
        for settings in ("fault=host:rank=3,time=1ms",), ("sharded=1", "fault=compute:rank=1,factor=1.3"), \
                ("tensor=2", "fault=compute:rank=1,factor=1.4"):
            self.check_cost("iterations=16", *settings)

    def test_cost_of_links(self):
        """Buckets that were queued, and a group that only one other is like: 73% too little once."""
        for settings in ("ranks=4", "fault=link:rank=2,first=5,factor=5"), \
                ("ranks=8", "tensor=4", "fault=link:rank=5,factor=5"):
            self.check_cost("iterations=16", "data-bytes=60M", *settings)

    def test_cost_without_an_iteration(self):
        """A rank that lacks an iteration does not keep others from being faster in it."""
        self.check_cost("iterations=16", "missing=1:6", "fault=host:rank=3,time=1ms")
        # The calls after it were queued behind the first one.
        self.check_cost("--seed", "5", "iterations=17", "layers=3", "noise=1%", "missing=1:8",
                        "fault=compute:rank=3,factor=1.244")

    def test_bounds(self):
        """Without the file of a rank that others send to, the cost is not known, and the report says so."""
        settings = "pipeline=2", "microbatches=4", "tensor=1", "fault=host:rank=3,time=4ms"
        folder = self.changed("ranks=8", *settings)
        whole = self.ranks(folder)["verdict"]
        self.assertLess(whole["cost_most_ns"] - whole["cost_least_ns"], 0.05 * whole["cost_ns"])
        next(iter(sorted(folder.iterdir()))).unlink()
        verdict = self.ranks(folder)["verdict"]
        self.assertEqual(verdict["ranks"], [3])
        self.assertLess(verdict["cost_least_ns"], 0.9 * verdict["cost_most_ns"])
        self.assertLess(verdict["cost_least_ns"], whole["cost_ns"])
        self.assertGreater(verdict["cost_most_ns"], 0.95 * whole["cost_ns"])
        words = " ".join(cli.run("ranks", folder).stdout.split())
        self.assertRegex(words, r"at least [\d.]+ .s and at most [\d.]+ ms, as the traces do not show")

    def test_causes(self):
        self.assert_blames(self.ranks(self.job("fault=host:rank=1,time=2ms")), 1, "host-wait")
        verdict = self.assert_blames(
            self.ranks(self.job("fault=input:rank=3,time=2ms")), 3, "input-wait"
        )
        self.assertIn("DataLoader", verdict["operator"])

    def test_inherited(self):
        """Rank 0 waits for rank 1 in their tensor parallel group, and is late elsewhere for it."""
        report = self.ranks(self.job("tensor=2", "fault=compute:rank=1,factor=1.4"))
        self.assert_blames(report, 1, "compute")

    def test_recorded(self):
        """deepprof's own files: NCCL's ranges name groups, sizes and peers."""
        settings = "pipeline=2", "microbatches=4", "tensor=2", "fault=compute:rank=1,factor=1.5"
        folder = self.job("--format=deepprof", *settings)
        report = self.ranks(folder)
        self.assert_blames(report, 1, "compute")
        self.assertEqual(report["matching"]["matched"], report["matching"]["collectives"])
        kinds = {at["kind"]: at["bytes"] for at in report["collectives"]}
        self.assertGreater(kinds["send-receive"], 1000000)

    def test_imbalance(self):
        report = self.ranks(self.job("pipeline=2", "microbatches=4", "layers=2", "stage=1:1.4"))
        self.assertEqual(report["verdict"]["kind"], "stage-imbalance")
        self.assertEqual(report["verdict"]["ranks"], [2, 3])
        report = self.ranks(self.job("sequence=30%"))
        self.assertEqual(report["verdict"]["kind"], "sequence-imbalance")

    def without_waits(self, folder):
        """A job whose calls are recorded from when data moves, as logs of operations have them."""
        files = sorted(folder.iterdir())
        traces = [json.loads(path.read_text(encoding="utf-8")) for path in files]
        calls = [{} for _ in traces]
        for rank, trace in enumerate(traces):
            places = collections.Counter()
            for event in sorted(trace["traceEvents"], key=lambda event: event.get("ts", 0)):
                if "Collective name" in event.get("args", {}) and event["cat"] == "kernel":
                    place = event["args"]["Process Group Name"], event["args"]["In msg nelems"]
                    calls[rank][place, places[place]] = event
                    places[place] += 1
        for rank in range(len(traces)):
            for key, event in calls[rank].items():
                shortest = min(each[key]["dur"] for each in calls if key in each)
                event["ts"], event["dur"] = event["ts"] + event["dur"] - shortest, shortest
        for path, trace in zip(files, traces):
            path.write_text(json.dumps(trace), encoding="utf-8")
        return folder

    def test_hidden_waits(self):
        """All take equally long on their own then; who computes while the others are idle is late."""
        for fault in (), ("iterations=20",):
            report = self.ranks(self.without_waits(self.changed("ranks=8", *fault)))
            self.assertEqual(report["verdict"]["kind"], "none")
        fault = "fault=compute:rank=2,first=4,factor=1.6"
        verdict = self.assert_blames(
            self.ranks(self.without_waits(self.changed("ranks=8", "buckets=1", fault))), 2, "compute", 4
        )
        self.assertEqual(verdict["cost_least_ns"], 0)

    def test_slow_link(self):
        verdict = self.ranks(self.job("fault=link:rank=3,first=6,factor=6"))["verdict"]
        self.assertEqual((verdict["kind"], verdict["since_iteration"]), ("slow-communication", 6))

    def test_slow_everywhere(self):
        """With nothing to compare, nobody is blamed, but the report shows the cost."""
        job = self.job("data-bytes=60M", "fault=link:rank=3,factor=6")
        self.assertEqual(self.ranks(job)["verdict"]["kind"], "none")
        words = " ".join(cli.run("ranks", job).stdout.split())
        self.assertRegex(words, r"exposed communication takes at least [\d.]+ ms per iteration .* nccl-tests")
        self.assertNotIn("nccl-tests", cli.run("ranks", self.job()).stdout)

    def test_clocks(self):
        """Hosts' clocks differ by tens of milliseconds, and drift."""
        fault = "fault=compute:rank=2,factor=1.3"
        self.check_clocks(("hosts=4", "offset=50ms", "drift=50ppm", fault), 20000)
        # Stages on two hosts that meet once per iteration, and among themselves often.
        self.check_clocks(("--seed", "2", "ranks=16", "tensor=2", "pipeline=2", "microbatches=2",
                           "iterations=20", "offset=50ms", "drift=50ppm", fault), 5000)

    def check_clocks(self, settings, most_ns):
        report = self.ranks(self.job(*settings))
        self.assert_blames(report, 2, "compute")
        truth = json.loads(pathlib.Path(f"{self.job(*settings)}.truth").read_text(encoding="utf-8"))
        hosts = {host["name"]: host for host in truth["hosts"]}
        first_ns = truth["ranks"][0]["starts_ns"][0]
        local = [hosts[rank["host"]]["zero_ns"] + first_ns * hosts[rank["host"]]["drift_ppb"] / 1e9
                 for rank in truth["ranks"]]
        for clock, time in zip(report["clock"]["ranks"], local):
            self.assertLess(abs(clock["offset_ns"] - (time - local[0])), most_ns)
            self.assertLess(clock["resolution_ns"], 10000)

    def test_captures(self):
        """One begins five calls later than others; one lacks an iteration."""
        fault = "fault=compute:rank=2,first=6,factor=1.3"
        report = self.ranks(self.job("late=3:5", fault))
        self.assert_blames(report, 2, "compute", 6)
        self.assertEqual(report["ranks"][3]["matched"], report["ranks"][3]["collectives"])
        report = self.ranks(self.job("missing=1:4", fault))
        self.assert_blames(report, 2, "compute", 6)
        self.assertNotIn(1, [at["rank"] for at in report["iterations"][4]["ranks"]])
        self.assertIn(1, [at["rank"] for at in report["iterations"][5]["ranks"]])

    def test_files(self):
        """Damaged, missing, doubled, of another job: named, and the others are compared."""
        folder = self.changed("fault=compute:rank=2,first=4,factor=1.3")
        files = sorted(folder.iterdir())
        shutil.copy(files[1], folder / "zz.json")
        data = files[3].read_bytes()
        files[3].write_bytes(data[: len(data) // 1000])
        (folder / "broken.json").write_text("{ nothing", encoding="utf-8")
        other = self.root / "other.json"
        cli.simulate(other)
        report = self.ranks(folder, folder / "gone.json")
        self.assert_blames(report, 2, "compute", 4)
        left_out = {pathlib.Path(at["file"]).name: at["why"] for at in report["left_out"]}
        self.assertEqual(set(left_out), {"broken.json", "gone.json", files[3].name, "zz.json"})
        self.assertIn("rank 1 is in", left_out["zz.json"])
        self.assertEqual(report["matching"]["absent"], 1)
        text = cli.run("ranks", folder).stdout
        self.assertIn("left out", text)
        folder = self.changed("ranks=8", "tensor=2", "hosts=4")
        for path in sorted(folder.iterdir())[2::5]:
            path.unlink()
        self.assertEqual(self.ranks(folder)["matching"]["absent"], 2)
        self.assertIn("3 ranks (1 more has no trace)", text)
        self.assertIn("6 ranks (2 more have no trace)", cli.run("ranks", folder).stdout)

    def test_foreign_double(self):
        """A file of another job that has a rank's number, and comes first, does not replace the rank's."""
        folder = self.changed("fault=compute:rank=2,first=4,factor=1.3")
        files = sorted(folder.iterdir())
        foreign = sorted(self.job("ranks=2", "data-bytes=60M").iterdir())[0]
        shutil.copy(foreign, folder / "a.json")
        shutil.copy(files[0], folder / "zz.json")
        report = self.ranks(folder)
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1, 2, 3])
        self.assert_blames(report, 2, "compute", 4)
        left_out = {pathlib.Path(at["file"]).name: at["why"] for at in report["left_out"]}
        self.assertEqual(set(left_out), {"a.json", "zz.json"})
        self.assertIn("of another job", left_out["a.json"])
        self.assertIn(f"is in {files[0]} already", left_out["zz.json"])

    def test_several_ranks_of_a_left_out_file(self):
        """Its line is there once, even if another file's rank is between its ranks."""
        folder, other = self.changed(), pathlib.Path(tempfile.mkdtemp(dir=self.root))
        first, second, third = (
            sorted(self.job(f"ranks={count}", f"data-bytes={count * 30}M").iterdir())[1].read_text(encoding="utf-8") for count in (2, 3, 5)
        )
        (folder / "five.json").write_text(re.sub(r'"rank": ?1', '"rank": 5', first), encoding="utf-8")
        for name, text in ("a", second), ("b", third):
            (other / name).write_text(text.replace('"distributedInfo"', '"other"'), encoding="utf-8")
        merged = self.merged(other, lambda pid, rank: 1000 + rank if pid > 3 else rank)
        shutil.copy(merged, folder / "two.json")
        left_out = [pathlib.Path(at["file"]).name for at in self.ranks(folder)["left_out"]]
        self.assertEqual(left_out, ["two.json", "five.json"])

    def test_other_times(self):
        """Files of another day are of another job, even if its ranks share groups and come first."""
        folder = self.changed("fault=compute:rank=2,first=4,factor=1.3")
        other = self.job("ranks=2", "info=0", "names=rank")
        for start, why in (
            ("1712295", "recorded over ten minutes after most others"),
            ("1712095", "recorded over ten minutes before most others"),
            ("1", "its clock starts at another time than that of most others"),  # not in 1970
        ):
            for name, path in zip("ab", sorted(other.iterdir())):
                text = path.read_text(encoding="utf-8").replace('"ts": 1712195', f'"ts": {start}')
                (folder / f"{name}.json").write_text(text, encoding="utf-8")
            report = self.ranks(folder)
            self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1, 2, 3])
            self.assert_blames(report, 2, "compute", 4)
            self.assertEqual([at["why"] for at in report["left_out"]], [f"of another job: {why}"] * 2)
            text = " ".join(cli.run("ranks", folder).stdout.split())
            self.assertIn(f"left out 2 files: a.json, b.json: of another job: {why}", text)

    def test_no_majority_of_times(self):
        """Of two ranks that a wrong clock puts hours apart, neither is of another job."""
        folder = self.changed("ranks=2", "fault=compute:rank=1,factor=1.3")
        path = sorted(folder.iterdir())[1]
        later = path.read_text(encoding="utf-8").replace('"ts": 1712195', '"ts": 1712295')
        path.write_text(later, encoding="utf-8")
        report = self.ranks(folder)
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1])
        self.assertEqual(report["left_out"], [])
        self.assert_blames(report, 1, "compute")

    def test_copies(self):
        """A group that lists its members has no others, but copies without a rank look like these."""
        fault = "fault=compute:rank=2,factor=1.3"
        folder = self.changed(fault)
        for name, path in zip("wxyz", sorted(self.job("info=0", "names=rank", fault).iterdir())):
            shutil.copy(path, folder / f"{name}.json")
        report = self.ranks(folder)
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1, 2, 3])
        self.assertEqual({rank["rank_from"] for rank in report["ranks"]}, {"trace"})
        self.assert_blames(report, 2, "compute")
        self.assertEqual(len(report["left_out"]), 4)
        for at in report["left_out"]:
            self.assertIn("process group 9 [0, 1, 2, 3] has all of its members without it", at["why"])

    def test_names(self):
        """Without ranks in the files their names count, and without those their order."""
        fault = "fault=compute:rank=2,factor=1.3"
        folder = self.job("info=0", "names=rank", fault)
        report = self.ranks(folder)
        self.assert_blames(report, 2, "compute")
        self.assertEqual({rank["rank_from"] for rank in report["ranks"]}, {"name"})
        folder = self.changed("info=0", "names=rank", fault)
        for path in folder.iterdir():
            path.rename(folder / f"{chr(ord('a') + int(re.findall(r'[0-9]+', path.name)[0]))}.json")
        report = self.ranks(folder)
        self.assert_blames(report, 2, "compute")
        self.assertEqual({rank["rank_from"] for rank in report["ranks"]}, {"order"})
        self.assertIn("from the order of files", cli.run("ranks", folder).stdout)

    def test_same_bytes(self):
        """Whatever the number of threads and the order of operands."""
        folder = self.job("fault=compute:rank=2,first=4,factor=1.3")
        files = sorted(folder.iterdir())
        outputs = set()
        for jobs in 1, 2, 8:
            random.Random(jobs).shuffle(files)
            outputs.add(cli.run("ranks", "-j", jobs, "--format=json", *files).stdout)
        outputs.add(cli.run("ranks", "--format=json", f"{folder}/*").stdout)
        self.assertEqual(len(outputs), 1)

    def test_text(self):
        """One screen, and in ASCII where the locale has no more."""
        folder = self.job("fault=compute:rank=2,first=4,factor=1.3")
        for env in cli.environment(), cli.environment(LC_ALL="C"):
            text = cli.run("ranks", folder, env=env).stdout
            lines = text.splitlines()
            self.assertIn("Straggler: rank 2 holds the others up", lines)
            self.assertLessEqual(len(lines), 23)
            self.assertLessEqual(max(map(len, lines)), 80)
            self.assertRegex(text, r"since iteration 4\n")
        self.assertTrue(text.isascii())
        lines = cli.run("ranks", self.job("ranks=16", "tensor=2", "fault=host:rank=3,time=1ms")).stdout.splitlines()
        self.assertLessEqual(len(lines), 23)
        self.assertTrue([line for line in lines if "12 more ranks, own time" in line])
        self.assertIn("No rank holds the others up", cli.run("ranks", self.job()).stdout)

    def test_csv(self):
        rows = cli.run("ranks", "--format=csv", self.job()).stdout.splitlines()
        names = rows[0].split(",")
        self.assertEqual(names[:3], ["rank", "host", "iteration"])
        for name in names[3:]:
            self.assertRegex(name, "^[a-z_]+_ns$")
        self.assertEqual(len(rows), 1 + 4 * 12)

    def test_markdown(self):
        """The verdict is the heading; every rank and its collectives have a row; names are code."""
        folder = self.job("fault=compute:rank=2,factor=1.3")
        text = cli.run("ranks", "--format=markdown", folder).stdout
        self.assertTrue(text.startswith("### Straggler: rank 2 holds the others up\n"), text)
        self.assertEqual(re.findall(r"(?m)^\| \**(\d+)\** \|.*\| `[^`|]+` \|$", text), list("0123"))
        self.assertRegex(text, r"(?m)^\| allreduce \| \d+ \|")
        page = self.root / "job.md"
        cli.run("ranks", "-o", page, folder)
        self.assertEqual(page.read_text(encoding="utf-8"), text)

    def test_period(self):
        """The job's period is the median of those that its ranks' rows show."""
        result = self.ranks(self.job("fault=compute:rank=2,factor=1.3", "noise=1%"))
        periods = sorted(rank["period_ns"] for rank in result["ranks"])
        self.assertAlmostEqual(result["verdict"]["period_ns"], (periods[1] + periods[2]) / 2, delta=1)

    def test_html(self):
        """Cells of the heat map and lanes are those of the JSON result; a page of itself."""
        folder = self.job("hosts=2", "offset=50ms", "fault=compute:rank=2,first=4,factor=1.3")
        page = cli.run("ranks", "--format=html", folder).stdout
        self.assertNotRegex(page, r"(?i)<(script|img|iframe|link)[^>]*(src|href)=\"(?!data:)")
        text = re.search(r'(?s)id="data">(.*?)</script>', page)[1]
        self.assertNotRegex(text, "[<>&]")
        data, report = json.loads(text), self.ranks(folder)
        self.assertEqual((data["headline"], data["kind"]), ("Straggler: rank 2 holds the others up", "straggler"))
        self.assertEqual([row[0] for row in data["ranks"] if row[11]], [2])
        for r, cells in enumerate(data["cells"]):
            for k, of in enumerate(report["iterations"]):
                at = next(at for at in of["ranks"] if at["rank"] == r)
                period = at["period_ns"]
                reported = [period, at["own_ns"], at["wait_ns"]] if period is not None else [None] * 3
                for value, shown in zip(reported, cells[3 * k:3 * k + 3]):
                    self.assertEqual(shown is None, value is None)
                    self.assertLess(abs((shown or 0) * 1000 - (value or 0)), 1000)
        self.assertEqual(sorted(data["shown"]), list(range(12)))
        ends = {}
        for _, _, calls in data["lanes"]:
            seen = collections.Counter()
            for shown, start, duration, wait, kind, group in zip(*[iter(calls)] * 6):
                self.assertLessEqual(wait, duration)
                seen[shown, kind, group] += 1
                ends.setdefault((shown, kind, group, seen[shown, kind, group]), []).append(start + duration)
        whole = [found for found in ends.values() if len(found) == 4]
        self.assertGreater(len(whole), 20)
        self.assertLess(max(max(found) - min(found) for found in whole), 30000)

    def test_perfetto(self):
        """One clock, the verdict, flows between the calls of one collective."""
        settings = "hosts=4", "offset=50ms", "fault=compute:rank=2,first=4,factor=1.3"
        path = self.root / "job.pftrace"
        self.assertEqual(cli.run("ranks", "-o", path, self.job(*settings)).returncode, 0)
        timeline = pftrace.Timeline(path.read_bytes())
        names = {key: track["name"] for key, track in timeline.tracks.items()}
        self.assertEqual([name for name in names.values() if name.startswith("rank")],
                         [f"rank {r}" for r in range(4)])
        spans = [at for at in timeline.slices if at["name"] == "Straggler: rank 2 holds the others up"]
        self.assertEqual(len(spans), 1)
        flows = {}
        for at in timeline.slices:
            for flow in at["flows"]:
                flows.setdefault(flow, []).append(at)
        whole = [calls for calls in flows.values() if len(calls) == 4]
        self.assertGreater(len(whole), 20)
        for calls in whole:
            self.assertEqual(len({names[timeline.tracks[at["track"]]["parent"]] for at in calls}), 4)
            self.assertLess(max(at["end"] for at in calls) - min(at["end"] for at in calls), 40000)

    def test_output(self):
        path = self.root / "out.json.gz"
        self.assertEqual(cli.run("ranks", "-o", path, self.job()).returncode, 0)
        with gzip.open(path) as stream:
            self.assertEqual(json.load(stream)["schema"], 1)

    def test_nothing(self):
        empty = self.root / "empty"
        empty.mkdir()
        for operands, status, words in (
            ((), 2, "specify the traces"),
            ((empty,), 1, "no trace files"),
            ((self.root / "gone",), 1, "gone"),
            ((f"{empty}/*.json",), 1, "No such file"),
        ):
            result = cli.run("ranks", *operands)
            self.assertEqual(result.returncode, status)
            self.assertIn(words, result.stderr)

    def test_unrelated(self):
        """Files that neither share collectives nor state their ranks may be of different jobs."""
        files = [cli.SOURCE / "data" / name for name in ("sample.json.gz", "faster.json.gz")]
        words = "the files may be of different jobs: they share no collectives"
        result = cli.run("ranks", *files)
        self.assertEqual(result.returncode, 0)
        self.assertIn(words, result.stderr)
        self.assertIn(words, " ".join(result.stdout.split()))
        self.assertEqual(cli.run("ranks", "-q", *files).stderr, "")
        result = cli.run("ranks", "-q", "--format=json", *files)
        self.assertTrue(json.loads(result.stdout)["matching"]["unrelated"])
        named = []
        for rank, file in enumerate(files):
            named.append(self.root / f"alone-rank{rank}.json.gz")
            shutil.copy(file, named[rank])
        result = cli.run("ranks", *named)
        self.assertEqual(result.stderr, "")
        self.assertIn("the ranks share no collectives", result.stdout)

    def test_analyze(self):
        """One rank's report, and several, say that there is more to see."""
        folder = self.job("fault=compute:rank=2,factor=2")
        files = sorted(folder.iterdir())
        one = cli.run("analyze", "--format=json", files[0])
        self.assertEqual(one.stderr, "")
        findings = {at["rule"]: at for at in json.loads(one.stdout)["findings"]}
        self.assertIn("deepprof ranks", findings["exposed-communication"]["advice"])
        late = sorted(self.job("fault=host:rank=2,time=4ms").iterdir())[2]
        report = json.loads(cli.run("analyze", "--format=json", late).stdout)
        advice = {at["rule"]: at["advice"] for at in report["findings"]}
        self.assertIn("; deepprof ranks shows what the whole job gains", advice["host-bound"])
        self.assertIn("'deepprof ranks'", cli.run("analyze", *files[:2]).stderr)
        self.assertEqual(cli.run("analyze", "-q", *files[:2]).stderr, "")

    def test_collectives_only(self):
        """NCCL Inspector records nothing else: no collective is exposed, and no gap is idle."""
        words = ["job", "-F", "nccl-inspector", "-o", self.root / "logs", "ranks=2", "iterations=8"]
        subprocess.run([cli.SIM, *words], check=True)
        result = cli.run("analyze", "--format=json", next((self.root / "logs").glob("*.log")))
        self.assertEqual(json.loads(result.stdout)["findings"], [])

    def test_inspector(self):
        """Two collectives that are alike in each of 12 iterations; then, durations without times."""
        fault = "fault=compute:rank=2,first=4,factor=1.3"
        folder = self.job("--format=nccl-inspector", fault)
        report = self.ranks(folder)
        self.assert_blames(report, 2, "other", 4)
        self.assertEqual([rank["iterations"] for rank in report["ranks"]], [12] * 4)
        words = " ".join(cli.run("ranks", folder).stdout.split())
        self.assertIn("time between collectives (compute, host or idle: not recorded)", words)
        folder = self.job("--format=nccl-inspector-brief", "sharded=1", fault)
        report = self.ranks(folder)
        verdict = self.assert_blames(report, 2, "other", 4)
        self.assertGreater(verdict["cost_ns"], 1e6)
        self.assertEqual((verdict["part_ns"], verdict["period_ns"], report["clock"]), (None, None, None))
        self.assertIn("durations of collectives without", cli.run("ranks", folder).stdout)

    def test_no_iterations(self):
        """Traces that lack iterations, not times, and a number that they do not have."""
        folder = self.changed("fault=host:rank=2,first=0,time=1ms")
        for path in folder.iterdir():
            trace = json.loads(path.read_text(encoding="utf-8"))
            for k, event in enumerate(trace["traceEvents"]):
                if event.get("cat") == "kernel" and not event["name"].startswith("nccl"):
                    event["name"] = f"kernel_{k}"
            path.write_text(json.dumps(trace), encoding="utf-8")
        result = cli.run("ranks", "--ignore-marks", folder)
        words = " ".join(result.stdout.split())
        self.assertIn("4 ranks, no iterations found", words)
        self.assertIn("cause unknown, since no iterations were found", words)
        self.assertIn("analyze that rank's trace by itself", words)
        self.assertEqual(result.stderr, "")
        result = cli.run("ranks", "-n", "5", self.job())
        self.assertRegex(
            result.stderr,
            r"^deepprof: warning: \S+: stream 7 has no loop of 5 iterations; the nearest has 12, as many as annotations mark "
            r"\(3 more files have warnings\)\n$",
        )

    def test_inspector_without_some_times(self):
        """One log of durations among others with times leaves those their periods and clocks."""
        fault = "fault=compute:rank=2,first=4,factor=1.3"
        folder = self.changed("--format=nccl-inspector", fault)
        brief = sorted(self.job("--format=nccl-inspector-brief", fault).iterdir())[0]
        shutil.copy(brief, sorted(folder.iterdir())[0])
        report = self.ranks(folder)
        self.assert_blames(report, 2, "other", 4)
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [1, 2, 3])
        self.assertIn("durations of collectives without", report["left_out"][0]["why"])
        self.assertIsNotNone(report["clock"])

    def test_absent(self):
        """Who waits for a rank without a trace is not late, and whose partner has none may be."""
        fault = "ranks=8", "tensor=2", "fault=compute:rank=3,first=4,factor=1.3"
        folder = self.changed(*fault)
        files = sorted(folder.iterdir())
        files[3].unlink()
        verdict = self.ranks(folder)["verdict"]
        self.assertEqual((verdict["kind"], verdict["ranks"]), ("none", []))
        self.assertRegex(verdict["why"], "rank [0-7] .* rank 3 without a trace")
        folder = self.changed(*fault)
        (folder / files[2].name).write_text("{ nothing", encoding="utf-8")
        self.assert_blames(self.ranks(folder), 3, "compute", 4)
        folder = self.changed("ranks=8", "tensor=2")
        (folder / files[3].name).unlink()
        verdict = self.ranks(folder)["verdict"]
        self.assertEqual((verdict["kind"], verdict["why"]), ("none", None))

    def test_merged(self):
        """As scripts merge traces: ids of processes collide, and microseconds are rounded to doubles."""
        shift = 10**7
        ways = {
            "labels": lambda pid, rank: f"[TP{rank:02d}] {pid}",
            "labels, and one pid in every container": lambda pid, rank: f"[TP{rank:02d}] {0 if pid == 0 else 1}",
            "ranks": lambda pid, rank: f"rank {rank}",
            "shifted": lambda pid, rank: pid + shift * rank,
            "as they were": lambda pid, rank: pid and pid + rank,
        }
        for hosts in 1, 2:
            settings = f"hosts={hosts}", "fault=compute:rank=2,first=4,factor=1.3"
            cost_ns = self.ranks(self.job(*settings))["verdict"]["cost_ns"]
            for way, rename in ways.items():
                with self.subTest(way, hosts=hosts):
                    report = self.ranks(self.merged(self.job(*settings), rename))
                    verdict = self.assert_blames(report, 2, "compute", 4)
                    self.assertLess(abs(verdict["cost_ns"] - cost_ns), 0.01 * cost_ns)
                    self.assertEqual([rank["iterations"] for rank in report["ranks"]], [12] * 4)

    def merged(self, folder, rename):
        """A file of a job's traces, one after the other."""
        merged = {"traceEvents": []}
        for rank, path in enumerate(sorted(folder.iterdir())):
            trace = json.loads(path.read_text(encoding="utf-8"))
            for event in trace["traceEvents"]:
                if isinstance(event.get("pid"), int):
                    event["pid"] = rename(event["pid"], rank)
            merged["traceEvents"] += trace.pop("traceEvents")
            merged = trace | merged
        path = pathlib.Path(tempfile.mkdtemp(dir=self.root)) / "merged.json"
        path.write_text(json.dumps(merged), encoding="utf-8")
        return path

    def test_clock_of_one_file(self):
        """That the ends of sends differ shows no other clock; between files it may."""
        folder = self.changed("ranks=2", "pipeline=2", "microbatches=4")
        for rank, path in enumerate(sorted(folder.iterdir())):
            trace = json.loads(path.read_text(encoding="utf-8"))
            kept = []
            for event in trace["traceEvents"]:
                if event["name"].startswith("nccl") and event.get("cat") == "kernel":
                    if event["args"]["Collective name"] not in ("send", "recv"):
                        continue
                    event["dur"] += 20 * rank
                kept.append(event)
            trace["traceEvents"] = kept
            path.write_text(json.dumps(trace), encoding="utf-8")
        for traces in folder, self.merged(folder, lambda pid, rank: f"rank {rank}"):
            report = self.ranks(traces)
            self.assertEqual(report["matching"]["synchronizing"], 0)
            self.assertGreater(report["matching"]["matched"], 0)
            clock = report["clock"]["ranks"][1]
            if traces == folder:
                self.assertAlmostEqual(clock["offset_ns"], 20000, delta=1000)
            else:
                self.assertEqual((clock["offset_ns"], clock["drift_ppm"]), (0, 0))
                self.assertAlmostEqual(clock["resolution_ns"], 20000, delta=1000)

    def test_partial_iterations(self):
        """Those that no rank has as a whole are not counted."""
        folder = self.changed("fault=compute:rank=2,first=4,factor=1.3")
        for path in folder.iterdir():
            trace = json.loads(path.read_text(encoding="utf-8"))
            times = [event["ts"] for event in trace["traceEvents"] if event.get("cat") == "kernel"]
            first, last = min(times), max(times)
            trace["traceEvents"] = [
                event for event in trace["traceEvents"]
                if event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "user_annotation")
                or first + 0.04 * (last - first) < event["ts"] < last - 0.04 * (last - first)
            ]
            path.write_text(json.dumps(trace), encoding="utf-8")
        report = self.ranks(folder)
        whole = {sum(bool(each["ranks"]) for each in report["iterations"])} | {rank["iterations"] for rank in report["ranks"]}
        self.assertEqual(len(whole), 1, whole)
        self.assertIn(f"4 ranks, {whole.pop()} iterations", cli.run("ranks", folder).stdout)

    def test_communication_of_several_gpus(self):
        """In the report of one file: which GPU's, that waits are included, and in 80 columns."""
        merged = self.merged(self.job("fault=compute:rank=2,first=4,factor=1.3"), lambda pid, rank: f"rank {rank}")
        for columns, words in (80, "median      bus bw  "), (120, "median  algorithm bw      bus bw  "):
            text = cli.run("analyze", "-v", merged, env=cli.environment(COLUMNS=columns, LC_ALL="C.UTF-8")).stdout
            head, table = text.split("communication, including waits\n")
            self.assertTrue(head.endswith(words), head[-60:])
            rows = table.split("\n\n")[0].splitlines()
            rows = [row.removesuffix(" (rank 0)") for row in rows]
            self.assertLessEqual(max(map(len, rows)), 80 if columns == 80 else 96, rows)
            self.assertEqual({row.rsplit(", ")[-1] for row in rows}, {f"GPU {k}" for k in range(4)})

    @unittest.skipUnless(DDP4.exists(), "no real traces")
    def test_others_keep_up(self):
        """One other GPU is no plural, and what it takes is not its own time of the comparison."""
        for name, words in ("nsys-2026-mfu-before.sqlite", "if the other GPU keeps up"), (
            "real/amd-merged-all.json.gz", "if the other GPUs keep up"
        ):
            text = " ".join(cli.run("analyze", "-v", pathlib.Path(TRACES) / name).stdout.split())
            self.assertIn(words, text)
            self.assertRegex(text, r"another GPU takes \d+\.\d+ ms, including its launches, even if it waits for no other")

    @unittest.skipUnless(DDP4.exists(), "no real traces")
    def test_cause_beyond_bounds(self):
        """Of a cause, only what exceeds the upper bound is known to overlap."""
        files = [path for path in sorted(DDP4.iterdir()) if "rank2" not in path.name]
        verdict = self.ranks(*files)["verdict"]
        least_ms = (verdict["part_ns"] - verdict["cost_most_ns"]) / 1e6
        words = " ".join(cli.run("ranks", *files).stdout.split())
        self.assertIn(f"; at least {least_ms:.3f} ms of the cause overlap work", words)
        verdict = self.ranks(DDP4)["verdict"]
        words = " ".join(cli.run("ranks", DDP4).stdout.split())
        self.assertIn(f"; the other {(verdict['part_ns'] - verdict['cost_ns']) / 1e6:.3f} ms of the cause", words)

    @unittest.skipUnless(DDP4.exists(), "no real traces")
    def test_headline_of_another_loop(self):
        """Cost and period in the headline are those of the same loop."""
        text = cli.run("analyze", "--format=markdown", pathlib.Path(TRACES) / "real" / "amd-merged-all.json.gz").stdout
        self.assertTrue(text.startswith("### median period 46.84 ms; critical host-bound on GPU 5: "), text[:120])

    @unittest.skipUnless(DDP4.exists(), "no real traces")
    def test_lines_break_between_what_belongs_together(self):
        env = cli.environment(COLUMNS=80, LC_ALL="C.UTF-8")
        text = cli.run("ranks", DDP4, env=env).stdout
        self.assertIn("unlikely to be chance", text)
        self.assertIn("p <= 0.0005", text)
        text = cli.run("analyze", "-v", pathlib.Path(TRACES) / "real" / "amd-merged-all.json.gz", env=env).stdout
        self.assertIn("(deepprof ranks); else", text)
        self.assertNotRegex(text, r"\(deepprof\n")

    def test_merged_gpus(self):
        """Ranks are in order of the GPUs' numbers; processes with equal ids and GPUs are one rank."""
        folder = self.changed("fault=compute:rank=2,first=4,factor=1.3")
        for rank, path in enumerate(sorted(folder.iterdir())):
            text = re.sub(r'"device": ?\d+', f'"device": {7 - rank}', path.read_text(encoding="utf-8"))
            path.write_text(text.replace('"distributedInfo"', '"other"'), encoding="utf-8")
        merged = self.merged(folder, lambda pid, rank: 1000 + rank if pid > 3 else 7 - rank)
        report = self.ranks(merged)
        self.assert_blames(report, 1, "compute", 4)
        self.assertEqual([(rank["device"], rank["file_ranks"]) for rank in report["ranks"]], [(gpu, 4) for gpu in range(4, 8)])
        text = cli.run("ranks", merged, env=cli.environment(COLUMNS="100")).stdout
        self.assertIn("\nStraggler: rank 1 (GPU 5) holds the others up\n", text)
        self.assertEqual(re.findall(r"(?m)^ +\d .*  (GPU .*)$", text), [f"GPU {gpu} of merged.json" for gpu in range(4, 8)])
        text = cli.run("ranks", "--format=markdown", merged).stdout
        self.assertEqual(re.findall(r"`(GPU .*)` \|$", text, re.M), [f"GPU {gpu} of merged.json" for gpu in range(4, 8)])
        data = json.loads(re.search(r'(?s)id="data">(.*?)</script>', cli.run("ranks", "--format=html", merged).stdout)[1])
        self.assertEqual([row[12] for row in data["ranks"]], [4, 5, 6, 7])
        # of a file with ranks of the job, those that are left out are named
        trace = json.loads(merged.read_text(encoding="utf-8"))
        trace["traceEvents"] = [event for event in trace["traceEvents"]
                                if "nccl" not in event["name"].lower() or event["args"].get("device") != 6]
        part = merged.with_name("part.json")
        part.write_text(json.dumps(trace), encoding="utf-8")
        self.assertEqual([at["why"] for at in self.ranks(part)["left_out"]],
                         ["rank 2 has no collectives, which the others share"])
        text = re.sub(r'"device": ?\d+', '"device": 0', merged.read_text(encoding="utf-8"))
        text = re.sub(r'"pid": ?(\d+)', lambda pid: f'"pid": {int(pid[1]) // 1000}', text)
        merged.write_text(text, encoding="utf-8")
        self.assertIn("are one rank", self.ranks(merged)["verdict"]["why"])

    def test_several(self):
        """Ranks that are equally slow are named together, and are no uneven batches."""
        for slow in ([4, 5, 6, 7], [1, 6]):
            with self.subTest(slow):
                faults = [f"fault=compute:rank={rank},factor=1.25" for rank in slow]
                folder = self.job("ranks=8", "hosts=2", *faults)
                verdict = self.ranks(folder)["verdict"]
                self.assertEqual((verdict["kind"], verdict["ranks"]), ("straggler", slow))
                self.assertEqual(verdict["part"], "compute")
                healthy_ns = self.ranks(self.job("ranks=8", "hosts=2"))["verdict"]["period_ns"]
                lost_ns = verdict["period_ns"] - healthy_ns
                self.assertLess(abs(verdict["cost_ns"] - lost_ns), 0.1 * lost_ns)
                text = cli.run("ranks", folder).stdout
                self.assertRegex(text, r"(?m)^Stragglers: ranks .* hold the others up$")
                self.assertIn("compare those GPUs with the others", text)

    def test_rare_pauses(self):
        """What is too rare to tell from chance has no verdict, but is noted."""
        folder = self.job("iterations=24", "noise=0.5%", "fault=host:rank=2,every=8,time=4ms")
        report = self.ranks(folder)
        self.assertEqual(report["verdict"]["kind"], "none")
        pauses = report["pauses"]
        self.assertEqual((pauses["rank"], pauses["part"]), (2, "host-wait"))
        self.assertEqual(pauses["iterations"], [7, 15])
        self.assertLess(abs(pauses["longer_ns"] - 4e6), 0.25 * 4e6)
        self.assertLess(abs(pauses["cost_ns"] - 4e6 * len(pauses["iterations"]) / 24), 0.25 * pauses["cost_ns"])
        words = " ".join(cli.run("ranks", folder).stdout.split())
        self.assertRegex(words, r"rank 2 takes [\d.]+ ms longer than usual in [23] of 24 iterations \([\d, ]+\) \(host wait\)")
        for form in "markdown", "html":
            self.assertIn("longer than usual in", cli.run("ranks", f"--format={form}", folder).stdout)
        late = self.job("iterations=24", "noise=0.5%", "fault=compute:rank=2,every=8,factor=1.6")
        words = " ".join(cli.run("ranks", late).stdout.split())
        self.assertRegex(words, r"\(compute\), and the others wait .* an evaluation or a long batch on this rank alone")
        healthy = self.job("iterations=24", "noise=0.5%")
        self.assertNotIn("than usual", cli.run("ranks", healthy).stdout)
        self.assertIsNone(self.ranks(healthy)["pauses"])

    def test_unknown_sends(self):
        """Waits in sends without peers and groups blame nobody, unless one computes while others do not."""
        known = "Collective name", "Process Group Name", "Process Group Ranks", "Group size", "Src Rank", "Dst Rank"
        for fault, found in ((), "none"), (("fault=compute:rank=3,factor=1.3",), "straggler"):
            folder = self.changed("ranks=8", "pipeline=4", "microbatches=4", *fault)
            for path in folder.iterdir():
                trace = json.loads(path.read_text(encoding="utf-8"))
                for event in trace["traceEvents"]:
                    if event.get("args", {}).get("Collective name") in ("send", "recv"):
                        for key in known:
                            event["args"].pop(key, None)
                path.write_text(json.dumps(trace), encoding="utf-8")
            with self.subTest(found):
                verdict = self.ranks(folder)["verdict"]
                self.assertEqual(verdict["kind"], found)
                if fault:
                    self.assertEqual(verdict["ranks"], [3])
                else:
                    self.assertIn("do not state the peers", verdict["why"])

    def test_custom_allreduce(self):
        """Inference servers' own kernels, of which nothing but the name is recorded."""
        folder = self.changed("tensor=4", "fault=compute:rank=2,factor=1.3")
        for path in folder.iterdir():
            trace = json.loads(path.read_text(encoding="utf-8"))
            for event in trace["traceEvents"]:
                if event["name"].startswith("nccl") and "AllReduce" in event["name"]:
                    event["name"] = "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>(vllm::RankData*)"
                    event["args"] = {key: event["args"][key] for key in ("device", "stream", "correlation")}
            path.write_text(json.dumps(trace), encoding="utf-8")
        self.assert_blames(self.ranks(folder), 2, "compute")

    def test_unknown_kinds(self):
        """RCCL's kernels have one name for all kinds, which only their arguments state."""
        folder = self.changed("fault=compute:rank=2,factor=1.3")
        for path in folder.iterdir():
            trace = json.loads(path.read_text(encoding="utf-8"))
            for event in trace["traceEvents"]:
                if event["name"].startswith("nccl"):
                    event["name"] = "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)"
                    event["args"].pop("Collective name", None)
            path.write_text(json.dumps(trace), encoding="utf-8")
        verdict = self.ranks(folder)["verdict"]
        self.assertEqual(verdict["kind"], "none")
        self.assertIn("do not state what kind of collectives", verdict["why"])

    def test_few_iterations(self):
        """Where no verdict could be certain, the report does not call the job healthy."""
        for settings, why in (
            (("tensor=2", "iterations=3"), "there are too few iterations to tell a slow rank from chance"),
            (("tensor=2",), None),
            (("iterations=3",), None),  # all ranks meet twice in each
        ):
            with self.subTest(settings):
                verdict = self.ranks(self.job(*settings))["verdict"]
                self.assertEqual((verdict["kind"], verdict["why"]), ("none", why))

    def test_one_rank(self):
        path = next(iter(sorted(self.job().iterdir())))
        verdict = self.ranks(path)["verdict"]
        self.assertEqual((verdict["kind"], verdict["p_value"]), ("none", None))
        self.assertIn("only one rank", verdict["why"])


@unittest.skipUnless(DDP4.is_dir(), "real traces are not here")
class Real(unittest.TestCase):
    """Four GPUs, ResNet, PyTorch DDP: rank 3 is late for its host's sake."""

    def check(self, folder):
        report = json.loads(cli.run("ranks", "--format=json", folder).stdout)
        verdict = report["verdict"]
        self.assertEqual((verdict["kind"], verdict["ranks"]), ("straggler", [3]))
        self.assertEqual((verdict["part"], verdict["last"], verdict["shared"]), ("host-wait", 15, 15))
        own = sum(at["own_ns"] * at["count"] for at in report["collectives"] if at["kind"] == "allreduce")
        self.assertLess(abs(own / 3 - 1.17e6), 0.05 * 1.17e6)
        return [clock["offset_ns"] for clock in report["clock"]["ranks"]]

    def test_ddp4(self):
        """Also where each rank's clock is planted off by tens of milliseconds and drifts."""
        before = self.check(DDP4)
        words = " ".join(cli.run("ranks", DDP4).stdout.split())
        self.assertRegex(words, r"host wait, 11[.\d]* ms longer .*; largest share: autograd.* \(2[.\d]* ms\)")
        planted = [(0, 0), (50, 50), (-50, -50), (20, 25)]
        with tempfile.TemporaryDirectory() as folder:
            for rank, (offset_ms, drift_ppm) in enumerate(planted):
                with gzip.open(DDP4 / f"rank{rank}.json.gz", "rt") as stream:
                    trace = json.load(stream)
                first = min(event["ts"] for event in trace["traceEvents"] if event["ph"] == "X")
                for event in trace["traceEvents"]:
                    if "ts" in event:
                        event["ts"] = round(
                            event["ts"] + offset_ms * 1000 + (event["ts"] - first) * drift_ppm * 1e-6, 3
                        )
                path = os.path.join(folder, f"rank{rank}.json")
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(json.dumps(trace))  # several times as fast as json.dump()
            after = self.check(folder)
        for rank, (offset_ms, _) in enumerate(planted):
            self.assertLess(abs(after[rank] - before[rank] - offset_ms * 1e6), 10000)


if __name__ == "__main__":
    unittest.main()
