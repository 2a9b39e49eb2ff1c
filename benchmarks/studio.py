"""How quick the studio is: time to the first pose, round trips, late frames, memory under random messages.

``python -m benchmarks.studio`` starts ``mocapella studio`` on this machine, twice: without and with what an earlier
start has kept. ``--seconds`` is how long the point is moved, ``--flood`` how long random messages are sent.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from websockets.asyncio.client import connect

from benchmarks.pose_frames import unpack_frame

WANTED = {"first pose": 3.0, "round trip p50": 5.0, "round trip p95": 15.0, "late": 1.0}


class Server:
    """A studio in a process of its own."""

    def __init__(self, cache: str) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mocapella", "studio", "--port", "0", "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "MOCAPELLA_CACHE": cache, "MOCAPELLA_PROJECTS": cache},
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.socket = self.address.replace("http", "ws") + "ws"

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(20)

    @property
    def memory(self) -> float:
        """Resident memory, MB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    @property
    def cpu(self) -> float:
        """Seconds of processor time."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def connected(server: Server):
    while True:
        try:
            return await connect(server.socket, max_size=None)
        except OSError:
            await asyncio.sleep(0.02)


async def steered(server: Server, seconds: float) -> dict[str, float]:
    """Move the point 60 times a second, and time the poses that answer."""
    socket = await connected(server)
    joints: dict[int, int] = {}
    first = 0.0
    sent: dict[int, float] = {}
    took: list[float] = []
    arrived: list[float] = []

    async def steer() -> None:
        begin, i = time.perf_counter(), 0
        while time.perf_counter() - begin < seconds:
            i += 1
            at = [20 * math.sin(i / 60), 1.25 + 0.25 * math.sin(i / 97)]
            sent[i] = time.perf_counter()
            await socket.send(json.dumps({"type": "point", "seq": i, "at": at}))
            await asyncio.sleep(max(0.0, begin + i / 60 - time.perf_counter()))
        await socket.close()

    task = None
    async for message in socket:
        now = time.perf_counter()
        if isinstance(message, str):
            if message.startswith('{"type":"body"'):
                body = json.loads(message)
                joints[body["id"]] = len(body["joints"])
            continue
        acknowledged, _, _ = unpack_frame(message, joints)
        if task is None:
            first = now - server.began
            task = asyncio.create_task(steer())
        else:
            arrived.append(now)
        for number in [one for one in sent if one <= acknowledged]:
            moment = sent.pop(number)
            if number == acknowledged:
                took.append(1000.0 * (now - moment))
    took.sort()
    gaps = [b - a for a, b in itertools.pairwise(arrived)]
    return {
        "first pose": first,
        "round trip p50": took[len(took) // 2],
        "round trip p95": took[int(0.95 * len(took))],
        "late": 100.0 * sum(gap > 2.0 / 60.0 for gap in gaps) / max(len(gaps), 1),
        "frames per second": len(arrived) / max(arrived[-1] - arrived[0], 1e-9),
    }


async def flooded(server: Server, seconds: float) -> dict[str, float]:
    """Send 1,000 random messages a second, well formed and not, and watch the memory."""
    socket = await connected(server)
    chance = random.Random(0)
    words = ["point", "steer", "step", "scrub", "ping", "undo", "move_node", "set_harmonics", "nothing", "trigger"]

    async def read() -> None:
        async for _ in socket:
            pass

    reader = asyncio.create_task(read())
    begin, count, before = time.perf_counter(), 0, 0.0
    while (passed := time.perf_counter() - begin) < seconds:
        if not before and passed > 0.3 * seconds:
            before = server.memory  # caches have filled
        kind = chance.random()
        if kind < 0.4:
            text = bytes(chance.randrange(256) for _ in range(chance.randrange(60))).decode("latin-1")
        elif kind < 0.7:
            text = json.dumps(
                {"type": chance.choice(words), "seq": chance.randrange(-5, 10**6), "at": [chance.gauss(0, 9)]}
            )
        else:
            text = json.dumps({"type": "point", "seq": count, "at": [chance.gauss(0, 20), chance.gauss(1.2, 0.4)]})
        await socket.send(text)
        count += 1
        if count % 20 == 0:
            await asyncio.sleep(max(0.0, begin + count / 1000 - time.perf_counter()))
    await socket.send(json.dumps({"type": "ping", "seq": 1}))
    after = server.memory
    reader.cancel()
    await socket.close()
    return {"messages per second": count / seconds, "memory": after, "memory gained": after - before}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--flood", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        with Server(cache) as server:
            cold = asyncio.run(steered(server, 1.0))["first pose"]
            time.sleep(8.0)  # until the whole network is kept
        with Server(cache) as server:
            figures = asyncio.run(steered(server, options.seconds))
            figures["processor share"] = 100.0 * server.cpu / (time.perf_counter() - server.began)
            if options.flood:
                figures |= asyncio.run(flooded(server, options.flood))
    units = {"late": "%", "processor share": "%", "memory": "MB", "memory gained": "MB", "frames per second": "Hz"}
    print(f"{'first pose, nothing kept':28s} {cold:9.2f} s      wanted ≤ 3")
    for name, value in figures.items():
        unit = units.get(name, "s" if name == "first pose" else "ms" if "round" in name else "/s")
        wanted = f"wanted < {WANTED[name]:g}" if name in WANTED else ""
        print(f"{name:28s} {value:9.2f} {unit:6s} {wanted}")
    print(f"load of this machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
