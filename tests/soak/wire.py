"""As much of PostgreSQL's protocol (version 3, no password) as a bystander needs: to
hold connections and locks, and to look at the tables when all is over."""

import asyncio
import struct


class Refused(Exception):
    """PostgreSQL said no; the text of its error."""


class Session:
    """One connection."""

    @classmethod
    async def open(cls, port, user, database, limit=10):
        self = cls()
        async with asyncio.timeout(limit):
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
            parameters = f"user\0{user}\0database\0{database}\0\0".encode()
            self.writer.write(struct.pack("!ii", len(parameters) + 8, 196608) + parameters)
            try:
                await self._until_ready()
            except BaseException:
                self.close()
                raise
        return self

    async def query(self, sql, limit=60):
        """The rows of one statement, every value as text or None."""
        text = sql.encode() + b"\0"
        self.writer.write(b"Q" + struct.pack("!i", len(text) + 4) + text)
        async with asyncio.timeout(limit):
            return await self._until_ready()

    async def _until_ready(self):
        rows, error = [], None
        while True:
            kind = await self.reader.readexactly(1)
            (length,) = struct.unpack("!i", await self.reader.readexactly(4))
            body = await self.reader.readexactly(length - 4)
            if kind == b"D":
                rows.append(_values(body))
            elif kind == b"E":
                fields = [part.decode(errors="replace") for part in body.split(b"\0") if part]
                error = " ".join(part[1:] for part in fields if part[0] in "CM")
                if self._is_fatal(fields):
                    raise Refused(error)
            elif kind == b"Z":
                if error:
                    raise Refused(error)
                return rows

    @staticmethod
    def _is_fatal(fields):
        return any(part[0] == "V" and part[1:] in ("FATAL", "PANIC") for part in fields)

    def close(self):
        self.writer.transport.abort()


def _values(body):
    (count,) = struct.unpack_from("!h", body)
    place, values = 2, []
    for _ in range(count):
        (length,) = struct.unpack_from("!i", body, place)
        place += 4
        if length < 0:
            values.append(None)
            continue
        values.append(body[place : place + length].decode())
        place += length
    return values
