"""The commands of the pages, typed as they stand there, and a first game."""

import os
import re
import shutil
import signal
import subprocess

import pytest
from conftest import EXAMPLE, ROOT, Bot, Room, person
from stand_in import Telegram

# Each page: where one stands when one reads it, and the part of it.
PAGES = [
    (ROOT / "docs" / "chat-bots.md", ".", r"## A bot for Telegram\n.*?(?=\n## )"),
    (EXAMPLE / "README.md", "examples/telegram-bot", ".*"),
]


@pytest.mark.parametrize("page, directory, part", PAGES, ids=["docs", "readme"])
def test_from_nothing_to_a_game(server, tmp_path, page, directory, part):
    text = re.search(part, page.read_text(), re.DOTALL)[0]
    lines = [line.strip() for line in re.findall(r"(?<=```console\n).*?(?=```)", text, re.DOTALL)]
    commands = re.sub(r"^ *\$ ", "", "\n".join(lines), flags=re.MULTILINE)
    commands = commands.replace("http://127.0.0.1:8080", server.url)
    token = re.search(r"TELEGRAM_TOKEN=(\S+)", commands)[1]
    shutil.copytree(
        EXAMPLE, tmp_path / "examples" / "telegram-bot", ignore=shutil.ignore_patterns("venv", "bot.db*")
    )
    telegram = Telegram(token=token)
    environment = os.environ | {"API": server.url, "TELEGRAM_API": telegram.url}
    typed = subprocess.Popen(
        ["bash", "-euc", commands], cwd=tmp_path / directory, env=environment, start_new_session=True
    )
    try:
        telegram.wait(lambda: telegram.poll or typed.poll() is not None, timeout=180)
        bot = Bot(telegram, server, tmp_path)
        bot.state = tmp_path / "examples" / "telegram-bot" / "bot.db"
        room, ana, budi = Room(telegram, bot), person("Ana"), person("Budi")
        game = room.start(ana, budi)
        room.play_on(game, (ana, budi), presses=3)
        telegram.wait(lambda: bot.ask(f"/v1/games/{game}", ana)["ply"] == 3 or room.over(game))
    finally:
        os.killpg(typed.pid, signal.SIGKILL)
        typed.wait(20)
        telegram.stop()


def test_it_is_short():
    """Under 250 lines of code: without blank ones, comments and docstrings."""
    text = (EXAMPLE / "bot.py").read_text()
    assert max(map(len, text.splitlines())) <= 100
    code = re.sub(r'^ *"""(?!,).*?"""$', "", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in code.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) < 250, len(lines)
