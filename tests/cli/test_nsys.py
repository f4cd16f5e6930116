"""Recordings that only nsys reads: a stand-in for it is put on the PATH."""
import os
import shlex
import signal

import cli

NSYS = """#!/bin/sh
# export --type=sqlite --force-overwrite=true -o DATABASE RECORDING
[ "$1" = export ] && [ "$2" = --type=sqlite ] && [ "$4" = -o ] || exit 9
echo "$*" >>"$CALLS"
echo "Processing..."
grep -q broken "$6" && exit 3
tail -c +10 "$6" >"$5"
"""


class Nsys(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.database = cli.simulate(cls.top / "trace.sqlite", "-F", "nsys")

    def setUp(self):
        super().setUp()
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.calls = self.folder / "calls"
        self.recording = self.folder / "run.nsys-rep"
        # Nothing that an importer would know.
        self.recording.write_bytes(b"\x07RECORD\n\0" + self.database.read_bytes())

    def run_with_nsys(self, *args, first="", **changes):
        nsys = self.bin / "nsys"
        nsys.write_text(NSYS.replace("echo", first + "echo", 1))
        nsys.chmod(0o755)
        env = cli.environment(
            PATH=f"{self.bin}:{os.environ['PATH']}", CALLS=self.calls, TMPDIR=self.temporary,
            **changes,
        )
        return cli.run(*args, env=env, cwd=self.folder)

    def test_exported(self):
        result = self.run_with_nsys("info", self.recording)
        self.assert_done(result)
        self.assertIn("exporting with nsys", result.stderr)
        self.assertIn("nsys", result.stdout)
        self.assertNotIn("Processing", result.stdout)
        self.assertIn(str(self.recording), result.stdout)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_same_report(self):
        result = self.run_with_nsys("analyze", "--format=csv", self.recording)
        self.assert_done(result)
        want = cli.run("analyze", "--format=csv", self.database).stdout
        self.assertEqual(result.stdout, want.replace(str(self.database), str(self.recording)))

    def test_report_names_the_recording(self):
        result = self.run_with_nsys("analyze", "--format=json", self.recording)
        self.assertIn("run.nsys-rep", result.stdout)
        self.assertNotIn(str(self.temporary), result.stdout)

    def test_old_name(self):
        old = self.folder / "run.qdrep"
        os.link(self.recording, old)
        self.assert_done(self.run_with_nsys("info", old))

    def test_name_like_an_option(self):
        os.link(self.recording, self.folder / "-x.nsys-rep")
        self.assert_done(self.run_with_nsys("info", "--", "-x.nsys-rep"))
        self.assertIn(f" {self.folder.resolve()}/-x.nsys-rep\n", self.calls.read_text())

    def test_failed_export(self):
        self.recording.unlink()
        self.recording.write_text("broken")
        result = self.run_with_nsys("analyze", self.recording)
        self.assertEqual(result.returncode, 1)
        self.assertIn("nsys export failed with status 3", result.stderr)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_without_nsys(self):
        env = cli.environment(PATH=str(self.bin))
        result = cli.run("analyze", self.recording, env=env)
        self.assert_fails(result, 1, "nsys export --type=sqlite", "run.nsys-rep")

    def test_suggestion_is_quoted(self):
        """The suggested command quotes the name, so that a shell takes it as one word."""
        recording = self.folder / "it's $(mine).nsys-rep"
        os.link(self.recording, recording)
        result = cli.run("analyze", recording, env=cli.environment(PATH=str(self.bin)))
        said = result.stderr.splitlines()[1].split("--type=sqlite ")[1].split(", then")[0]
        self.assertEqual(shlex.split(said), [str(recording)])

    def test_swapped_folder(self):
        """A link in the temporary folder's place: what it leads to is neither read nor removed."""
        precious = self.folder / "precious"
        precious.mkdir()
        for name in "run.sqlite", "trace.db":
            (precious / name).write_text("precious")
        swap = 'd=$(echo "$TMPDIR"/deepprof*); mv "$d" "$d.moved"; ln -s "$PRECIOUS" "$d"\n'
        result = self.run_with_nsys("info", self.recording, first=swap, PRECIOUS=precious)
        self.assert_done(result)
        self.assertEqual(
            [(precious / name).read_text() for name in ("run.sqlite", "trace.db")], ["precious"] * 2
        )

    def test_interrupted(self):
        """Nothing is left behind, nor the journal of an nsys that was writing its database."""
        end = ': >"$5"; : >"$5-journal"; kill -TERM $PPID; sleep 1\n'
        result = self.run_with_nsys("info", self.recording, first=end)
        self.assertEqual(result.returncode, -signal.SIGTERM, result.stderr)
        self.assertEqual(os.listdir(self.temporary), [])
        result = self.run_with_nsys("info", self.recording, first=': >"$5-journal"; exit 3\n')
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_content_before_name(self):
        """What can be read is read, whatever it is called; nsys is not asked."""
        misnamed = self.folder / "trace.nsys-rep"
        for trace in self.database, self.trace:
            misnamed.unlink(missing_ok=True)
            os.link(trace, misnamed)
            result = self.run_with_nsys("analyze", "--format=csv", misnamed)
            self.assert_done(result)
            want = cli.run("analyze", "--format=csv", trace).stdout
            self.assertEqual(result.stdout, want.replace(str(trace), str(misnamed)))
        misnamed.unlink()
        misnamed.write_bytes(b"")
        self.assert_fails(self.run_with_nsys("analyze", misnamed), 1, "file is empty")
        misnamed.write_bytes(bytes(1000))
        self.assert_fails(self.run_with_nsys("analyze", misnamed), 1, "begins with zeros")
        self.assertFalse(self.calls.exists())

    def test_input_format_wins(self):
        result = self.run_with_nsys("analyze", "--input-format=nsys", self.recording)
        self.assertEqual(result.returncode, 1)
        self.assertFalse(self.calls.exists())

    def test_missing(self):
        result = self.run_with_nsys("analyze", "no-such.nsys-rep")
        self.assert_fails(result, 1, "no-such.nsys-rep: No such file")
        self.assertFalse(self.calls.exists())


if __name__ == "__main__":
    cli.main()
