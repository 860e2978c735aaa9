#!/usr/bin/env python3
"""The explorer's server: its API, bad input, load, and its end.

  web_test.py PROGRAM DATABASES [TEST...]      DATABASES: a folder with one database a rule set"""
import json
import os
import pathlib
import random
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time

from served import Client, Server, state

PROGRAM, DATABASES = sys.argv[1], pathlib.Path(sys.argv[2])
RULES = ["awari", "unrestricted", "majority-slam", "never-starve", "abapa"]
START = [1] * 12


def problem(answer, status, code):
    assert answer[0] == status, answer
    assert answer[1]["Content-Type"] == "application/problem+json", answer
    assert answer[1]["Cache-Control"] == "no-store", answer
    body = json.loads(answer[2])
    assert body["status"] == status and body["code"] == code and body["detail"], answer
    assert str(DATABASES) not in answer[2].decode(), answer


def test_headers_and_caching():
    with Server(PROGRAM, DATABASES / "awari") as server:
        client = Client(server)
        status, headers, body = client.ask("/")
        assert status == 200 and b"<!doctype html>" in body.lower()
        assert headers["Content-Security-Policy"] == ("default-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
                                                      "form-action 'none'")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Access-Control-Allow-Origin"] is None
        for path in ["/", "/app.js", "/api/v1/database", "/api/v1/position?" + state(START)]:
            status, headers, _ = client.ask(path)
            assert status == 200 and headers["Cache-Control"] == "no-cache", path
            assert client.ask(path, headers={"If-None-Match": headers["ETag"]})[0] == 304, path
            assert client.ask(path, headers={"If-None-Match": '"other"'})[0] == 200, path
        status, headers, body = client.ask("/api/v1/database", "HEAD")
        assert status == 200 and int(headers["Content-Length"]) > 100 and body == b""
        assert client.ask("/healthz")[2] == b"ok\n"


def test_database_and_slices():
    with Server(PROGRAM, DATABASES / "awari") as server:
        client = Client(server)
        info = json.loads(subprocess.run([PROGRAM, "info", "--db", DATABASES / "awari", "--format", "json"],
                                         capture_output=True, check=True).stdout)
        here = client.json("/api/v1/database")
        assert here["complete_up_to"] == info["complete_up_to"] and here["rules"] == "awari"
        assert [each["crc32"] for each in here["slices"]] == [each["crc32"] for each in info["slices"]]
        stats = subprocess.run([PROGRAM, "stats", "--db", DATABASES / "awari", "--slice", "9", "--format", "csv"],
                               capture_output=True, check=True, text=True).stdout
        status, headers, text = client.ask("/api/v1/slices/9.csv")
        assert status == 200 and text.decode() == stats and headers["Content-Type"].startswith("text/csv")
        slice9 = client.json("/api/v1/slices/9")
        assert sum(slice9["histogram"]) == slice9["positions"] == 167596
        for value in range(-9, 10):
            answer = client.ask(f"/api/v1/slices/9/random?value={value}")
            if slice9["histogram"][value + 9] == 0:
                problem(answer, 404, "no_such_position")
            else:
                assert client.values([json.loads(answer[2])["board"]]) == [value]
        problem(client.ask("/api/v1/slices/40"), 404, "not_solved")
        problem(client.ask("/api/v1/slices/-1"), 404, "unknown_path")


def test_examples_of_the_documentation():
    readme = pathlib.Path(__file__).parents[2] / "src/web/README.md"
    examples = [line.strip() for line in readme.read_text().splitlines() if line.startswith("    ") and "curl" in line]
    assert len(examples) >= 9
    with Server(PROGRAM, DATABASES / "awari") as server:
        for example in examples:
            done = subprocess.run(example.replace("http://localhost:8600", server.address), shell=True, capture_output=True)
            assert done.returncode == 0 and done.stdout, (example, done)


def follow(client, board):
    """Plays choice against choice; returns what the side that began collected more than the other."""
    moves = ""
    for _ in range(400):
        answer = client.json("/api/v1/position?" + state(board, moves=moves, repetitions=2))
        if answer["outcome"]:
            stores = answer["outcome"]["stores"]
            return stores[0] - stores[1]
        moves += answer["choice"]
    raise AssertionError(f"{board} goes on for ever: {moves}")


