"""Secrets in the environment and on the command line: in no output, and no file for others."""

import json
import os
import pathlib
import re
import signal
import stat
import unittest

import cli
import recording

APP = os.environ["DEEPPROF_FAKE_APP"]
CUPTI = os.environ["DEEPPROF_FAKE_CUPTI"]

# Each has "LEAK" and a number in it, which no output may have.
VARIABLES = {
    "SLURM_JWT": "eyJhbGciLEAK01.abcdefgh.ijklmnop",
    "SLURM_SPANK_SECRET": "LEAK02",
    "SLURM_JOB_COMMENT": "LEAK03",
    "OMPI_MCA_mca_base_token": "LEAK04",
    "PMI_SECURITY_KEY": "LEAK05",
    "MPI_PASSWORD": "LEAK06",
    "HF_TOKEN": "hf_LEAK07abcdefgh",
    "WANDB_API_KEY": "LEAK08",
    "RANK_SECRET": "LEAK09",
    "AWS_SECRET_ACCESS_KEY": "LEAK10",
    "DEEPPROF_SECRET": "LEAK11",
}
ARGUMENTS = [
    "--token", "LEAK21",
    "--api-key=LEAK22 and LEAK23",
    "password=LEAK24",
    "-H", "Authorization: Bearer LEAK25",
    "--header", '{"X-Api-Key": "LEAK26"}',
    "hf_LEAK27abcdefgh",
    "sk-LEAK28abcdefgh",
    "ghp_LEAK29abcdefgh",
    "AKIALEAK30ABCDEFGH",
    "eyJhbGciLEAK31.abcdefgh.ijklmnop",
    "https://user:LEAK32@host.example/x",
    "--user", "bob:LEAK33",
    "LEAK34Zk3mQ9xT7wLb2VnR5yHc",
    "sh -c 'WANDB_API_KEY=LEAK35 train --password LEAK36'",
    '{"api_keys": ["LEAK37", "LEAK38"], "password": {"old": "LEAK39"}}',
    "--note=plain-words",
]  # fmt: skip
LEAK = re.compile(rb"L.{0,3}E.{0,3}A.{0,3}K[0-9]{2}")


def names_of_page():
    """The variables that the man page says are stored."""
    page = (cli.SOURCE / "man" / "deepprof-record.1").read_text(encoding="utf-8")
    part = page[page.index(".B Environment variables") :]
    part = part[: part.index("\n.RE\n")]
    return {name for line in re.findall(r"(?m)^\.B ([A-Z_ ]+)$", part) for name in line.split()}


