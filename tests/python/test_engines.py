"""Many files at once, on threads, processes, Dask, MPI and from object stores: the same bytes. What
needs a package that is not installed is skipped."""
import concurrent.futures
import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import deepprof
from deepprof import engines
from files import FASTER, RANKS, SAMPLE, needs


@contextlib.contextmanager
def object_store(paths):
    """URLs of copies of files on a local server."""
    import boto3
    import s3fs
    from moto.server import ThreadedMotoServer

    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    try:
        endpoint = f"http://127.0.0.1:{server._server.server_port}"
        bucket = f"traces-{server._server.server_port}"
        s3fs.S3FileSystem.clear_instance_cache()  # they remember the server before
        with unittest.mock.patch.dict(os.environ, AWS_ENDPOINT_URL=endpoint, **keys):
            store = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
            store.create_bucket(Bucket=bucket)
            for path in set(paths):
                store.upload_file(str(path), bucket, os.path.basename(path))
            yield [f"s3://{bucket}/{os.path.basename(path)}" for path in paths]
    finally:
        server.stop()


class EnginesOfRanks(unittest.TestCase):
    """Threads, processes, clusters and the command: the same bytes."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        words = [os.environ["DEEPPROF_SIM"], "job", "-o", cls.folder, "ranks=4", "iterations=8"]
        words += ["fault=compute:rank=2,factor=1.3"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        cls.paths = sorted(map(str, pathlib.Path(cls.folder).glob("rank*")))
        cls.reduced = deepprof.reduce(cls.paths, threads=1)
        cls.report = deepprof.ranks(cls.paths, threads=1).to_json()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check(self, pool):
        self.assertEqual(deepprof.reduce(self.paths, pool), self.reduced)
        self.assertEqual(deepprof.ranks(self.paths, executor=pool).to_json(), self.report)

    def test_threads(self):
        self.check(None)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            self.check(pool)

    def test_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.check(pool)

    def test_summaries(self):
        """Merged in any order, mixed with traces, and read and written by the command."""
        self.assertEqual(json.loads(self.report)["verdict"]["ranks"], [2])
        with tempfile.TemporaryDirectory() as folder:
            halves = [pathlib.Path(folder, f"{k}.dpsum") for k in range(2)]
            for k, path in enumerate(halves):
                path.write_bytes(deepprof.reduce(self.paths[k::2]))
            self.assertEqual(deepprof.reduce(halves[::-1]), self.reduced)
            self.assertEqual(deepprof.ranks(halves).to_json(), self.report)
            self.assertEqual(deepprof.ranks([folder]).to_json(), self.report)
            pathlib.Path(folder, "checkpoint.bin").write_bytes(b"no trace")
            below = pathlib.Path(folder, "host", "traces")
            below.mkdir(parents=True)
            for path in self.paths:
                shutil.copy2(path, below)
            self.check_kept(sorted(below.iterdir()))
            deep = deepprof.ranks([folder]).to_json().replace(str(below), self.folder)
            self.assertEqual(json.loads(deep)["verdict"], json.loads(self.report)["verdict"])
            shutil.rmtree(below)
            self.assertEqual(deepprof.ranks([*self.paths[1::2], halves[0]]).to_json(), self.report)
            command = os.environ.get("DEEPPROF")
            if not command:
                self.skipTest("not built: the command")
            words = [command, "reduce", "-q", "-o", "-"]
            done = subprocess.run([*words, *self.paths], stdout=subprocess.PIPE, check=True)
            self.assertEqual(done.stdout, self.reduced)
            done = subprocess.run([*words, *self.paths, *halves], stdout=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout), (0, self.reduced))

    def check_kept(self, traces):
        """A trace is not read where an up-to-date summary lies next to it."""
        expected, alone = deepprof.reduce(traces), [deepprof.reduce([path]) for path in traces]
        command = os.environ.get("DEEPPROF")
        if command:
            words = [command, "reduce", "-q", "-o", traces[0].parent, *traces]
            subprocess.run(words, check=True)
        for path, data in zip(traces, alone):
            kept = pathlib.Path(f"{path}.dpsum")
            if command:
                self.assertEqual(kept.read_bytes(), data)
            kept.write_bytes(data)
        with unittest.mock.patch.object(deepprof, "analyze", side_effect=ZeroDivisionError):
            self.assertEqual(deepprof.reduce(traces), expected)
            with self.assertRaises(ZeroDivisionError):
                deepprof.reduce(traces, ignore_marks=True)
            os.utime(traces[0])
            with self.assertRaises(ZeroDivisionError):
                deepprof.reduce(traces)

    @needs("numpy", "pandas")
    def test_tables(self):
        with deepprof.ranks(self.paths) as ranks:
            reported = json.loads(self.report)
            rows = ranks.table("ranks").to_list()
            self.assertEqual([row["rank"] for row in rows], [at["rank"] for at in reported["ranks"]])
            self.assertEqual([row["rank"] for row in rows if row["blamed"]], [2])
            self.assertEqual(ranks.table("ranks").schema["own_ns"]["unit"], "ns")
            cells = ranks.table("rank_iterations").to_pandas()
            self.assertEqual(len(cells), sum(len(at["ranks"]) for at in reported["iterations"]))
            slowest = cells.groupby("rank")["compute_ns"].median().idxmax()
            self.assertEqual(slowest, 2)
            kinds = {row["kind"] for row in ranks.table("collectives").to_list()}
            self.assertEqual(kinds, {at["kind"] for at in reported["collectives"]})
            calls = ranks.table("rank_collectives").to_pandas()
            self.assertEqual(len(calls), sum(at["collectives"] for at in reported["ranks"]))
            shortest = (calls.end_ns - calls.start_ns - calls.wait_ns).groupby(calls.instance)
            self.assertTrue((shortest.max() - shortest.min() < 1000).all())
            with self.assertRaises(deepprof.ArgumentError):
                ranks.table("loops")
            self.assertIn("<iframe", ranks._repr_html_())

    @needs("matplotlib", "numpy")
    def test_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        from deepprof import plot

        with deepprof.ranks(self.paths) as ranks:
            cells = plot.ranks(ranks, "compute_ns").images[0].get_array()
            own = plot.ranks(ranks).images[0].get_array()
        self.assertEqual((cells.shape, own.shape), ((4, 8), (4, 7)))
        self.assertEqual(int(cells.mean(axis=1).argmax()), 2)

    def test_options(self):
        other = deepprof.reduce(self.paths, iterations=8, ignore_marks=True)
        self.assertIn(b"-n 8 --ignore-marks", other)
        for function in deepprof.reduce, deepprof.ranks:
            with self.assertRaisesRegex(deepprof.FileError, "^/none: ") as caught:
                function(["/none"])
            self.assertEqual(caught.exception.path, "/none")
        self.assertIn("/none", str(deepprof.ranks([*self.paths, "/none"])))

    @needs("fsspec")
    def test_urls(self):
        """Fetched by the worker; the name is the URL, size and time are not known."""
        urls = [f"file://{path}" for path in self.paths]
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            report = deepprof.ranks(urls, pool).to_json()
            reduced = deepprof.reduce(urls, pool)
        self.assertEqual(report.replace("file://", ""), self.report)
        self.assertEqual(reduced, deepprof.reduce(urls))
        self.assertIn("file:///none", str(deepprof.ranks([*urls, "file:///none"])))

    @needs("s3fs", "moto", "flask", "boto3")
    def test_object_stores(self):
        with object_store(self.paths) as urls:
            report = deepprof.ranks(urls).to_json()
            reduced = deepprof.reduce(urls, threads=2)
            self.assertEqual(reduced, deepprof.reduce(urls, threads=1))
        folder = os.path.dirname(self.paths[0])
        self.assertEqual(report.replace(os.path.dirname(urls[0]), folder), self.report)

    @unittest.skipUnless(shutil.which("mpirun"), "not installed: mpirun")
    @needs("mpi4py")
    def test_mpi(self):
        script = (
            "import sys, deepprof\n"
            "from mpi4py.futures import MPIPoolExecutor\n"
            "if __name__ == '__main__':\n"
            "    with MPIPoolExecutor() as pool:\n"
            "        sys.stdout.buffer.write(deepprof.reduce(sys.argv[1:], pool))\n"
            "        sys.stdout.write(deepprof.ranks(sys.argv[1:], pool).to_json())\n"
        )
        program = pathlib.Path(self.folder, "program.py")
        program.write_text(script)
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable]
        words += ["-m", "mpi4py.futures", str(program), *self.paths]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=120)
        self.assertEqual(done.stdout.count(self.report.encode()), 1)
        self.assertEqual(done.stdout.replace(self.report.encode(), b""), self.reduced)

    @needs("dask.distributed" if importlib.util.find_spec("dask") else "dask")
    def test_dask(self):
        from dask.distributed import Client, LocalCluster

        with LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None
        ) as cluster, Client(cluster) as client:
            self.check(client)


class Engines(unittest.TestCase):
    PATHS = SAMPLE, FASTER, SAMPLE

    def expected_of(self, path):
        return deepprof.analyze(path).report("json", brief=True)

    def expected(self):
        return [self.expected_of(path) for path in self.PATHS]

    def test_threads(self):
        self.assertEqual(deepprof.analyze_many(self.PATHS), self.expected())

    def test_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.assertEqual(deepprof.analyze_many(self.PATHS, pool), self.expected())

    def test_a_file_that_is_none(self):
        with self.assertRaises(deepprof.FileError):
            deepprof.analyze_many(["/none"])

    @needs("fsspec")
    def test_urls(self):
        with engines.local(f"file://{SAMPLE}") as (name, label):
            self.assertEqual(label, f"file://{SAMPLE}")
            self.assertEqual(pathlib.Path(name).read_bytes(), SAMPLE.read_bytes())
        self.assertFalse(os.path.exists(name))
        urls = [f"file://{path}" for path in self.PATHS]
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            found = deepprof.analyze_many(urls, pool)
        self.assertEqual(found, deepprof.analyze_many(urls))
        self.assertEqual([json.loads(report)["trace"]["path"] for report in found], urls)

    @needs("fsspec")
    def test_urls_of_one_file(self):
        """One run is read from where many are."""
        url = f"file://{SAMPLE}"
        local = deepprof.analyze(SAMPLE)
        self.assertEqual(deepprof.analyze(url).path, url)
        self.assertEqual(deepprof.analyze(url, label=str(SAMPLE)).to_json(), local.to_json())
        with deepprof.open(url) as trace:
            self.assertEqual(trace.path, url)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(local.to_json())
            file.flush()
            saved = deepprof.compare(f"file://{file.name}", url)
        self.assertEqual(saved.before.path, str(SAMPLE))
        self.assertEqual(len(saved.table("pairs")), 2)

    def test_urls_without_fsspec(self):
        with unittest.mock.patch.dict(sys.modules, fsspec=None):
            with self.assertRaisesRegex(ImportError, r"^s3://b/a: pip install 'deepprof\[url\]'"):
                deepprof.analyze("s3://b/a")

    @needs("fsspec")
    def test_urls_that_cannot_be_fetched(self):
        missing = FileNotFoundError
        for url, kind in (
            ("file:///none", missing), ("memory://none", missing), ("nothing://none", OSError)
        ):
            with self.subTest(url), self.assertRaises(kind) as caught:
                deepprof.analyze_many([url])
            self.assertIsInstance(caught.exception, deepprof.FileError)
            self.assertEqual(caught.exception.path, url)
        text = tempfile.NamedTemporaryFile(suffix=".json")
        self.addCleanup(text.close)
        with self.assertRaises(deepprof.FormatError) as caught:
            deepprof.analyze_many([f"file://{text.name}"])
        self.assertEqual(caught.exception.path, f"file://{text.name}")

    def test_one_path_is_a_list_of_it(self):
        for path in str(SAMPLE), SAMPLE:
            self.assertEqual(deepprof.analyze_many(path), [self.expected_of(SAMPLE)])
        self.assertEqual(deepprof.reduce(RANKS), deepprof.reduce([RANKS]))
        self.assertEqual(deepprof.ranks(str(RANKS)).to_json(), deepprof.ranks([RANKS]).to_json())

    @needs("s3fs", "moto", "flask", "boto3")
    def test_object_stores(self):
        with object_store(self.PATHS) as urls:
            found = deepprof.analyze_many(urls)
        for text, path in zip(found, self.PATHS):
            read, expected = json.loads(text), json.loads(self.expected_of(path))
            self.assertEqual(pathlib.Path(read["trace"].pop("path")).name, path.name)
            expected["trace"].pop("path")
            self.assertEqual(read, expected)

    @unittest.skipUnless(shutil.which("mpirun"), "not installed: mpirun")
    @needs("mpi4py")
    def test_mpi(self):
        script = (
            "import json, sys, deepprof\n"
            "from mpi4py.futures import MPIPoolExecutor\n"
            "if __name__ == '__main__':\n"
            "    with MPIPoolExecutor() as pool:\n"
            "        print(json.dumps(deepprof.analyze_many(sys.argv[1:], pool)))\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(script)
            words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable]
            words += ["-m", "mpi4py.futures", str(program), *map(str, self.PATHS)]
            done = subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=120)
        self.assertEqual(json.loads(done.stdout), self.expected())

    @needs("dask.distributed" if importlib.util.find_spec("dask") else "dask")
    def test_dask(self):
        from dask.distributed import Client, LocalCluster

        with LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None
        ) as cluster, Client(cluster) as client:
            self.assertEqual(deepprof.analyze_many(self.PATHS, client), self.expected())


if __name__ == "__main__":
    unittest.main()
