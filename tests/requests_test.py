#!/usr/bin/env python3
"""What asks a running solve to save its state or to stop, and who may write: signals, files, limits, the lock.

  requests_test.py PROGRAM
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

AWELE = None


def events(db, name=None):
    try:
        lines = (db / "log").read_text().splitlines()
    except FileNotFoundError:
        return []
    found = [json.loads(line) for line in lines if line.endswith("}")]
    return [e for e in found if name in (None, e["event"])]


class Requests(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="awele-requests-")
        self.db = pathlib.Path(self.scratch.name) / "db"
        self.running = []

    def tearDown(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.scratch.cleanup()

    def start(self, seeds, *more, inject=None, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("AWELE_", "SLURM_"))}
        environment.update(variables)
        if inject:
            environment["AWELE_INJECT"] = inject
        process = subprocess.Popen([AWELE, "solve", "--seeds", str(seeds), "--db", str(self.db), *more],
                                   env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        self.running.append(process)
        return process

    def ended(self, process, code):
        _, message = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, message)
        return message

    def wait_for(self, matches, process):
        end = time.time() + 60
        while time.time() < end:
            if any(matches(e) for e in events(self.db)):
                return
            self.assertIsNone(process.poll(), "it has ended")
            time.sleep(0.01)
        self.fail("in vain for long")

    def paused(self, seeds, *more, stage="rounds", seconds=0, **variables):
        process = self.start(seeds, *more, inject=f"pause@{stage}:{seeds}", **variables)
        self.wait_for(lambda e: e["event"] == "injected", process)
        time.sleep(seconds)  # a slice that takes long is not finished first
        return process

    def status(self):
        text = subprocess.run([AWELE, "status", "--db", self.db, "--format", "json"], check=True, timeout=60,
                              capture_output=True, text=True).stdout
        return json.loads(text)

    def test_usr1_stops_with_a_checkpoint_and_the_same_command_goes_on(self):
        process = self.paused(14, seconds=3)
        process.send_signal(signal.SIGUSR1)
        self.assertIn("checkpoint_14_0001", self.ended(process, 75))
        self.assertFalse((self.db / "lock").exists())
        self.assertEqual(self.status()["state"], "stopped")
        self.ended(self.start(14), 0)
        self.assertEqual(len(events(self.db, "resumed")), 1)
        self.assertEqual(events(self.db, "slice")[-1]["crc32"], "873fe0bf")
        self.assertEqual(self.status()["state"], "finished")
        self.assertEqual(list(self.db.glob("checkpoint*")), [])
        self.assertEqual([e["log_version"] for e in events(self.db, "start")], [1, 1])

    def test_a_directory_whose_name_is_not_utf8(self):
        self.db = pathlib.Path(self.scratch.name) / os.fsdecode(b"caf\xe9")
        process = self.paused(14, seconds=3)
        process.send_signal(signal.SIGUSR1)
        self.ended(process, 75)
        self.assertIn("\ufffd", events(self.db, "checkpoint")[-1]["path"])
        self.db = self.db.rename(self.db.with_name(os.fsdecode(b"moved-\xe4")))
        self.ended(self.start(14), 0)
        self.assertEqual(len(events(self.db, "resumed")), 1)

    def test_a_slice_that_is_nearly_done_is_finished_first(self):
        process = self.paused(9)
        process.send_signal(signal.SIGUSR1)
        process.wait(60)
        self.assertTrue((self.db / "slice_09.h5").exists() or list(self.db.glob("checkpoint_09_*")))

    def test_term_ends_at_once_and_leaves_no_lock(self):
        process = self.paused(12, seconds=1)
        process.send_signal(signal.SIGTERM)
        self.ended(process, 143)
        self.assertFalse((self.db / "lock").exists())
        self.assertEqual(self.status()["state"], "interrupted")

    def test_a_hang_up_ends_it_as_term_does_unless_it_is_ignored(self):
        self.addCleanup(signal.signal, signal.SIGHUP, signal.signal(signal.SIGHUP, signal.SIG_DFL))
        process = self.paused(12, seconds=1)
        process.send_signal(signal.SIGHUP)
        self.ended(process, 128 + signal.SIGHUP)
        self.assertFalse((self.db / "lock").exists())
        (self.db / "log").unlink()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        process = self.paused(12, seconds=1)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGUSR1)
        self.ended(process, 75)

    def test_term_with_a_grace_saves_the_state(self):
        process = self.paused(12, "--grace", "30")
        process.send_signal(signal.SIGTERM)
        self.ended(process, 75)
        self.assertEqual(len(events(self.db, "checkpoint")), 1)

    def test_a_missing_lock_is_made_again_and_the_slice_is_kept(self):
        process = self.paused(8, stage="renaming")
        (self.db / "lock").unlink()
        process.send_signal(signal.SIGUSR1)  # ends the pause
        self.assertIn("lock was missing", self.ended(process, 0))
        self.assertTrue((self.db / "slice_08.h5").exists())
        self.assertEqual(len(events(self.db, "lock_missing")), 1)
        self.assertFalse((self.db / "lock").exists())

    def test_the_file_stop(self):
        process = self.start(20)
        self.wait_for(lambda e: e["event"] == "phase" and e["seeds"] == 19 and e["name"] == "rounds", process)
        (self.db / "stop").touch()
        self.ended(process, 75)
        self.assertEqual(events(self.db, "stop")[-1]["reason"], "file")
        self.assertFalse((self.db / "stop").exists())

    def test_the_file_checkpoint(self):
        process = self.start(18)
        self.wait_for(lambda e: e["event"] == "phase" and e["seeds"] == 18 and e["name"] == "rounds", process)
        (self.db / "checkpoint").touch()
        self.ended(process, 0)
        self.assertEqual(len(events(self.db, "checkpoint")), 1)
        self.assertFalse((self.db / "checkpoint").exists())
        self.assertEqual(events(self.db, "slice")[-1]["crc32"], "e5222e93")

    def test_the_time_limit(self):
        begin = time.time()
        self.ended(self.start(24, "--time-limit", "0.1"), 75)
        self.assertLess(time.time() - begin, 12)
        self.assertEqual(events(self.db, "stop")[-1]["reason"], "time")

    def test_the_end_of_the_job_is_a_time_limit(self):
        self.ended(self.start(24, SLURM_JOB_END_TIME=str(int(time.time()) + 6)), 75)

    def test_by_the_clock_but_at_most_a_tenth_of_the_time(self):
        begin = time.time()
        self.ended(self.start(20, "--checkpoint-every", "0.0001"), 0)
        saved = events(self.db, "checkpoint")
        self.assertGreater(len(saved), 0)
        self.assertLess(sum(e["seconds"] for e in saved), 0.2 * (time.time() - begin))

    def test_a_second_run_is_refused_and_readers_are_not(self):
        process = self.paused(10)
        self.assertIn(f"process {process.pid} on host", self.ended(self.start(10), 1))
        self.assertEqual(self.status()["state"], "running")
        subprocess.run([AWELE, "probe", "--db", self.db, *"1 0 2 0 0 0 0 1 0 3 0 0".split()], check=True, timeout=60,
                       capture_output=True)

    def write_lock(self, **fields):
        self.db.mkdir(exist_ok=True)
        owner = {"host": "elsewhere", "pid": 5, "process_start": 7, "job": "", "restart": 0, "token": "abc"}
        (self.db / "lock").write_text(json.dumps(owner | fields))

    def test_a_lock_of_another_host_is_watched(self):
        self.write_lock()
        old = time.time() - 3600
        os.utime(self.db / "lock", (old, old))
        process = self.start(3)
        self.assertIn("watching for a sign of life", process.stderr.readline())
        os.utime(self.db / "lock", (old + 30, old + 30))
        self.assertIn("in use by process 5 on host elsewhere", self.ended(process, 1))
        process = self.start(3)
        process.stderr.readline()
        process.send_signal(signal.SIGUSR1)
        self.ended(process, 75)

    def test_status_says_how_long_another_host_has_been_silent(self):
        self.ended(self.start(3), 0)
        status = json.loads((self.db / "status.json").read_text())
        (self.db / "status.json").write_text(json.dumps(status | {"state": "running"}))
        for seconds, state in ((0, "running"), (300, "silent"), (1000, "interrupted")):
            (self.db / "lock").unlink(missing_ok=True)
            self.write_lock()
            then = time.time() - seconds
            os.utime(self.db / "lock", (then, then))
            self.assertEqual(self.status()["state"], state)
            self.assertGreaterEqual(self.status()["lock_age_seconds"], seconds)
        (self.db / "lock").unlink()
        os.mkfifo(self.db / "lock")
        self.assertEqual(self.status()["state"], "unknown")

    def test_fifos_in_place_of_files(self):
        self.db.mkdir()
        os.mkfifo(self.db / "log")
        self.assertIn(f"{self.db}/log cannot be written", self.ended(self.start(3), 0))
        os.unlink(self.db / "log")
        os.mkfifo(self.db / "lock")
        self.assertIn("not a regular file", self.ended(self.start(4), 1))

    def test_a_signal_leaves_the_lock_of_another_run(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.paused(12, seconds=1)
            (self.db / "lock").write_text(json.dumps({"host": "elsewhere", "pid": 5, "token": "other"}))
            process.send_signal(number)
            process.communicate(timeout=60)
            self.assertIn("other", (self.db / "lock").read_text())
            (self.db / "lock").unlink()

    def test_a_run_whose_files_are_gone_hears_who_took_over(self):
        process = self.paused(10, stage="writing")
        for leftover in self.db.glob("slice_10.h5.*"):
            leftover.unlink()
        (self.db / "lock").write_text(json.dumps({"host": "elsewhere", "pid": 5, "token": "other"}))
        (self.db / "status.json").write_text("{}")
        process.send_signal(signal.SIGUSR1)
        self.assertIn("now belongs to process 5 on host elsewhere", self.ended(process, 1))
        self.assertEqual((self.db / "status.json").read_text(), "{}")

    def test_a_restarted_job_takes_its_lock_over(self):
        self.write_lock(job="77", restart=1)
        job = {"SLURM_JOB_ID": "77"}
        process = self.start(3, SLURM_RESTART_COUNT="1", **job)
        self.assertIn("watching for a sign of life", process.stderr.readline())
        os.utime(self.db / "lock")
        self.ended(process, 1)
        self.ended(self.start(3, SLURM_RESTART_COUNT="2", **job), 0)

    def test_a_lock_that_is_no_lock(self):
        self.db.mkdir()
        (self.db / "lock").write_text("{")
        self.assertIn("over from an unknown run", self.ended(self.start(3), 0))

    def test_a_run_that_lost_its_lock_publishes_nothing(self):
        process = self.paused(10, stage="renaming")
        (self.db / "lock").write_text(json.dumps({"host": "elsewhere", "pid": 5, "token": "other"}))
        process.send_signal(signal.SIGUSR1)
        self.assertIn("now belongs to process 5 on host elsewhere", self.ended(process, 1))
        self.assertFalse((self.db / "slice_10.h5").exists())
        self.assertIn("other", (self.db / "lock").read_text())

    def test_a_checkpoint_that_cannot_be_removed_is_named(self):
        old = self.db / "checkpoint_03_0001"
        (old / "inside").mkdir(parents=True)
        (old / "inside" / "file").touch()
        if os.geteuid() != 0:
            (old / "inside").chmod(0o555)
        elif subprocess.run(["mount", "-t", "tmpfs", "none", str(old)], capture_output=True).returncode != 0:
            self.skipTest("nothing can be mounted here")
        try:
            self.assertIn(f"{old} is no longer needed but cannot be removed", self.ended(self.start(3), 0))
        finally:
            if os.geteuid() == 0:
                subprocess.run(["umount", str(old)], check=True)
            else:
                (old / "inside").chmod(0o755)

    def test_leftovers_of_dead_runs_are_removed(self):
        self.db.mkdir()
        (self.db / "slice_03.h5.1234abcd.tmp").write_text("x")
        (self.db / "checkpoint_03_0001.1234abcd.tmp").mkdir()
        (self.db / "notes.tmp").write_text("the user's")
        self.ended(self.start(3), 0)
        self.assertEqual({p.name for p in self.db.glob("*tmp")}, {"notes.tmp"})

    def test_an_injection_that_is_none(self):
        self.assertIn("AWELE_INJECT", self.ended(self.start(3, inject="dance@rounds:3"), 2))


if __name__ == "__main__":
    AWELE = sys.argv.pop(1)
    unittest.main()
