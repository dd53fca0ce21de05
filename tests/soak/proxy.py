"""Between clients and servers: spreads connections over the servers and cuts them at
random bytes, in either direction."""

import asyncio
import random


class Proxy:
    """`share` of the connections are cut, each after a number of bytes drawn for it."""

    def __init__(self, ports, share, seed):
        self.ports, self.share = ports, share
        self.rng = random.Random(f"proxy {seed}")
        self.cuts = {"request": 0, "answer": 0}
        self.open = set()
        self.server = None

    async def start(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    def cut_all(self):
        for writer in list(self.open):
            writer.transport.abort()

    def _budgets(self):
        """How many bytes go through before the cut: of requests, of answers. None of an
        answer: the request is done, and nobody hears of it."""
        if self.rng.random() >= self.share:
            return None, None
        if self.rng.random() < 0.4:
            return int(self.rng.expovariate(1 / 1500)), None
        return None, self.rng.choice([0, int(self.rng.expovariate(1 / 6000))])

    async def _serve(self, reader, writer):
        far_writer = None
        self.open.add(writer)
        try:
            ports = self.rng.sample(self.ports, len(self.ports))
            for port in ports:
                try:
                    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
                    break
                except OSError:
                    continue
            if far_writer is None:
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
            self.open.discard(writer)
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
