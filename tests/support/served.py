"""Runs `trawl serve`, and sends requests to it."""

import http.client
import json
import select
import subprocess
import time
import urllib.parse

import openapi

TIMEOUT_S = 60


class NotServed(AssertionError):
    """A server that ended without printing its address, or before it answered; or one that had to be ended."""

    def __init__(self, process):
        process.kill()
        self.status, self.complaints = process.wait(), process.stderr.read()
        super().__init__(f"no address: {self.complaints.decode(errors='replace')}")


class Served:
    """A server of some traces, during the `with`; `how`: for subprocess.Popen."""

    def __init__(self, trawl, traces, *options, words=("serve", "--quiet", "--no-open"), waits=True, **how):
        self.waits = waits  # until the index is built
        self.words = [str(trawl), *words, *map(str, options), *map(str, traces)]
        self.how = how

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self.how)
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT_S)
        self.address = self.process.stdout.readline().decode().strip() if ready else ""
        if not self.address:
            raise NotServed(self.process)
        parts = urllib.parse.urlsplit(self.address)
        self.host, self.port = parts.hostname, parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]
        if self.waits:
            self.wait_for_index()
        return self

    def wait_for_index(self):
        """A dropped connection says nothing of the server: it may only have had no thread for this one."""
        end_s = time.monotonic() + TIMEOUT_S
        while self.process.poll() is None and time.monotonic() < end_s:
            try:
                if self.ask("ready")[1]["is_ready"]:
                    return
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.01)
        raise NotServed(self.process)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.status = self.process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.status = None
        self.complaints = self.process.stderr.read().decode()

    def request(self, path, headers=None, method="GET", body=None, known=True):
        """(status, headers, body) of one request. `headers` are added or replace default ones."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_S)
        wanted = {"Authorization": f"Bearer {self.token}"} if known else {}
        wanted.update(headers or {})
        try:
            connection.putrequest(method, path, skip_host="Host" in wanted, skip_accept_encoding="Accept-Encoding" in wanted)
            for name, value in wanted.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            reply = connection.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()
        finally:
            connection.close()

    def ask(self, question, **parameters):
        """(status, answer) of a question. What is answered must be documented: the request and the answer."""
        query = urllib.parse.urlencode(parameters)
        status, _, body = self.request(f"/api/v1/{question}?{query}")
        answer = json.loads(body)
        undocumented = [openapi.fault_of_request(question, parameters), openapi.fault_of_answer(question, status, answer)] if status == 200 else []
        assert not any(undocumented), f"docs/serve-api.json: {undocumented}, {query}"
        return status, answer