def test_choice_collects_the_lead():
    rng = random.Random(4)
    for rules in RULES:
        with Server(PROGRAM, DATABASES / rules) as server:
            client = Client(server)
            for _ in range(12):
                board = [0] * 12
                for _ in range(rng.randrange(2, 11, 2)):  # majority-slam wants an even total
                    board[rng.randrange(12)] += 1
                first = client.json("/api/v1/position?" + state(board))
                if first["outcome"]:
                    continue
                line = client.json("/api/v1/line?" + state(board))
                assert line["complete"] and line["moves"][0]["pit"] == first["choice"], (rules, board)
                got = follow(client, board)
                # A majority decides: what comes after it is not played.
                same_sign = (got > 0) == (first["lead"] > 0) and (got < 0) == (first["lead"] < 0)
                assert same_sign, (rules, board, got, first["lead"])
                ends = line["outcome"]["stores"]
                assert ends[0] - ends[1] == first["lead"] or rules == "majority-slam", (rules, board, ends, first["lead"])


def test_games():
    with Server(PROGRAM, DATABASES / "awari") as server:
        client = Client(server)
        query = state(START, moves="FbCf")
        text = client.ask("/api/v1/game?" + query)[2].decode()
        assert text.startswith("awele game 1\n"), text
        game = json.loads(client.ask("/api/v1/game", "POST", text)[2])
        assert game["letters"] == "FbCf" and len(game["moves"]) == 4
        again = client.json("/api/v1/game?" + query + "&format=json")
        assert again == game
        for move in game["moves"]:
            assert move["gave_away"] == move["best"] - move["value"] >= 0
        problem(client.ask("/api/v1/game", "POST", "awele game 1\nrubbish"), 400, "bad_game")
        problem(client.ask("/api/v1/game", "POST", b"\xff\xfe\x00"), 400, "bad_game")
        problem(client.ask("/api/v1/game", "POST", text.replace("awari", "abapa")), 400, "other_rules")


def test_search_beyond():
    with Server(PROGRAM, DATABASES / "abapa", "--search-seconds", "0.3") as server:
        client = Client(server)
        board = [2] + [1] * 11
        position = client.json("/api/v1/position?" + state(board))
        assert position["value"] is None and position["choice"] is None and position["lead"] is None
        found = client.json("/api/v1/analysis?" + state(board))
        assert -13 <= found["proven"][0] <= found["proven"][1] <= 13 and found["choice"] in "ABCDEF"
    with Server(PROGRAM, DATABASES / "abapa") as server:
        problem(Client(server).ask("/api/v1/analysis?" + state(board)), 404, "no_search")


