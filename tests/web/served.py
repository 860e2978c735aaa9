"""A running `awele serve` for tests, and ways to speak to it."""
import contextlib
import http.client
import json
import re
import signal
import socket
import subprocess


class Server:
    """awele serve on a free port of the loopback, ended with the context."""

    def __init__(self, awele, db, *options):
        self.process = subprocess.Popen([awele, "serve", "--db", str(db), "--port", "0", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://localhost:(\d+)/", line)
        if not found:
            self.process.kill()
            raise AssertionError(f"the server did not start: {line}{self.process.stdout.read()}")
        self.port = int(found.group(1))
        self.address = f"http://localhost:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, seconds=10):
        """By SIGTERM; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(seconds)
        self.process.kill()
        raise AssertionError(f"the server did not end within {seconds} s of SIGTERM")

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def raw(self, request, seconds=10):
        """Sends bytes and returns all that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as link:
            with contextlib.suppress(ConnectionError):
                link.sendall(request)
            answer = b""
            with contextlib.suppress(ConnectionError):
                while part := link.recv(65536):
                    answer += part
            return answer

    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) * 1024


class Client:
    """One connection that is kept."""

    def __init__(self, server):
        self.link = server.connection()

    def ask(self, path, method="GET", body=None, headers=None):
        """(status, headers, body)"""
        self.link.request(method, path, body, headers or {})
        response = self.link.getresponse()
        return response.status, response.headers, response.read()

    def json(self, path, method="GET", body=None):
        status, _, text = self.ask(path, method, body)
        assert status == 200, (path, status, text)
        return json.loads(text)

    def values(self, boards):
        answer = self.json("/api/v1/positions", "POST", json.dumps({"boards": boards}))
        return [each.get("value", each.get("error")) for each in answer["values"]]


def state(board, stores=(0, 0), **more):
    query = f"board={','.join(map(str, board))}&stores={stores[0]},{stores[1]}"
    return query + "".join(f"&{name}={value}" for name, value in more.items())
