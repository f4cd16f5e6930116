"""deepprof reduce: summaries, shards and merges on one small simulated job."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import cli

LAUNCHERS = ("OMPI_", "PMI", "MV2_", "RANK", "WORLD_SIZE", "SLURM_", "JOB_COMPLETION")


def environment(**variables):
    """One without any launcher's variables but these."""
    env = cli.environment(**variables)
    return {
        key: value
        for key, value in env.items()
        if not key.startswith(LAUNCHERS) or key in variables
    }


class Reduce(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp())
        cls.job = cls.root / "job"
        subprocess.run(
            [cli.SIM, "job", "-o", cls.job, "ranks=6", "iterations=8", "fault=compute:rank=2,factor=1.3"],
            check=True, stdout=subprocess.DEVNULL, timeout=cli.TIMEOUT_S,
        )
        (cls.job / "truth.json").unlink()
        cls.count = len(list(cls.job.iterdir()))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def setUp(self):
        """A copy of the traces, named the same from where the commands run."""
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        shutil.copytree(self.job, self.folder / "job")

    def run_in(self, *args, status=0, **variables):
        result = cli.run(*args, cwd=self.folder, env=environment(**variables))
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def report(self, *operands):
        return self.run_in("ranks", "--format=json", *operands).stdout

    def summaries(self):
        return sorted(path.name for path in (self.folder / "job").glob("*.dpsum"))

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def test_next_to_traces(self):
        """Each trace gets one, which ranks reads instead; what is up to date stays."""
        before = self.report("job")
        self.assertIn('"straggler"', before)
        result = self.run_in("reduce", "job")
        self.assertIn(f"{self.count} reduced", result.stderr)
        self.assertEqual(len(self.summaries()), self.count)
        self.assertFalse([path for path in (self.folder / "job").iterdir() if path.name[0] == "."])
        self.assertEqual(self.report("job"), before)
        self.assertIn(f"0 reduced (0 B), {self.count} up to date", self.run_in("reduce", "job").stderr)
        self.assertEqual(self.run_in("reduce", "-q", "job").stderr, "")
        self.assertIn(f"{self.count} reduced", self.run_in("reduce", "-f", "job").stderr)
        # They are what is read: the traces may be gone.
        for path in (self.folder / "job").glob("*.json"):
            path.unlink()
        self.assertEqual(self.report("job"), before)

    def test_mixed(self):
        before = self.report("job")
        traces = sorted((self.folder / "job").glob("*.json"))
        self.run_in("reduce", *(f"job/{path.name}" for path in traces[:3]))
        self.assertEqual(len(self.summaries()), 3)
        self.assertEqual(self.report("job"), before)

    def test_pipes(self):
        """A pipe that another user put in a summary's place would never end; a trace may be one."""
        before = self.report("job")
        first = sorted((self.folder / "job").glob("*.json"))[0]
        summary = first.with_name(first.name + ".dpsum")
        os.mkfifo(summary)
        self.assertEqual(self.report("job"), before)
        summary.unlink()
        traces = sorted((self.folder / "job").glob("*.json"))
        whole = first.read_bytes()
        first.unlink()
        os.mkfifo(first)
        writer = threading.Thread(target=first.write_bytes, args=[whole], daemon=True)
        writer.start()
        after = self.report(*(f"job/{path.name}" for path in traces))
        writer.join(cli.TIMEOUT_S)
        self.assertEqual(after, before)

    def test_out_of_date(self):
        """A trace that was written again, and other options: the summary is not used."""
        self.run_in("reduce", "job")
        trace = sorted((self.folder / "job").glob("*.json"))[0]
        summary = trace.with_name(trace.name + ".dpsum")
        good = trace.read_bytes()
        trace.write_bytes(good[: len(good) // 1000])
        self.assertIn(trace.name, self.report("job"))
        result = self.run_in("reduce", "job", status=1)
        self.assertIn(f"0 reduced (0 B), {self.count - 1} up to date, 1 failed", result.stderr)
        self.assertIn(trace.name, result.stderr)
        trace.write_bytes(good)
        self.assertIn("1 reduced", self.run_in("reduce", "job").stderr)
        self.assertIn(f"{self.count} reduced", self.run_in("reduce", "--ignore-marks", "job").stderr)
        summary.write_bytes(summary.read_bytes()[:-1])
        self.assertIn("1 reduced", self.run_in("reduce", "--ignore-marks", "job").stderr)

    def test_files_that_are_read(self):
        """Only summaries are replaced without -f, and no command replaces what it reads."""
        trace = sorted((self.folder / "job").glob("*.json"))[0]
        summary = trace.with_name(trace.name + ".dpsum")
        summary.write_text("thesis")
        result = self.run_in("reduce", "job", status=1)
        self.assertIn(f"{summary.name}: already exists; -f overwrites it", result.stderr)
        self.assertIn(f"{self.count - 1} reduced", result.stderr)
        self.assertEqual(summary.read_text(), "thesis")
        self.run_in("reduce", "-f", "job")
        self.assertIn(f"{self.count} up to date", self.run_in("reduce", "job").stderr)
        before = trace.read_bytes()
        for operand in "job", "job/*.json":
            result = self.run_in("ranks", "-f", "-o", f"job/{trace.name}", operand, status=1)
            self.assertIn("-o names a file that is read", result.stderr)
            os.link(trace, self.folder / "all.dpsum")
            result = self.run_in("reduce", "-f", "-o", "all.dpsum", operand, status=1)
            self.assertIn("-o names a file that is read", result.stderr)
            (self.folder / "all.dpsum").unlink()
            result = self.run_in("ranks", "-f", "-o", summary, operand, status=1)
            self.assertIn("-o names a file that is read", result.stderr)
        self.assertIn(f"{self.count} up to date", self.run_in("reduce", "job").stderr)
        self.assertEqual(trace.read_bytes(), before)

    def test_swapped_folder(self):
        """What gets the folder's name meanwhile is not written to."""
        trace = sorted((self.folder / "job").glob("*.json"))[0]
        pipe, out, elsewhere = (self.folder / name for name in ("pipe.json", "out", "elsewhere"))
        elsewhere.mkdir()
        os.mkfifo(pipe)
        with subprocess.Popen([cli.DEEPPROF, "reduce", "-q", "-o", out, pipe], env=cli.environment()) as reduce:
            with open(pipe, "wb") as file:
                out.rename(self.folder / "moved")
                out.symlink_to(elsewhere)
                file.write(trace.read_bytes())
        self.assertEqual(reduce.returncode, 0)
        self.assertEqual(os.listdir(elsewhere), [])
        self.assertEqual(os.listdir(self.folder / "moved"), ["pipe.json.dpsum"])

    def test_merge(self):
        """One file of all: by one process, by shards, in any order and any steps."""
        before = self.report("job")
        self.run_in("reduce", "-o", "all.dpsum", "job")
        self.assertEqual(self.summaries(), [])
        whole = self.bytes_of("all.dpsum")
        self.assertIn("already exists", self.run_in("reduce", "-o", "all.dpsum", "job", status=1).stderr)
        parts = [f"part{k}.dpsum" for k in range(1, 5)]
        for k, part in enumerate(parts, 1):
            self.run_in("reduce", f"--shard={k}/4", "-j", k, "-o", part, "job")
        for tree in range(4):
            order = random.Random(tree).sample(parts, 4)
            self.run_in("reduce", "-f", "-o", "x.dpsum", *order[: 2 + tree % 2])
            self.run_in("reduce", "-f", "-o", "y.dpsum", *order[1:], "x.dpsum")
            self.assertEqual(self.bytes_of("y.dpsum"), whole)
        stdout = subprocess.run(
            [cli.DEEPPROF, "reduce", "-o", "-", *parts],
            cwd=self.folder, stdout=subprocess.PIPE, check=True, timeout=cli.TIMEOUT_S,
        ).stdout
        self.assertEqual(stdout, whole)
        self.assertIn("read it with deepprof ranks", self.run_in("analyze", "all.dpsum", status=1).stderr)
        # Next to the traces, without them, and twice.
        self.assertEqual(self.report("job", "all.dpsum"), before)
        self.assertEqual(self.report(*parts, "all.dpsum"), before)
        # Of a trace that has changed since, the merged file is not used.
        trace = sorted((self.folder / "job").glob("*.json"))[0]
        os.utime(trace)
        self.assertIn("older than its traces", self.report("job", "all.dpsum"))

    def test_other_files(self):
        """A folder's other files are skipped; one that is named is an error."""
        (self.folder / "job" / "config.json").write_text('{"lr": 0.1}', encoding="utf-8")
        result = self.run_in("reduce", "job")
        self.assertIn("config.json", result.stderr)
        self.assertIn(f"{self.count} reduced", result.stderr)
        self.assertIn("0 failed, 1 skipped", result.stderr)
        self.run_in("reduce", "-o", "all.dpsum", "job")
        result = self.run_in("reduce", "job/config.json", status=1)
        self.assertIn("1 failed, 0 skipped", result.stderr)
        self.run_in("reduce", "-o", "none.dpsum", "job/config.json", status=1)
        self.assertFalse((self.folder / "none.dpsum").exists())

    def test_folder(self):
        before = self.report("job")
        self.run_in("reduce", "-o", "sums", "job")
        self.assertEqual(len(list((self.folder / "sums").iterdir())), self.count)
        self.assertEqual(self.summaries(), [])
        self.assertIn("0 reduced", self.run_in("reduce", "-o", "sums", "job").stderr)
        self.assertEqual(self.report("sums"), before)
        self.assertEqual(self.report("sums", "job"), before)
        shutil.copytree(self.folder / "job", self.folder / "again")
        result = self.run_in("reduce", "-o", "sums", "job", "again", status=1)
        self.assertIn("of several traces", result.stderr)

    def test_shards(self):
        """Variables of launchers: every trace is reduced by exactly one process."""
        launchers = [
            lambda k: {"OMPI_COMM_WORLD_RANK": k, "OMPI_COMM_WORLD_SIZE": 4, "SLURM_PROCID": 0, "SLURM_NTASKS": 1},
            lambda k: {"PMI_RANK": k, "PMI_SIZE": 4},
            lambda k: {"PMIX_RANK": k, "PMIX_SIZE": 4},
            lambda k: {"PMIX_RANK": k, "SLURM_PROCID": k, "SLURM_NTASKS": 4},
            lambda k: {"MV2_COMM_WORLD_RANK": k, "MV2_COMM_WORLD_SIZE": 4},
            lambda k: {"RANK": k, "WORLD_SIZE": 4, "SLURM_PROCID": k // 2, "SLURM_NTASKS": 2},
            lambda k: {"SLURM_PROCID": k, "SLURM_NTASKS": 4},
            lambda k: {"SLURM_JOB_ID": 9, "SLURM_STEP_ID": 0, "SLURM_PROCID": k, "SLURM_NTASKS": 9,
                       "SLURM_STEP_NUM_TASKS": 4},
            lambda k: {"SLURM_ARRAY_TASK_ID": 3 + 2 * k, "SLURM_ARRAY_TASK_COUNT": 4,
                       "SLURM_ARRAY_TASK_MIN": 3, "SLURM_ARRAY_TASK_MAX": 9},
            lambda k: {"SLURM_ARRAY_TASK_ID": k // 2, "SLURM_ARRAY_TASK_COUNT": 2,
                       "SLURM_ARRAY_TASK_MIN": 0, "SLURM_ARRAY_TASK_MAX": 1,
                       "SLURM_JOB_ID": 9, "SLURM_STEP_ID": 0, "SLURM_PROCID": k % 2, "SLURM_NTASKS": 2},
        ]
        expected = {}
        for launcher in launchers:
            for k in range(4):
                result = self.run_in("reduce", "--shard=auto", "job", **launcher(k))
                self.assertRegex(result.stderr, rf"shard {k + 1} of 4: [12] reduced .*, 0 up to date")
            made = {name: self.bytes_of(f"job/{name}") for name in self.summaries()}
            self.assertEqual(len(made), self.count)
            # The copies' times differ between tests, not here.
            expected = expected or made
            self.assertEqual(made, expected)
            for name in made:
                (self.folder / "job" / name).unlink()

    def test_kubernetes(self):
        """An index without a number: each begins elsewhere, and none does what is done."""
        first = self.run_in("reduce", "--shard=auto", "job", JOB_COMPLETION_INDEX=2)
        self.assertIn(f"{self.count} reduced", first.stderr)
        second = self.run_in("reduce", "--shard=auto", "job", JOB_COMPLETION_INDEX=0)
        self.assertIn(f"{self.count} up to date", second.stderr)
        result = self.run_in(
            "reduce", "--shard=auto", "-o", "x.dpsum", "job", status=2, JOB_COMPLETION_INDEX=2
        )
        self.assertIn("JOB_COMPLETION_INDEX", result.stderr)

    def test_batch_script(self):
        """It has the variables of tasks, and is one process."""
        result = self.run_in(
            "reduce", "--shard=auto", "job", SLURM_JOB_ID=9, SLURM_PROCID=0, SLURM_NTASKS=4
        )
        self.assertIn(f"{self.count} reduced", result.stderr)
        self.assertIn("all files are reduced", result.stderr)

    def test_wrong(self):
        for shard in "0/4", "5/4", "1", "/4", "1/", "a/b", "1/0", "-1/4", "1/4/2", "":
            result = self.run_in("reduce", f"--shard={shard}", "job", status=2)
            self.assertIn("--shard", result.stderr)
        for variables in (
            {"PMI_RANK": 4, "PMI_SIZE": 4},
            {"SLURM_PROCID": "x", "SLURM_NTASKS": 4},
            {"SLURM_ARRAY_TASK_ID": 5, "SLURM_ARRAY_TASK_COUNT": 3, "SLURM_ARRAY_TASK_MIN": 1,
             "SLURM_ARRAY_TASK_MAX": 6},
            {"JOB_COMPLETION_INDEX": "x"},
        ):
            result = self.run_in("reduce", "--shard=auto", "job", status=2, **variables)
            self.assertIn("--shard=K/N", result.stderr)
        self.assertIn("specify the traces", self.run_in("reduce", status=2).stderr)
        self.assertEqual(self.summaries(), [])

    def test_killed(self):
        """Whenever it ends, files with a summary's name are whole, and the next run continues."""
        for wait_s in 0.01, 0.05, 0.2:
            process = subprocess.Popen(
                [cli.DEEPPROF, "reduce", "-f", "-j1", "job"], cwd=self.folder,
                stderr=subprocess.DEVNULL, preexec_fn=cli.default_signals,
            )
            time.sleep(wait_s)
            process.send_signal(signal.SIGTERM)
            process.wait(cli.TIMEOUT_S)
            for name in self.summaries():
                self.run_in("reduce", "-f", "-o", "whole.dpsum", f"job/{name}")
            self.assertFalse([path for path in (self.folder / "job").iterdir() if path.name[0] == "."])
        self.assertIn("0 failed", self.run_in("reduce", "job").stderr)
        self.assertEqual(len(self.summaries()), self.count)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_mpirun(self):
        """Real processes of MPI, which the program does not link."""
        command = ["mpirun", "--oversubscribe", "-n", "4", cli.DEEPPROF, "reduce", "--shard=auto", "job"]
        if os.geteuid() == 0:
            command.insert(1, "--allow-run-as-root")
        result = subprocess.run(
            command, cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", timeout=cli.TIMEOUT_S, check=False,
        )
        if result.returncode and "deepprof" not in result.stderr:
            self.skipTest("mpirun starts no processes here: " + result.stderr.strip()[:200])
        self.assertEqual(result.returncode, 0, result.stderr)
        for k in range(1, 5):
            self.assertIn(f"shard {k} of 4", result.stderr)
        made = {name: self.bytes_of(f"job/{name}") for name in self.summaries()}
        self.run_in("reduce", "-f", "job")
        self.assertEqual(made, {name: self.bytes_of(f"job/{name}") for name in self.summaries()})
        self.assertEqual(len(made), self.count)


if __name__ == "__main__":
    unittest.main()
