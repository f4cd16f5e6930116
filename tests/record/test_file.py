"""The trace file's name, and what may be in its way."""

import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import unittest

import cli
import recording


class Names(recording.Case):
    def test_patterns(self):
        env = recording.environment(RANK="3", DIR="a/b")
        name = "run.%h.%q{RANK}.%q{DIR}.%%.db"
        result = self.produce(options=["-o", name], env=env)
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = f"run.{os.uname().nodename}.3.a_b.%.db"
        self.assertEqual(os.listdir(self.folder), [expected])
        self.assertIn(f"next: deepprof analyze {expected}", result.stderr)

    def test_process_id(self):
        process = self.start_record("-o", "%p.db", "--", recording.PRODUCER)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(os.listdir(self.folder), [f"{process.pid}.db"])

    def test_bad_patterns(self):
        for pattern, words in (
            ("%x", "%x"),
            ("a%", "not %"),
            ("%q{NO_SUCH_THING}", "NO_SUCH_THING"),
            ("%q", "%q{NAME}"),
            ("%q{RANK", "%q{NAME}"),
            ("y" * 4096, "too long"),
        ):
            result = self.run_record("-o", pattern, "echo", "ran")
            self.assertEqual((result.returncode, result.stdout), (2, ""), pattern)
            self.assertIn(words, result.stderr)
            self.assertEqual(os.listdir(self.folder), [])

    def test_standard_output(self):
        result = self.run_record("-o", "-", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (2, ""))

    def test_rotation(self):
        for iterations in 5, 6, 7:
            self.produce(f"iterations={iterations}")
        self.assertEqual(sorted(os.listdir(self.folder)), ["deepprof.db", "deepprof.db.old"])
        self.assertEqual(self.one("SELECT count(*) FROM memcpy"), 7)
        self.assertEqual(self.one("SELECT count(*) FROM memcpy", "deepprof.db.old"), 6)

    def test_ranks_of_a_job(self):
        """Several of the default name at once: each keeps its file, and the one before is .old."""
        (self.folder / "deepprof.db").write_text("the last job's")
        # None ends before all have begun: a later one would find a file of this job.
        begin = 'touch begun.$$; until [ -e go ]; do sleep 0.01; done; exec "$@"'
        ranks = [
            self.start_record("--", "sh", "-c", begin, "sh", recording.PRODUCER, f"iterations={i}")
            for i in range(10, 16)
        ]
        self.wait_for(lambda: len(list(self.folder.glob("begun.*"))) == 6, "ranks")
        (self.folder / "go").touch()
        said = [rank.communicate(timeout=cli.TIMEOUT_S)[1] for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0] * 6, said)
        for path in self.folder.glob("begun.*"):
            path.unlink()
        (self.folder / "go").unlink()
        names = ["deepprof.db"] + [f"deepprof.db.{i}" for i in range(2, 7)]
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names + ["deepprof.db.old"]))
        self.assertEqual((self.folder / "deepprof.db.old").read_text(), "the last job's")
        found = sorted(self.one("SELECT count(*) FROM memcpy", name) for name in names)
        self.assertEqual(found, [10, 11, 12, 13, 14, 15])
        for name in names[1:]:
            own = [text for text in said if f"deepprof: {name}: " in text]
            self.assertEqual(len(own), 1, said)
            self.assertIn("warning: deepprof.db appeared in the meantime, and was kept\n", own[0])
            self.assertIn(f"; next: deepprof analyze {name}\n", own[0])

    def test_old_is_in_the_way(self):
        """What can't be renamed is not overwritten."""
        (self.folder / "deepprof.db").write_text("precious")
        (self.folder / "deepprof.db.old").mkdir()
        result = self.produce()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.folder / "deepprof.db").read_text(), "precious")
        self.assertIn(
            "warning: deepprof.db was kept, because it cannot be renamed to deepprof.db.old",
            result.stderr,
        )
        self.assertIn("; next: deepprof analyze deepprof.db.2\n", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM memcpy", "deepprof.db.2"), 20)
        self.assert_clean()

    @unittest.skipIf(os.geteuid() != 0, "takes two users")
    def test_of_another_user(self):
        """Where only its owner may move it, as in /tmp."""
        self.folder.chmod(0o1777)
        (self.folder / "deepprof.db").write_text("another's")

        def become_another():
            cli.default_signals()
            os.setgid(65534)
            os.setuid(65534)

        if not cli.can_run_as(become_another):
            self.skipTest("another user may not run it")
        for options, name in ([], "deepprof.db.2"), (["-f", "-o", "deepprof.db"], "deepprof.db.3"):
            result = self.run_record(*options, "--", recording.PRODUCER, preexec_fn=become_another)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.one("SELECT count(*) FROM memcpy", name), 20)
        self.assertEqual((self.folder / "deepprof.db").read_text(), "another's")
        self.assert_clean()

    def test_links(self):
        """A link stays; the file is where it leads to, and so is what there was before."""
        disk = self.folder / "disk"
        disk.mkdir()
        (self.folder / "deepprof.db").symlink_to("disk/run.db")
        for iterations in 5, 6:
            result = self.produce(f"iterations={iterations}")
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "deepprof.db").is_symlink())
        self.assertEqual(sorted(os.listdir(disk)), ["run.db", "run.db.old"])
        self.assertEqual(self.one("SELECT count(*) FROM memcpy"), 6)
        (self.folder / "link.db").symlink_to(disk / "new.db")
        result = self.produce(options=["-o", "link.db"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("appeared", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM memcpy", "disk/new.db"), 20)
        (self.folder / "loop.db").symlink_to("loop.db")
        result = self.run_record("-o", "loop.db", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(
            sorted(os.listdir(self.folder)), ["deepprof.db", "disk", "link.db", "loop.db"]
        )

    def test_refusal(self):
        (self.folder / "run.db").write_text("precious")
        result = self.run_record("-o", "run.db", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr, "deepprof: run.db: already exists; -f overwrites it\n")
        self.assertEqual((self.folder / "run.db").read_text(), "precious")
        result = self.produce(options=["-f", "-o", "run.db"])
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.one("SELECT count(*) FROM memcpy", "run.db"), 20)

    def test_the_input_itself(self):
        (self.folder / "run.db").write_text("precious")
        with open(self.folder / "run.db", "rb") as stdin:
            result = self.run_record("-f", "-o", "run.db", "cat", stdin=stdin)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("run.db: is also the standard input of the command", result.stderr)
        self.assertEqual((self.folder / "run.db").read_text(), "precious")

    def test_name_taken_meanwhile(self):
        script = f"echo mine >run.db; exec {recording.PRODUCER}"
        result = self.run_record("-o", "run.db", "sh", "-c", script)
        self.assertEqual(result.returncode, 0)
        self.assertEqual((self.folder / "run.db").read_text(), "mine\n")
        self.assertEqual(self.one("SELECT count(*) FROM memcpy", "run.db.2"), 20)
        self.assertIn("run.db.2", result.stderr)

    def test_impossible_names(self):
        for name in "no/such/folder/x.db", ".", "sub/":
            result = self.run_record("-o", name, "echo", "ran")
            self.assertEqual((result.returncode, result.stdout), (1, ""), name)
        self.assert_clean()

    def test_long_folder(self):
        """Longer than the address of a socket may be."""
        deep = self.folder / ("d" * 200) / ("e" * 200)
        deep.mkdir(parents=True)
        result = self.run_record("--", recording.PRODUCER, cwd=deep)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(os.listdir(deep), ["deepprof.db"])

    def test_long_name(self):
        name = "n" * 252 + ".db"
        result = self.produce(options=["-o", name])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(os.listdir(self.folder), [name])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_read_only(self):
        self.folder.chmod(0o500)
        result = self.run_record("echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("Permission denied", result.stderr)
        self.folder.chmod(0o700)

    def test_mode(self):
        """Its owner's alone, unless --mode says more; and never what the umask forbids."""
        for umask, options, expected in (
            ("000", "", 0o600),
            ("077", "", 0o600),
            ("022", "--mode=666", 0o644),
            ("027", "--mode=0644", 0o640),
            ("000", "--mode=660", 0o660),
        ):
            script = (
                f"umask {umask}; exec '{cli.DEEPPROF}' record -q {options} '{recording.PRODUCER}'"
            )
            subprocess.run(
                ["sh", "-c", script], cwd=self.folder, env=recording.environment(), check=True
            )
            mode = stat.S_IMODE((self.folder / "deepprof.db").stat().st_mode)
            self.assertEqual(oct(mode), oct(expected), (umask, options))

    def test_mode_of_what_was_there(self):
        """It may be another's doing: what it allows says nothing of the new file."""
        (self.folder / "run.db").write_text("anybody's")
        (self.folder / "run.db").chmod(0o666)
        result = self.produce(options=["-f", "-o", "run.db"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(stat.S_IMODE((self.folder / "run.db").stat().st_mode), 0o600)

    def test_bad_modes(self):
        for mode in "", "8", "rw", "1777", "400", "0o600", "-1", "00000000000000000000000":
            result = self.run_record(f"--mode={mode}", "echo", "ran")
            self.assertEqual((result.returncode, result.stdout), (2, ""), mode)
            self.assertIn("--mode", result.stderr)
            self.assertRegex(result.stderr, "octal|owner")

    def test_private_folder(self):
        result = self.run_record("sh", "-c", 'stat -c %a "$DEEPPROF_SPOOL"')
        self.assertEqual(result.stdout, "700\n")


class FullDisk(recording.Case):
    """A small file system of its own, in a user's own name space."""

    def mounted(self, script, size):
        if not shutil.which("unshare"):
            self.skipTest("there is no unshare")
        mount = f"mount -t tmpfs -o size={size} tmpfs '{self.folder}' && cd '{self.folder}' && "
        probe = ["unshare", "-rm", "sh", "-c", mount + "true"]
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            self.skipTest("file systems can't be mounted here")
        return subprocess.run(
            ["unshare", "-rm", "sh", "-c", mount + script],
            capture_output=True,
            encoding="utf-8",
            env=recording.environment(),
            check=False,
            timeout=cli.TIMEOUT_S,
        )

    def test_no_room_for_the_trace(self):
        """The program is not disturbed, the failure is reported, and nothing is lost: with room
        what is left can be had."""
        script = (
            "dd if=/dev/zero of=fill bs=1M count=30 2>/dev/null; "
            f"'{cli.DEEPPROF}' record '{recording.PRODUCER}' iterations=30000 end=exit:9; "
            "echo status $?; "
            f"'{cli.DEEPPROF}' record --recover=$(ls -d $PWD/.deepprof.db.*); echo status $?; "
            f"rm fill; '{cli.DEEPPROF}' record true; "
            f"'{cli.DEEPPROF}' record --recover=$(ls -d $PWD/.deepprof.db.*); echo status $?; "
            f"ls -A; cp deepprof.db '{self.copy}/'"
        )
        result = self.mounted(script, "42m")
        self.assertEqual(
            result.stdout, "status 9\nstatus 1\nstatus 0\ndeepprof.db\n", result.stderr
        )
        lines = recording.NO_DRIVER.sub("", result.stderr).splitlines()
        self.assertEqual(lines[0], "deepprof: deepprof.db: No space left on device")
        self.assertRegex(
            lines[1], "is kept for later; next: deepprof record --recover=/.*/[.]deepprof.db[.]"
        )
        self.assertRegex(lines[2], "deepprof.db: No space left on device")
        self.assertEqual(lines[3], lines[1])
        self.assertIn("an earlier recording was not finished; next: ", lines[4])
        self.assertRegex(lines[-1], "450,000 events .* nothing lost")
        shutil.copy(self.copy / "deepprof.db", self.folder / "deepprof.db")
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 180000)

    def test_no_room_for_the_spool(self):
        """What could not be stored is counted, exactly."""
        script = (
            f"'{cli.DEEPPROF}' record -o '{self.copy}/t.db' true; "
            "dd if=/dev/zero of=fill bs=1k count=100 2>/dev/null; "
            f"'{cli.DEEPPROF}' record '{recording.PRODUCER}' iterations=30000; echo status $?; "
            f"rm -f fill; cp deepprof.db '{self.copy}/' 2>/dev/null; true"
        )
        result = self.mounted(script, "900k")
        self.assertIn("status", result.stdout, result.stderr)
        self.assertRegex(result.stderr, r"lost|No space left")
        kept = self.copy / "deepprof.db"
        if kept.exists():
            shutil.copy(kept, self.folder / "deepprof.db")
            self.assert_balanced()

    def setUp(self):
        super().setUp()
        self.copy = pathlib.Path(tempfile.mkdtemp(prefix="deepprof-record-"))
        self.addCleanup(shutil.rmtree, self.copy, ignore_errors=True)


if __name__ == "__main__":
    cli.main()
