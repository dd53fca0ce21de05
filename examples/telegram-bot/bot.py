"""Congkak and Al-manqala in Telegram: a bot between Telegram and a mancala-post server.

It polls both, handles one thing after the other, and only then writes the cursor down that
confirms it. So after a crash the last thing is handled again, and that does no harm: the server
plays a choice once, a key makes a game once, each chat knows what its last board was shown for.
"""

import asyncio
import html
import json
import logging
import os
import pathlib
import re
import sqlite3
from contextlib import suppress

import httpx
from telegram import Bot, InlineKeyboardMarkup, InputMediaPhoto, Update
from telegram import InlineKeyboardButton as Button
from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, NetworkError, RetryAfter

TERMS = {"opponent": {"invite": True}, "visibility": "private", "clock": {"per_move": 259200}}
# Told in a new message, so that a phone rings; and what changes the last one.
NEWS = ("turn.started", "offer.made", "deadline.near", "game.finished", "game.aborted")
EDITS = ("move.played", "offer.answered", "deadline.moved")
WORDS = json.loads(pathlib.Path(__file__).with_name("words.json").read_text("utf-8"))
os.environ["PTB_TIMEDELTA"] = "true"  # the library shall say spans of time as timedelta
api = os.getenv("TELEGRAM_API", "https://api.telegram.org")
bot = Bot(os.environ["TELEGRAM_TOKEN"], f"{api}/bot")
http = httpx.AsyncClient(base_url=os.getenv("MANCALA_URL", "http://127.0.0.1:8080"))
showing = asyncio.Lock()  # both sides show boards
db = sqlite3.connect(os.getenv("BOT_STATE", "bot.db"))
db.execute("CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
memory = {name: json.loads(value) for name, value in db.execute("SELECT name, value FROM memory")}


def keep(**facts) -> None:
    memory.update(facts)
    with db:
        rows = [(name, json.dumps(value)) for name, value in facts.items()]
        db.executemany("REPLACE INTO memory VALUES (?, ?)", rows)


def table(game: str) -> dict:
    """The people at a game, by seat; its chats, each with its last board and what that is for."""
    return memory.setdefault(f"game {game}", {"people": {}, "chats": {}, "told": 0, "over": False})


def language(who: str) -> str:
    return memory.get(f"language {who}", "en")


async def ask(method: str, path: str, who="", key="", json=None, **params) -> httpx.Response:
    """Asks the server, for `who`. It is always safe to ask the same again."""
    headers = {"Mancala-Act-As": who} if who else {}
    headers |= {"Idempotency-Key": key} if key else {}
    request = {"params": params | {"lang": language(who)}, "headers": headers, "json": json}
    answer = await http.request(method, path, **request, timeout=params.get("wait", 0) + 10)
    if answer.status_code in (429, 503) or b"key_running" in answer.content:
        await asyncio.sleep(int(answer.headers.get("Retry-After", 1)))
        raise httpx.TransportError("the server is busy")
    return answer


async def insist(call, *args):
    """Does it until both sides answer.

    When Telegram's answer gets lost nobody knows whether a message was sent. It is sent again:
    better a board that is there twice than one that somebody waits for.
    """
    while True:
        try:
            return await call(*args)
        except RetryAfter as flood:
            await asyncio.sleep(flood.retry_after.total_seconds())
        except (httpx.TransportError, NetworkError, ChatMigrated, Conflict) as problem:
            logging.warning("%r", problem)
            if isinstance(problem, BadRequest):
                raise
            await asyncio.sleep(1)


async def person(user) -> str:
    """Makes the player of a Telegram user, or finds it again."""
    who = f"telegram:{user.id}"
    name = re.sub(r"[^A-Za-z0-9_]+", "-", user.username or user.first_name).strip("-")[:24]
    # A name may be taken, or have no Latin letter. Without one the server makes one up.
    for body in ({"name": name}, {"name": f"{name}-{user.id % 10000}"}, {}):
        if (await ask("PUT", f"/v1/managed-players/{who}", json=body)).is_success:
            break
    return who


async def join(user, game: str, chat: int) -> httpx.Response:
    async with showing:  # no board is shown before it is known that this chat has it, too
        token = {"invite_token": table(game).get("invite", "-")}
        reply = await ask("POST", f"/v1/games/{game}/join", await person(user), json=token)
        if reply.is_success:
            table(game)["chats"].setdefault(str(chat), [None, None])
            keep(**{f"game {game}": table(game)})
        return reply


def title(state: dict) -> str:
    seats = [(seat in state["to_move"], state["seats"][seat]) for seat in ("south", "north")]
    names = [("▸ " if turn else "") + (seat["player"] if seat else "…") for turn, seat in seats]
    if state["invitation"]:  # no seat is drawn yet
        names = [state["invitation"]["from"]["player"], "…"]
    return f"{state['ruleset'].capitalize()}: {' – '.join(names)}"


def reason(reply: httpx.Response, who: str) -> str | None:
    """What to say to whoever asked for it; the server has it in their language."""
    said = reply.json()
    if reply.status_code in (403, 404):
        return WORDS["stranger"][language(who)]
    if said.get("code") == "not_your_turn":
        return title(said["game"])
    return said.get("title") or said.get("row", {}).get("summary")


def keyboard(state: dict, chat: int, lang: str, turn: bool) -> InlineKeyboardMarkup:
    def button(word: str, data: str) -> Button:
        return Button(WORDS[word][lang], callback_data=data)

    game, actions, status = state["id"], state["actions"], state["status"]
    houses = [Button(str(m["house"]), callback_data=m["action"]) for m in state["legal_moves"]]
    rows = [houses[:8], houses[8:]] if turn else []  # Telegram has room for eight in a row
    rows += [[button(do, offer[do]) for do in ("accept", "decline")] for offer in actions["offers"]]
    if actions["resign"]:
        rows += [[button("draw", f"draw:{game}"), button("resign", actions["resign"])]]
    elif status == "finished" and not state["next_game"]:
        rows += [[button("rematch", f"rematch:{game}")]]
    elif status == "open" and chat < 0:
        rows += [[button("join", f"join:{game}")]]
    elif status == "open":  # in private nobody else is there to press
        link = f"https://t.me/share/url?url=https://t.me/{bot.username}?start={game}"
        rows += [[Button(WORDS["invite"][lang], url=link)]]
    return InlineKeyboardMarkup([row for row in rows if row])


async def show(game: str, key: str, new: bool = True, event: dict | None = None) -> None:
    """Shows a game as it is now in all its chats: as a new message, or in the last one.

    `key` is what it is shown for; a chat that has seen that is left out. One gap cannot be
    closed: killed after Telegram took a message and before `keep`, the bot sends it once more.
    """
    async with showing:
        path, here, since = f"/v1/games/{game}", table(game), table(game)["told"]
        someone, *_ = here["people"].values()
        state = (await ask("GET", path, someone)).json()
        if event and state["ply"] > event["ply"]:
            return  # the event of a later ply shows the board
        mover = here["people"].get(state["to_move"][0]) if state["to_move"] else None
        here["over"] = state["status"] in ("finished", "aborted")
        for chat in table(state["previous_game"])["chats"]:  # a rematch is where its game was
            here["chats"].setdefault(chat, [None, None])
        for chat, (old, shown_for) in list(here["chats"].items()):
            if shown_for == key:
                continue
            who = f"telegram:{chat}" if int(chat) > 0 else mover or someone
            events = (await ask("GET", f"{path}/events", who, after=since)).json()
            told = [e["data"]["summary"] for e in events["items"] if e["type"] != "game.created"]
            lines = [title(state), *told[-6:]]
            lines += (await ask("GET", f"{path}/board.txt", who)).text.strip().split("\n\n")[1:]
            lines = [html.escape(line) for line in lines]
            if mover:  # linked to a person it makes the phone ring in a muted group, too
                lines[-1] = f'<a href="tg://user?id={mover.split(":")[1]}">{lines[-1]}</a>'
            picture = (await ask("GET", f"{path}/board.png", who)).content
            board = {"caption": "\n".join(lines), "parse_mode": "HTML"}
            buttons = keyboard(state, int(chat), language(who), who == mover)
            try:
                if new or not old:
                    sent = await bot.send_photo(chat, picture, reply_markup=buttons, **board)
                    here["chats"][chat] = [sent.message_id, key]
                    here["told"] = event["id"] if event else since
                    keep(**{f"game {game}": here})
                    if old:
                        await bot.edit_message_reply_markup(chat, old)
                else:
                    media = InputMediaPhoto(picture, **board)
                    await bot.edit_message_media(media, chat, old, reply_markup=buttons)
            except ChatMigrated as moved:  # a group that grew has another id, and no board
                here["chats"].pop(chat)
                here["chats"][str(moved.new_chat_id)] = [None, None]
                raise
            except (BadRequest, Forbidden) as problem:  # thrown out, say: the other chats go on
                logging.warning("chat %s: %s", chat, problem)
                if not new and "edit not found" in str(problem):  # somebody deleted it
                    here["chats"][chat] = [None, None]
                    raise NetworkError("a new board instead") from problem


async def press(query, key: str) -> None:
    verb, game, *_ = query.data.split(":")
    who, message = f"telegram:{query.from_user.id}", query.message
    if verb == "show":
        table(game)["chats"].setdefault(str(message.chat.id), [None, None])
        with suppress(BadRequest):
            await query.answer()
        return await show(game, key)
    try:
        if verb == "join":
            reply = await join(query.from_user, game, message.chat.id)
        elif verb in ("draw", "rematch"):
            reply = await ask("POST", f"/v1/games/{game}/offers", who, key, {"kind": verb})
        else:
            reply = await ask("POST", "/v1/actions", who, json={"action": query.data})
    except httpx.TransportError:  # Telegram takes no answer that comes much later
        with suppress(BadRequest):
            await query.answer(WORDS["wait"][language(who)])
        raise
    said = reply.json()
    with suppress(BadRequest):  # too late, or the second time
        await query.answer(reason(reply, who))
    if "confirm" in said:
        sure = Button(WORDS["sure"][language(who)], callback_data=said["confirm"])
        rows = message.reply_markup.inline_keyboard
        rows = [[sure if old.callback_data == query.data else old for old in row] for row in rows]
        await query.edit_message_reply_markup(InlineKeyboardMarkup(rows))
    elif said.get("code") in ("stale_ply", "game_over", "offer_closed"):  # a board that was
        with suppress(BadRequest):
            await query.edit_message_reply_markup()
        await show(game, key, new=False)  # if it was the last one, its buttons are back


async def play(message, words: list[str], key: str) -> None:
    """A challenge: /congkak, or /congkak 5 3 for five houses with three seeds each."""
    who, chat = await person(message.from_user), str(message.chat_id)
    ruleset = "congkak" if message.text.startswith("/congkak") else "al-manqala"
    rules = dict(zip(("houses", "seeds"), (int(word) for word in words if word.isdigit())))
    terms = TERMS | {"ruleset": ruleset, "rules": rules}
    made = (await ask("POST", "/v1/games", who, f"{key} {chat}", terms)).json()
    if "game" not in made:
        return await message.reply_text(made["detail"])
    here = table(made["game"]["id"])
    here["people"]["host"], here["invite"] = who, made["invite_token"]
    here["chats"].setdefault(chat, [None, None])
    await show(made["game"]["id"], key)


async def games(message, words: list[str], key: str) -> None:
    """What is on in the group; in private, what the person plays. A button brings the board."""
    chat, who, states = message.chat_id, f"telegram:{message.from_user.id}", []
    for name, here in list(memory.items()):
        people = [] if not name.startswith("game ") or here["over"] else [*here["people"].values()]
        if people and (who in people if chat > 0 else str(chat) in here["chats"]):
            states.append((await ask("GET", f"/v1/games/{name[5:]}", people[0])).json())
    rows = [[Button(title(state), callback_data=f"show:{state['id']}")] for state in states[-20:]]
    text = WORDS["games" if states else "none"][language(who)]
    await message.reply_text(text, reply_markup=InlineKeyboardMarkup(rows))


async def help(message, words: list[str], key: str) -> None:
    """Also what /start says, unless it brings the game of an invitation along."""
    who = f"telegram:{message.from_user.id}"
    text = "\n".join(f"/{name} – {WORDS[name][language(who)]}" for name in COMMANDS)
    if words and f"game {words[0]}" in memory:
        text = reason(await join(message.from_user, words[0], message.chat_id), who)
    if text:
        await message.reply_text(text)


COMMANDS = {"congkak": play, "manqala": play, "games": games, "help": help}


async def handle(update: Update) -> None:
    """Something from Telegram."""
    user, key = update.effective_user, f"update {update.update_id}"
    lang = (user.language_code or "en")[:2]
    keep(**{f"language telegram:{user.id}": lang if lang in WORDS["join"] else "en"})
    if update.callback_query:
        return await press(update.callback_query, key)
    command, *words = (update.message.text or "-").split()
    command = command.removesuffix(f"@{bot.username}").replace("/start", "/help")
    if command[0] == "/" and command[1:] in COMMANDS:
        await COMMANDS[command[1:]](update.message, words, key)


async def tell(event: dict) -> None:
    """Something from the server."""
    game, kind, facts = event["game_id"], event["type"], event["data"]["facts"]
    table(game)["people"] |= {to["seat"]: to["external_ref"] for to in event["for"]}
    keep(**{f"game {game}": table(game)})
    # The first turn shows a new game, and the next turn a move that ends one.
    if kind in NEWS or kind in EDITS and facts.get("extra_turn") is not False:
        await show(game, f"event {event['id']}", kind in NEWS, event)


async def updates() -> list:
    found = await bot.get_updates(memory.get("offset"), None, 50, ["message", "callback_query"])
    return [(update, {"offset": update.update_id + 1}) for update in found]


async def events() -> list:
    page = await ask("GET", "/v1/events", after=memory.get("cursor", 0), wait=50)
    return [(event, {"cursor": event["id"]}) for event in page.raise_for_status().json()["items"]]


async def follow(read, handle) -> None:
    while True:
        for item, facts in await insist(read):
            try:
                await insist(handle, item)
            except Exception:
                logging.exception("left out: %.200s", item)
            keep(**facts)


async def main() -> None:
    await insist(bot.initialize)
    if "token" not in memory:
        body = {"name": f"{bot.username[:20]}-{os.urandom(3).hex()}", "kind": "bot"}
        signed = await insist(lambda: ask("POST", "/v1/players", json=body))
        keep(token=signed.raise_for_status().json()["secret"])
    http.headers["Authorization"] = f"Bearer {memory['token']}"
    await insist(bot.delete_webhook)
    for lang in WORDS["join"]:
        commands = [(name, WORDS[name][lang]) for name in COMMANDS]
        await insist(bot.set_my_commands, commands, None, lang.replace("en", ""))
    await asyncio.gather(follow(updates, handle), follow(events, tell))


if __name__ == "__main__":
    # Not INFO: httpx would log all addresses, with the token.
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level="WARNING")
    asyncio.run(main())
