"""Other users who may write to the folder that is recorded in: what they put in a name's place."""

import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import unittest

import cli
import recording

VICTIM, ATTACKER = 64001, 64002
PROTECTED = pathlib.Path("/proc/sys/fs/protected_symlinks")

# What deepprof itself would remove, and what it never makes.
PRECIOUS = ("about", "begin", "inner", "samples", "trace.db", "1.0.spool", "1.0.pool", "thesis.txt")

# The private folder is moved away, and a link takes its name.
SWAP = 'mv "$DEEPPROF_SPOOL" moved && ln -s "$PWD/precious" "$DEEPPROF_SPOOL"'


def user(number):
    def become():
        cli.default_signals()
        os.setgroups([])
        os.setgid(number)
        os.setuid(number)

    return become


class Case(recording.Case):
    def setUp(self):
        super().setUp()
        self.precious = self.folder / "precious"
        self.precious.mkdir()
        for name in PRECIOUS:
            (self.precious / name).write_text(f"precious {name}")

    def assert_untouched(self):
        self.assertEqual(sorted(os.listdir(self.precious)), sorted(PRECIOUS))
        for name in PRECIOUS:
            self.assertEqual((self.precious / name).read_text(), f"precious {name}")


class Swapped(Case):
    """A link takes the private folder's place. Whoever may write to the folder around it can do
    that, so that one user is enough to try it."""

    def test_at_the_end(self):
        result = self.run_record("sh", "-c", f"'{recording.PRODUCER}' && {SWAP}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_untouched()
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 120)
        self.assertIn("was not removed: it was replaced, or has files", result.stderr)
        self.assertEqual(os.listdir(self.folder / "moved"), [])

    def test_before_the_collector_begins(self):
        """The collector makes its files in the launcher's folder, or none."""
        script = f"{SWAP} && '{os.environ['DEEPPROF_FAKE_APP']}' init launch=50 && ls precious"
        cupti = os.environ["DEEPPROF_FAKE_CUPTI"]
        result = self.run_record(f"--cupti={cupti}", "sh", "-c", script)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(result.stdout.split()), sorted(PRECIOUS))
        self.assertIn("nothing was recorded", result.stderr)
        self.assert_untouched()

    def test_when_the_launcher_was_killed(self):
        """The process that is left finishes the recording where it was."""
        process = self.start_record("--", recording.PRODUCER, "follow=1", start_new_session=True)
        self.wait_for(lambda: any(p.stat().st_size > 2000 for p in self.spools()), "chunk")
        (name,) = self.left()
        (self.folder / name).rename(self.folder / "moved")
        (self.folder / name).symlink_to(self.precious)
        os.killpg(process.pid, recording.signal.SIGKILL)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.wait_for((self.folder / "deepprof.db").exists, "trace file")
        self.assertEqual(self.processes(20), [])
        self.assert_untouched()
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 0)

    def test_again_and_again(self):
        """At any moment, that at which the folder is made included."""
        loop = (
            "import glob, os\n"
            "while True:\n"
            "    for name in glob.glob('.deepprof.db.*'):\n"
            "        try:\n"
            "            if not os.path.islink(name):\n"
            "                os.rename(name, 'moved%d' % os.getpid() + name)\n"
            "                os.symlink('precious', name)\n"
            "        except OSError:\n"
            "            pass\n"
        )
        attacker = subprocess.Popen([sys.executable, "-c", loop], cwd=self.folder)
        try:
            for _ in range(15):
                self.run_record("true")
                self.assert_untouched()
        finally:
            attacker.kill()
            attacker.wait()

    def test_files_of_others(self):
        """Only what deepprof makes is removed, also from its own folder."""
        result = self.run_record("sh", "-c", 'echo mine >"$DEEPPROF_SPOOL/thesis.txt"')
        self.assertEqual(result.returncode, 0)
        (name,) = self.left()
        self.assertEqual(os.listdir(self.folder / name), ["thesis.txt"])
        self.assertIn(f"{name} was not removed: it was replaced, or has files", result.stderr)

    def test_no_regular_files(self):
        """A spool that would make the launcher wait, or that leads elsewhere."""
        script = (
            'cd "$DEEPPROF_SPOOL" && mkfifo 1.0.spool 2.0.pool && ln -s ../precious/thesis.txt '
            f"2.0.spool && rm -f samples && mkfifo samples && '{recording.PRODUCER}'"
        )
        result = self.run_record("sh", "-c", script)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 120)
        self.assert_untouched()
        self.assert_clean()

    def test_recover_where_others_may_write(self):
        self.leave().chmod(0o777)
        result = self.run_record(f"--recover={self.folder / self.left()[0]}")
        self.assertEqual(result.returncode, 1)
        self.assertIn("other users can write to it", result.stderr)

    def leave(self):
        """What a recording leaves whose processes are all killed."""
        left = self.folder / ".deepprof.db.abcdef"
        left.mkdir(0o700)
        (left / "begin").write_text("deepprof recording 1\n1 1\n")
        (left / "about").write_bytes(b"deepprof record 1\0overwrite\0thesis.txt\0true\0000 0 0 0\0")
        return left