BAD_PATHS = [
    ("/api/v1/position", 400, "bad_board"),
    ("/api/v1/position?board=", 400, "bad_board"),
    ("/api/v1/position?board=1,2,3", 400, "bad_board"),
    ("/api/v1/position?board=1,1,1,1,1,1,1,1,1,1,1,x", 400, "bad_board"),
    ("/api/v1/position?board=1,1,1,1,1,1,1,1,1,1,1,-1", 400, "bad_board"),
    ("/api/v1/position?board=9,9,9,9,9,9,9,9,9,9,9,9", 400, "bad_board"),
    ("/api/v1/position?board=1,1,1,1,1,1,1,1,1,1,1,99999999999999999999", 400, "bad_board"),
    ("/api/v1/position?board=%ff%fe", 400, "bad_board"),
    ("/api/v1/position?board=%00", 400, "bad_board"),
    ("/api/v1/position?board=%4", 400, "bad_query"),
    ("/api/v1/position?board=%zz", 400, "bad_query"),
    ("/api/v1/position?board=1&board=2", 400, "repeated_parameter"),
    ("/api/v1/position?boards=1", 400, "unknown_parameter"),
    ("/api/v1/position?%ff=1", 400, "unknown_parameter"),
    ("/api/v1/position?" + state(START, moves="a"), 400, "bad_moves"),
    ("/api/v1/position?" + state(START, moves="AB"), 400, "bad_moves"),
    ("/api/v1/position?" + state(START, moves="%c3%a9"), 400, "bad_moves"),
    ("/api/v1/position?" + state([0] * 6 + [1] * 6, moves="A"), 400, "bad_moves"),
    ("/api/v1/position?" + state(START, moves="Ab" * 501), 400, "bad_moves"),
    ("/api/v1/position?" + state(START, stores=("x", 1)), 400, "bad_stores"),
    ("/api/v1/position?" + state(START, stores=(-1, 1)), 400, "bad_stores"),
    ("/api/v1/position?" + state(START, stores=(40, 40)), 400, "bad_stores"),
    ("/api/v1/position?" + state(START, total=48), 400, "bad_stores"),
    ("/api/v1/position?" + state(START, total="1e1"), 400, "bad_number"),
    ("/api/v1/position?" + state(START, repetitions=1), 400, "bad_number"),
    ("/api/v1/line?" + state(START, limit=0), 400, "bad_number"),
    ("/api/v1/line?" + state([4] * 12), 404, "not_solved"),
    ("/api/v1/database?x", 400, "unknown_parameter"),
    ("/api/v1/slices/9/random?value=99", 400, "bad_number"),
    ("/api/v1/slices/9x", 404, "unknown_path"),
    ("/api/v1/nothing", 404, "unknown_path"),
    ("/api/v2/database", 404, "unknown_path"),
    ("/../../etc/passwd", 404, "unknown_path"),
    ("/%2e%2e/etc/passwd", 404, "unknown_path"),
]
BAD_BODIES = [b"", b"{", b"[]", b"null", b'{"boards": 1}', b'{"boards": [], "x": 1}', b"\xff\xfe", b"[" * 10000]
# What the answer must begin with before the server closes; empty: it may close without one.
BAD_BYTES = [
    (b"GARBAGE\r\n\r\n", b"HTTP/1.1 400"),
    (b"\x16\x03\x01\x02\x00\x01\x00", b""),
    (b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 400"),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"HTTP/1.1 400"),
    (b"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", b"HTTP/1.1 421"),
    (b"GET / HTTP/1.1\r\nHost: localhost:80:80\r\nConnection: close\r\n\r\n", b"HTTP/1.1 421"),
    (b"GET http://evil/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"HTTP/1.1 400"),
    (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"HTTP/1.1 400"),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 9000 + b"\r\n\r\n", b"HTTP/1.1 431"),
    (b"GET /" + b"y" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"HTTP/1.1 431"),
    (b"POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\n\r\n", b"HTTP/1.1 413"),
    (b"POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", b"HTTP/1.1 400"),
    (b"POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + b"fffff\r\n" + b"x" * 300000,
     b"HTTP/1.1 413"),
    (b"POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 20000, b""),
    (b"DELETE /api/v1/database HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"HTTP/1.1 405"),
    (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", b"HTTP/1.1 405"),
]


def test_bad_input():
    with Server(PROGRAM, DATABASES / "awari") as server:
        client = Client(server)
        for path, status, code in BAD_PATHS:
            answer = client.ask(path)
            assert answer[0] == status and json.loads(answer[2])["code"] == code, (path, answer[0], answer[2])
            problem(answer, status, code)
        for body in BAD_BODIES:
            problem(client.ask("/api/v1/positions", "POST", body), 400, "bad_json")
        boards = json.dumps({"boards": [[0] * 12] * 4097})
        problem(client.ask("/api/v1/positions", "POST", boards), 400, "too_many")
        mixed = [[1] * 12, [1] * 11, "x", [49] + [0] * 11, [4] * 12, [1.5] * 12, [-1] * 12]
        assert client.values(mixed) == [0, "bad_board", "bad_board", "bad_board", "not_solved", "bad_board", "bad_board"]
        for request, begins in BAD_BYTES:
            try:
                answer = server.raw(request)
            except TimeoutError:
                raise AssertionError(f"the server neither answers nor closes: {request[:80]}") from None
            assert answer.startswith(begins), (request[:80], answer[:200])
        expects = (b"POST /api/v1/game HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n"
                   b"Connection: close\r\n\r\nabc")
        answer = server.raw(expects)
        assert answer.startswith(b"HTTP/1.1 100") and b"HTTP/1.1 400" in answer, answer
        for _ in range(50):  # resets
            link = socket.create_connection(("127.0.0.1", server.port))
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            link.sendall(b"GET / HTTP/1.1\r\nHost: loc")
            link.close()
        assert client.ask("/healthz")[0] == 200
        assert server.process.poll() is None


def quickest(server, tries=5):
    best = 9.0
    for _ in range(tries):
        begin = time.monotonic()
        assert Client(server).ask("/api/v1/position?" + state(START))[0] == 200
        best = min(best, time.monotonic() - begin)
    return best


def test_load():
    with Server(PROGRAM, DATABASES / "awari") as server:
        quickest(server)
        before = server.memory()
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(1000)]
        assert quickest(server) < 0.1, "beside 1,000 idle connections"
        for link in idle:
            link.close()
        slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
        for link in slow:
            link.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        assert quickest(server) < 0.1, "beside 50 slow clients"
        end = time.monotonic() + 7
        while time.monotonic() < end:  # a byte now and then does not win time
            for link in slow:
                try:
                    link.send(b"x")
                except OSError:
                    pass
            time.sleep(0.5)
        gone = 0
        for link in slow:
            link.settimeout(0.2)
            try:
                gone += link.recv(1) == b""
            except ConnectionError:
                gone += 1
            except TimeoutError:
                pass
        assert gone == len(slow), f"{gone} of {len(slow)} slow clients were let go"
        assert server.memory() - before < 32 << 20, (before, server.memory())


def test_few_descriptors():
    command = f'ulimit -n 128; exec "{PROGRAM}" "$@"'
    wrapper = pathlib.Path(tempfile.mkdtemp()) / "awele"
    wrapper.write_text(f"#!/bin/bash\n{command}\n")
    wrapper.chmod(0o755)
    with Server(str(wrapper), DATABASES / "awari") as server:
        links = []
        for _ in range(400):
            links.append(socket.create_connection(("127.0.0.1", server.port)))
        assert Client(server).ask("/healthz")[0] == 200
    shutil.rmtree(wrapper.parent)


def test_end_and_restart():
    with Server(PROGRAM, DATABASES / "awari") as server:
        links = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
        taken = subprocess.run([PROGRAM, "serve", "--db", DATABASES / "awari", "--port", str(server.port)],
                               capture_output=True, text=True, timeout=20)
        assert taken.returncode == 1 and "--port" in taken.stderr, taken
        Client(server).ask("/healthz")
        begin = time.monotonic()
        assert server.end() == 0
        assert time.monotonic() - begin < 1, "SIGTERM with connections open"
        port = server.port
        for link in links:
            link.close()
    again = subprocess.Popen([PROGRAM, "serve", "--db", DATABASES / "awari", "--port", str(port)],
                             stdout=subprocess.PIPE, text=True)
    assert f":{port}/" in again.stdout.readline()
    again.terminate()
    assert again.wait(5) == 0


def test_socket():
    folder = pathlib.Path(tempfile.mkdtemp())
    path = folder / "s"
    server = subprocess.Popen([PROGRAM, "serve", "--db", DATABASES / "awari", "--socket", path],
                              stdout=subprocess.PIPE, text=True)
    assert str(path) in server.stdout.readline()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(str(path))
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert link.recv(1000).startswith(b"HTTP/1.1 200")
    server.terminate()
    assert server.wait(5) == 0 and not path.exists()
    shutil.rmtree(folder)


def test_growing_and_damage():
    folder = pathlib.Path(tempfile.mkdtemp())
    for n in range(8):
        shutil.copy(DATABASES / "awari" / f"slice_{n:02}.h5", folder)
    with Server(PROGRAM, folder) as server:
        client = Client(server)
        board = [2, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0]
        query = "/api/v1/position?" + state(board)
        first = client.ask(query)
        assert json.loads(first[2])["value"] is None
        shutil.copy(DATABASES / "awari" / "slice_08.h5", folder / "x.tmp")
        os.rename(folder / "x.tmp", folder / "slice_08.h5")
        time.sleep(1.1)
        second = client.ask(query, headers={"If-None-Match": first[1]["ETag"]})
        assert second[0] == 200 and json.loads(second[2])["value"] is not None
        assert client.json("/api/v1/database")["complete_up_to"] == 8
    whole = bytearray((folder / "slice_08.h5").read_bytes())
    damaged = bytearray(whole)
    for k in range(len(whole) // 2, len(whole) // 2 + 64):
        damaged[k] ^= 0xFF
    (folder / "slice_08.h5").write_bytes(damaged)
    with Server(PROGRAM, folder, "--cache", "0") as server:
        client = Client(server)
        problem(client.ask(query), 500, "damaged")
        (folder / "slice_08.h5").write_bytes(whole)  # the same file: what is open sees it
        assert client.json("/api/v1/position?" + state(board))["value"] is not None
    shutil.rmtree(folder)


def test_beside_a_solver():
    folder = pathlib.Path(tempfile.mkdtemp())
    shutil.copy(DATABASES / "awari" / "slice_00.h5", folder)
    with Server(PROGRAM, folder) as server:
        client = Client(server)
        solver = subprocess.Popen([PROGRAM, "solve", "--seeds", "11", "--db", folder, "--progress", "none"],
                                  stdout=subprocess.PIPE, text=True)
        seen = set()
        while solver.poll() is None:
            seen.add(client.json("/api/v1/database")["complete_up_to"])
            client.json("/api/v1/position?" + state(START))
        assert "b9e86557" in solver.stdout.read() and solver.returncode == 0
        time.sleep(1.1)
        assert client.json("/api/v1/database")["complete_up_to"] == 11 and seen
    shutil.rmtree(folder)


chosen = sys.argv[3:] or [name for name in globals() if name.startswith("test_")]
for name in chosen:
    begin = time.monotonic()
    globals()[name]()
    print(f"{name}: passed in {time.monotonic() - begin:.1f} s", flush=True)