class Secrets(recording.Case):
    def setUp(self):
        super().setUp()
        self.names = names_of_page()
        self.env = recording.environment(**VARIABLES, **{name: "7" for name in self.names})
        # What else would be recorded, and with everybody's permission.
        before = os.umask(0)
        self.addCleanup(os.umask, before)

    def command(self, *words):
        return f"--cupti={CUPTI}", "--", APP, *words, "--", *ARGUMENTS

    def assert_no_leak(self, data, where):
        data = data if isinstance(data, bytes) else data.encode()
        self.assertEqual(LEAK.findall(data), [], where)

    def assert_private(self, path):
        info = path.lstat()
        # The socket, too, for which the folder decides.
        if not stat.S_ISSOCK(info.st_mode):
            self.assertEqual(oct(stat.S_IMODE(info.st_mode) & 0o77), "0o0", path)

    def check_folder(self, needed):
        """The temporary folder, and all in it; each of the texts is in some file."""
        found = b""
        folder = next(self.folder.glob(".deepprof.db.*"))
        self.assert_private(folder)
        for path in folder.iterdir():
            self.assert_private(path)
            if path.is_file():
                found += path.read_bytes()
        self.assert_no_leak(found, folder)
        for text in needed:
            self.assertIn(text, found)

    def record(self, *options):
        """Files during the recording and at its end, with the output."""
        process = self.start_record(
            "-v", *options, *self.command("init", "launch=400", "nvtx=20", "sleep=1", "until=go"),
            env=self.env,
        )  # fmt: skip
        self.wait_for(lambda: any(p.stat().st_size > 200 for p in self.spools()), "spool")
        needed = [] if "--no-cmdline" in options else [b"--note=plain-words", b"[redacted]"]
        self.check_folder([*needed, b"env.SLURM_PROCID"])
        (self.folder / "go").touch()
        out, said = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0, said)
        self.assert_no_leak(out + said, "record")

    def check_file(self):
        self.assert_private(self.folder / "deepprof.db")
        self.assert_no_leak((self.folder / "deepprof.db").read_bytes(), "deepprof.db")
        env = dict(line.split("=", 1) for line in self.one("SELECT env FROM process").split("\n"))
        self.assertEqual(env, {name: "7" for name in self.names})

    def check_output(self, *args, name=None):
        """What it prints, or the file that -o makes; the bytes."""
        path = self.folder / name if name else None
        result = cli.run(*args, *(("-o", path) if path else ()), cwd=self.folder)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        self.assert_no_leak(result.stdout + result.stderr, args)
        if not path:
            return result.stdout.encode()
        self.assert_private(path)
        self.assertEqual(oct(stat.S_IMODE(path.stat().st_mode)), "0o600")
        return path.read_bytes()

    def test_every_output(self):
        self.record()
        self.check_file()
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        formats = [row["name"] for row in reported["renderers"]]
        self.assertGreater(len(formats), 6)
        outputs = {("analyze", f"--format={name}", "-v"): f"report.{name}" for name in formats}
        for name in "chrome", "perfetto", "sqlite":
            outputs["export", f"--format={name}"] = f"export.{name}"
        for name in "text", "json":
            outputs["info", f"--format={name}", "-v"] = f"info.{name}"
        for name in "text", "json", "csv", "markdown", "html":
            outputs["compare", "deepprof.db", "deepprof.db", f"--format={name}"] = f"compare.{name}"
        for name in "text", "json", "csv", "html", "perfetto":
            outputs["ranks", "deepprof.db", f"--format={name}"] = f"ranks.{name}"
        outputs["reduce", "deepprof.db"] = "rank.dpsum"
        repeated = 0
        for args, name in outputs.items():
            data = self.check_output(*args, name=name)
            self.assert_no_leak(data, args)
            repeated += b"--note=plain-words" in data
        # The rest of the command line is there, in some of them.
        self.assertGreaterEqual(repeated, 3)
        self.check_output("info", "-vv")
        self.check_output("analyze", "-vv")

    def test_no_command_lines(self):
        self.record("--no-cmdline")
        self.check_file()
        self.assertEqual(self.query("SELECT cmdline FROM process"), [(None,)])
        self.assertEqual(self.query("SELECT value FROM meta WHERE key = 'command'"), [])
        self.assertNotIn(b"plain-words", (self.folder / "deepprof.db").read_bytes())
        self.assertNotIn(b"plain-words", self.check_output("info", "-v"))

    def test_killed(self):
        """What is left for recovery, and the recovered file, have the requested permissions."""
        process = self.start_record(
            "--mode=640", *self.command("init", "launch=400", "sleep=1", "until=go"), env=self.env
        )
        # Not just what describes the process and names kernels: without one of the 400, which take
        # thousands of bytes, there would be no file.
        self.wait_for(
            lambda: any(len(p.read_bytes().rstrip(b"\0")) > 4000 for p in self.spools()), "kernels"
        )
        # The program and the process that would finish the recording, too: before either can.
        os.kill(process.pid, signal.SIGSTOP)
        for each in *self.children(process.pid), process.pid:
            os.kill(each, signal.SIGKILL)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.check_folder([b"--note=plain-words", b"[redacted]"])
        result = self.run_record(f"--recover={next(self.folder.glob('.deepprof.db.*'))}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_no_leak(result.stderr, "--recover")
        self.assert_no_leak((self.folder / "deepprof.db").read_bytes(), "deepprof.db")
        mode = stat.S_IMODE((self.folder / "deepprof.db").stat().st_mode)
        self.assertEqual(oct(mode), "0o640")

    def children(self, pid):
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return [int(word) for word in text.split()]

    def test_list(self):
        """The page lists what is stored, no more and no less."""
        source = (cli.SOURCE / "collectors/spool/secret_name.c").read_text(encoding="utf-8")
        listed = source[source.index("variables[] = {") : source.index("};")]
        self.assertEqual(set(re.findall(r'"(\w+)"', listed)), self.names)
        self.assertGreater(len(self.names), 20)


if __name__ == "__main__":
    cli.main()