class Reduced(Case):
    """A job's folder that others may write to: summaries are made next to its traces."""

    def test_folder_replaced(self):
        """A link takes a folder's place after its traces were listed."""
        trace = cli.simulate(self.precious / "rank.json")
        job = self.folder / "job"
        nodes = [job / f"node{i:02}" for i in range(20)]
        for node in nodes:
            node.mkdir(parents=True)
            os.link(trace, node / trace.name)
        process = subprocess.Popen(
            [cli.DEEPPROF, "reduce", "-j", "1", job], stderr=subprocess.PIPE, encoding="utf-8"
        )
        self.wait_for(lambda: list(job.rglob("*.dpsum")), "summary")
        process.send_signal(signal.SIGSTOP)
        for node in nodes[::-1]:
            node.rename(job / f"moved-{node.name}")
            node.symlink_to(self.precious)
        process.send_signal(signal.SIGCONT)
        said = process.communicate(timeout=cli.TIMEOUT_S)[1]
        self.assertEqual(process.returncode, 1, said)
        self.assertIn(f"{nodes[-1]}: the folder was replaced in the meantime", said)
        trace.unlink()
        self.assert_untouched()


@unittest.skipIf(os.geteuid() != 0, "takes two users")
class TwoUsers(Case):
    """One who records in a folder that another one may write to."""

    def setUp(self):
        super().setUp()
        if not cli.can_run_as(user(VICTIM)):
            self.skipTest("another user may not run it")
        self.folder.chmod(0o777)
        for path in [self.precious, *self.precious.iterdir()]:
            os.chown(path, VICTIM, VICTIM)
        self.shared = self.folder / "shared"
        self.shared.mkdir()

    def plant(self, name, to, owner=ATTACKER):
        path = self.shared / name
        path.symlink_to(to)
        os.lchown(path, owner, owner)
        return path

    def share(self, mode):
        self.shared.chmod(mode)
        for path in self.shared.iterdir():
            path.unlink()

    def protections(self):
        """Both, where root may change that; and whatever is set, where not."""
        before = PROTECTED.read_text() if PROTECTED.exists() else "0"
        try:
            PROTECTED.write_text(before)
            values = ["0\n", "1\n"]
        except OSError:
            values = [before]
        self.addCleanup(lambda: len(values) > 1 and PROTECTED.write_text(before))
        for value in values:
            if len(values) > 1:
                PROTECTED.write_text(value)
            for mode in 0o777, 0o1777:
                self.share(mode)
                yield mode

    def as_victim(self, *args):
        return self.run_record(*args, cwd=self.shared, preexec_fn=user(VICTIM))

    def test_default_name(self):
        """Neither what the link leads to is written, nor does it become .old."""
        for mode in self.protections():
            link = self.plant("deepprof.db", self.precious / "thesis.txt")
            result = self.as_victim("--", recording.PRODUCER)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_untouched()
            self.assertIn("is another user's symbolic link", result.stderr)
            # Where only its owner may move it, it stays.
            sticky = mode & 0o1000
            name = "deepprof.db.2" if sticky else "deepprof.db"
            self.assertEqual((self.shared / name).lstat().st_uid, VICTIM)
            self.assertEqual(self.one("SELECT count(*) FROM kernel", f"shared/{name}"), 120)
            link = link if sticky else self.shared / "deepprof.db.old"
            self.assertEqual(os.readlink(link), str(self.precious / "thesis.txt"))

    def test_default_name_to_nothing(self):
        for _ in self.protections():
            self.plant("deepprof.db", self.precious / "new.db")
            self.assertEqual(self.as_victim("--", recording.PRODUCER).returncode, 0)
            self.assert_untouched()

    def test_old_name(self):
        """Of a link at .old the link is replaced."""
        for _ in self.protections():
            self.plant("deepprof.db.old", self.precious / "thesis.txt")
            own = self.shared / "deepprof.db"
            own.write_text("last")
            os.chown(own, VICTIM, VICTIM)
            self.assertEqual(self.as_victim("--", recording.PRODUCER).returncode, 0)
            self.assert_untouched()

    def test_explicit_name(self):
        for _ in self.protections():
            self.plant("run.db", self.precious / "thesis.txt")
            for options in [], ["-f"]:
                result = self.as_victim(*options, "-o", "run.db", "echo", "ran")
                self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
                self.assertIn("run.db: is another user's symbolic link", result.stderr)
            self.assert_untouched()

    def test_other_commands(self):
        """-o is as careful there: with -f what a link leads to would be replaced."""
        trace = cli.simulate(self.folder / "trace.json")
        for _ in self.protections():
            for name, owner in ("report.json", ATTACKER), ("own.json", VICTIM):
                self.plant(name, self.precious / "thesis.txt", owner)
            self.plant("folder", self.precious)
            self.plant("job.dpsum", self.precious / "thesis.txt")
            for name in "folder", "folder/", "job.dpsum":
                result = cli.run(
                    "reduce", trace, "-f", "-o", name, cwd=self.shared, preexec_fn=user(VICTIM)
                )
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(f"{name}: is another user's symbolic link", result.stderr)
            self.assert_untouched()
            for words in (
                ["analyze", trace],
                ["info", trace],
                ["export", trace],
                ["compare", trace, trace],
            ):
                result = cli.run(
                    *words, "-f", "-o", "report.json", cwd=self.shared, preexec_fn=user(VICTIM)
                )
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn("is another user's symbolic link", result.stderr)
            self.assert_untouched()
            result = cli.run(
                "analyze", trace, "-f", "-o", "own.json", cwd=self.shared, preexec_fn=user(VICTIM)
            )
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue((self.precious / "thesis.txt").read_text().startswith("{"))
            (self.precious / "thesis.txt").write_text("precious thesis.txt")

    def test_pipe(self):
        """What is written into another user's pipe, that user reads."""
        trace = cli.simulate(self.folder / "trace.json")
        fifo = self.shared / "report.json"
        for _ in self.protections():
            os.mkfifo(fifo)
            fifo.chmod(0o666)
            reader = os.open(fifo, os.O_RDWR)
            self.addCleanup(os.close, reader)
            for owner, status in (ATTACKER, 1), (VICTIM, 0):
                os.chown(fifo, owner, owner)
                result = cli.run(
                    "info", trace, "-o", "report.json", cwd=self.shared, preexec_fn=user(VICTIM)
                )
                self.assertEqual(result.returncode, status, result.stderr)
            fifo.unlink()
            for name in "/dev/null", "/dev/stdout":
                result = cli.run("info", trace, "-o", name)
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_own_link(self):
        for _ in self.protections():
            self.plant("run.db", self.precious / "thesis.txt", VICTIM)
            result = self.as_victim("-f", "-o", "run.db", "--", recording.PRODUCER)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.one("SELECT count(*) FROM kernel", "precious/thesis.txt"), 120)
            (self.precious / "thesis.txt").write_text("precious thesis.txt")

    def test_root_in_a_users_folder(self):
        """As with sudo deepprof record."""
        self.share(0o755)
        os.chown(self.shared, ATTACKER, ATTACKER)
        self.plant("deepprof.db", self.precious / "thesis.txt")
        result = self.run_record("--", recording.PRODUCER, cwd=self.shared)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_untouched()
        self.assertEqual(self.one("SELECT count(*) FROM kernel", "shared/deepprof.db"), 120)

    def test_log_of_another_user(self):
        """A log next to a database would change what is read of it; a link to one, too."""
        path = self.shared / "trace.sqlite"
        cli.simulate(path, "-F", "nsys")
        before = cli.run("info", path).stdout
        database = sqlite3.connect(path)
        self.addCleanup(database.close)
        database.execute("PRAGMA journal_mode = wal")
        database.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
        database.commit()
        log = self.shared / "trace.sqlite-wal"
        self.assertNotEqual(cli.run("info", path).stdout, before)
        os.chown(log, ATTACKER, ATTACKER)
        self.check_log_ignored(path, before)
        os.chown(log, os.geteuid(), os.getegid())
        log.rename(self.shared / "log")
        log.symlink_to("log")
        self.check_log_ignored(path, before)

    def check_log_ignored(self, path, before):
        result = cli.run("info", path)
        self.assertEqual(result.stdout, before)
        self.assertIn("another user may have put it there", result.stderr)

    def test_library_of_another_user(self):
        """As of a program that root records and that changes its user: sampling would load it."""
        library = self.folder / "libcupti.so"
        shutil.copy(os.environ["DEEPPROF_FAKE_CUPTI"], library)
        cuda = pathlib.Path(os.environ["DEEPPROF_FAKE_CUPTI"]).parent / "libcuda.so"
        program = subprocess.Popen(
            [os.environ["DEEPPROF_FAKE_APP"], f"open={library}", f"open={cuda}", "until=go"],
            cwd=self.folder,
            preexec_fn=user(ATTACKER),
        )
        self.addCleanup(program.communicate)
        self.addCleanup((self.folder / "go").touch)
        maps = pathlib.Path(f"/proc/{program.pid}/maps")
        # The program is linked with libcuda, which is therefore there before it opens libcupti.
        wanted = [str(path.resolve()) for path in (library, cuda)]
        self.wait_for(lambda: all(path in maps.read_text() for path in wanted), "libraries")
        result = subprocess.run(
            [cli.BUILD / "collectors/deepprof-gpu-metrics", str(program.pid), "1000000"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=cli.TIMEOUT_S,
            check=False,
        )
        self.assertIn(b"runs as another user, whose libraries are not loaded", result.stdout)

    def test_recover_of_another_user(self):
        """Nor is it suggested."""
        left = Swapped.leave(self)
        for path in [left, *left.iterdir()]:
            os.chown(path, ATTACKER, ATTACKER)
        (self.folder / "thesis.txt").write_text("mine")
        result = self.run_record(f"--recover={left}")
        self.assertEqual(result.returncode, 1)
        self.assertIn("belongs to another user", result.stderr)
        self.assertEqual(sorted(os.listdir(left)), ["about", "begin"])
        self.assertEqual((self.folder / "thesis.txt").read_text(), "mine")
        self.assertNotIn("--recover", self.run_record("true").stderr)
        self.assertNotIn("--recover", cli.run("analyze", cwd=self.folder).stderr)


if __name__ == "__main__":
    cli.main()
