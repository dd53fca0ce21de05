"""A real server, a stand-in for Telegram, and the bot between them as a process."""

import itertools
import json
import os
import pathlib
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

import pytest
from stand_in import Telegram

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "telegram-bot"


class Server:
    """mancala-post with a PostgreSQL of its own, always on the same port."""

    def __init__(self, directory):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{self.address}"
        # A place that PostgreSQL's own account can enter, whoever starts this.
        directory.chmod(0o755)
        self.directory = directory
        self.start()

    def start(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DATABASE_URL")}
        command = [os.environ["MANCALA_PROGRAM"], "--bind", self.address, "--rate-limit", "0"]
        self.process = subprocess.Popen(
            [*command, "--log", "warn", "--data-dir", self.directory / "data"],
            stdout=subprocess.PIPE,
            stderr=open(self.directory / "log", "ab"),
            env=environment,
            text=True,
        )
        for line in self.process.stdout:
            if line.startswith("API"):
                return
        pytest.exit("the server did not start:\n" + (self.directory / "log").read_text())

    def kill(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(60)
        self.process.stdout.close()


@pytest.fixture(scope="session")
def server():
    with tempfile.TemporaryDirectory(prefix="telegram-bot-") as directory:
        server = Server(pathlib.Path(directory))
        yield server
        server.kill(signal.SIGTERM)


@pytest.fixture
def telegram():
    telegram = Telegram(username=f"bot{secrets.token_hex(3)}_bot")
    yield telegram
    telegram.stop()


class Bot:
    """The example, as a process that may be killed at any point."""

    def __init__(self, telegram, server, directory):
        self.telegram, self.server, self.directory = telegram, server, directory
        self.state, self.log = directory / "bot.db", directory / "log"
        self.process, self.killed = None, False

    def start(self):
        environment = os.environ | {
            "TELEGRAM_TOKEN": self.telegram.token,
            "TELEGRAM_API": self.telegram.url,
            "MANCALA_URL": self.server.url,
            "BOT_STATE": str(self.state),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, EXAMPLE / "bot.py"]
        self.process = subprocess.Popen(command, env=environment, stderr=open(self.log, "ab"))
        return self

    def kill(self):
        self.killed = True
        self.process.kill()
        self.process.wait(20)

    def kill_at(self, method, stage, number=1):
        """Kills it at the so-many-th request of that method, before it counts or after."""
        seen = itertools.count(1)

        def hook(name, parameters, now):
            if (name, now) == (method, stage) and next(seen) == number:
                self.telegram.hook = None
                self.kill()
                with self.telegram.changed:
                    self.telegram.changed.notify_all()
                raise ConnectionAbortedError

        self.telegram.hook = hook

    def wait_until_killed(self):
        self.telegram.wait(lambda: self.telegram.hook is None and self.process.poll() is not None)

    def ask(self, path, who=None):
        """The server, with the bot's token."""
        with sqlite3.connect(self.state) as db:
            row = db.execute("SELECT value FROM memory WHERE name = 'token'").fetchone()
        headers = {"Authorization": f"Bearer {json.loads(row[0])}"}
        headers |= {"Mancala-Act-As": f"telegram:{who['id']}"} if who else {}
        request = urllib.request.Request(self.server.url + path, headers=headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def events(self, *types, game=None):
        found = self.ask("/v1/events?after=0&limit=200")["items"]
        return [e for e in found if e["type"] in types and game in (None, e["game_id"])]

    def games(self, who):
        return self.ask("/v1/me/games", who)["items"]


@pytest.fixture
def bot(telegram, server, tmp_path):
    bot = Bot(telegram, server, tmp_path)
    yield bot.start()
    bot.kill()
    print(bot.log.read_text())  # shown when a test fails


people = itertools.count(1001)


def person(name, language="en"):
    number = next(people)
    return {
        "id": number,
        "is_bot": False,
        "first_name": name,
        "username": f"{name.lower()}{secrets.token_hex(3)}",
        "language_code": language,
    }


class Room:
    """A chat with the bot, and what people do there."""

    def __init__(self, telegram, bot, chat=None):
        self.telegram, self.bot = telegram, bot
        self.chat = chat or telegram.group(-1000000000000 - next(people))

    def messages(self):
        return self.telegram.shown(self.chat)

    def open_buttons(self, start, game=""):
        """The buttons of the chat whose data starts so, each with its message."""
        for message in self.telegram.shown(self.chat):
            for button in Telegram.buttons(message):
                data = button.get("callback_data", "")
                if data.startswith(start) and game in data:
                    yield message, data

    def challenge(self, who, command="/congkak 5 1"):
        """Makes a challenge; its message and its game."""
        before = {data for _, data in self.open_buttons("join:")}
        self.telegram.says(who, self.chat, command)

        def there():
            return [b for b in self.open_buttons("join:") if b[1] not in before]

        [(message, data)] = self.telegram.wait(there)
        return message, data.split(":")[1]

    def press(self, who, message, data):
        """Presses and waits for what it says above the chat."""
        query = self.telegram.presses(who, self.chat, message["id"], data)
        return self.answer(query)

    def answer(self, query):
        answers = self.telegram.queries[query]["answers"]
        self.telegram.wait(lambda: answers)
        return answers[0]

    def board(self, game, after_ply=-1):
        """The message whose houses can be chosen, once it shows a later ply than that."""

        def there():
            found = {m["id"]: (m, d) for m, d in self.open_buttons(f"m:{game}:")}
            if len(found) == 1:
                [(message, data)] = found.values()
                return int(data.split(":")[2]) > after_ply and message

        return self.telegram.wait(there)

    def start(self, first, second, command="/congkak 5 1"):
        message, game = self.challenge(first, command)
        self.press(second, message, f"join:{game}")
        self.board(game)
        # When its button is gone, the bot has written down that the board is there.
        self.telegram.wait(lambda: not list(self.open_buttons("join:", game)))
        return game

    def mover(self, message, *players):
        [found] = [player for player in players if player["id"] in message["mentioned"]]
        return found

    def houses(self, message):
        return [
            b["callback_data"] for b in Telegram.buttons(message) if b.get("callback_data", "")[:2] == "m:"
        ]

    def over(self, game):
        return [m for m, _ in self.open_buttons("rematch:", game)]

    def play_on(self, game, players, presses=200):
        """Presses the last house again and again; how often, and whether it is over."""
        ply = -1
        for count in range(presses):

            def next_board():
                if self.over(game):
                    return "over"
                found = {m["id"]: (m, d) for m, d in self.open_buttons(f"m:{game}:")}
                if len(found) == 1:
                    [(message, data)] = found.values()
                    return int(data.split(":")[2]) > ply and message

            board = self.telegram.wait(next_board)
            if board == "over":
                return count
            data = self.houses(board)[-1]
            ply = int(data.split(":")[2])
            self.telegram.presses(self.mover(board, *players), self.chat, board["id"], data)
        return presses

    def is_told_once(self, game, twice=0):
        """Each turn and the end came in one message of its own, and the challenge before.

        With a bot that was killed, people may have played on before a turn was told: then it
        is not told any more.
        """
        # What happens in another chat is told after all that happened here.
        Room(self.telegram, self.bot).start(person("Dewi"), person("Eko"))
        news = self.bot.events("turn.started", "offer.made", "game.finished", game=game)
        texts = [message["text"] for message in self.messages() if message["photo"]]
        again = sum(one == next for one, next in zip(texts, texts[1:]))
        assert again <= twice, self.telegram.in_words()
        assert len(texts) <= 1 + len(news) + twice, self.telegram.in_words()
        if not self.bot.killed:
            assert len(texts) == 1 + len(news), self.telegram.in_words()
        assert len(self.over(game)) == 1, self.telegram.in_words()


@pytest.fixture
def room(telegram, bot):
    return Room(telegram, bot)
