"""Between clients and servers, and between a server and its PostgreSQL: spreads
connections over what is behind it and cuts them at random bytes, in either direction."""

import asyncio
import random


class Proxy:
    """`share` of the connections are cut, each after a number of bytes drawn for it;
    `means` are the averages of these numbers, of requests and of answers."""

    def __init__(self, ports, share, seed, means=(1500, 6000)):
        self.ports, self.share, self.means = ports, share, means
        # Ports that are left out, as a balancer leaves out what does not answer.
        self.out = set()
        self.rng = random.Random(f"proxy {seed} {means}")
        self.cuts = {"request": 0, "answer": 0}
        # What is open: the client's side of it and the port of the other.
        self.open = {}
        # Which port a client's connection led to, by its own.
        self.led = {}
        self.server = None

    async def start(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    def cut_all(self, ports=None):
        for writer, port in list(self.open.items()):
            if ports is None or port in ports:
                writer.transport.abort()

    def _budgets(self):
        """How many bytes go through before the cut: of requests, of answers. None of an
        answer: the request is done, and nobody hears of it."""
        if self.rng.random() >= self.share:
            return None, None
        requests, answers = (int(self.rng.expovariate(1 / mean)) for mean in self.means)
        if self.rng.random() < 0.4:
            return requests, None
        return None, self.rng.choice([0, answers])

    async def _serve(self, reader, writer):
        far_writer = None
        self.open[writer] = None
        try:
            ports = [port for port in self.ports if port not in self.out]
            self.rng.shuffle(ports)
            for port in ports:
                try:
                    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
                    self.open[writer] = port
                    self.led[writer.get_extra_info("peername")[1]] = port
                    break
                except OSError:
                    continue
            if far_writer is None or self.open[writer] in self.out:
                return
            requests, answers = self._budgets()
            pumps = [
                asyncio.create_task(self._pump(reader, far_writer, requests, "request")),
                asyncio.create_task(self._pump(far_reader, writer, answers, "answer")),
            ]
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
        finally:
            del self.open[writer]
            for one in (writer, far_writer):
                if one is not None:
                    one.close()

    async def _pump(self, reader, writer, budget, direction):
        """Returns when the connection has ended or is to be cut."""
        try:
            while data := await reader.read(65536):
                if budget is not None and len(data) > budget:
                    writer.write(data[:budget])
                    await writer.drain()
                    self.cuts[direction] += 1
                    return
                writer.write(data)
                await writer.drain()
                if budget is not None:
                    budget -= len(data)
        except OSError:
            pass

    async def stop(self):
        self.server.close()
        self.cut_all()
