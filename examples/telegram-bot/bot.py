"""Congkak and Al-manqala in Telegram: a bot between Telegram and a mancala-post server.

It polls both, and writes down how far it is only after a thing is handled. What a crash repeats
is harmless: the server plays a choice once, a key makes one game, a chat knows what it was told.
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
from telegram import Bot, InlineKeyboardButton as Button, InlineKeyboardMarkup, InputMediaPhoto
from telegram.error import BadRequest, Conflict, Forbidden, NetworkError, RetryAfter

TERMS = {"opponent": {"invite": True}, "visibility": "private", "clock": {"per_move": 259200}}
# Told in a new message, so that a phone rings. Anything else changes the last one.
NEWS = ("turn.started", "offer.made", "deadline.near", "game.finished", "game.aborted")
WORDS = json.loads(pathlib.Path(__file__).with_name("words.json").read_text("utf-8"))
os.environ["PTB_TIMEDELTA"] = "true"  # the library shall say spans of time as timedelta
bot = Bot(os.environ["TELEGRAM_TOKEN"], os.getenv("TELEGRAM_API", "https://api.telegram.org/bot"))
http = httpx.AsyncClient(base_url=os.getenv("MANCALA_URL", "http://127.0.0.1:8080"))
showing = asyncio.Lock()  # both sides show boards
db = sqlite3.connect(os.getenv("BOT_STATE", "bot.db"))
db.execute("CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
# The token, the offset and the cursor; what `play` makes for a game; each person's language.
memory = {name: json.loads(value) for name, value in db.execute("SELECT name, value FROM memory")}

def keep(name: str, value) -> None:
    memory[name] = value
    with db:
        db.execute("REPLACE INTO memory VALUES (?, ?)", (name, json.dumps(value)))

def say(word: str, who: str) -> str:
    return WORDS[word][memory.get(who, "en")]

async def ask(method: str, path: str, who="", key="", body=None, **params) -> httpx.Response:
    """Asks the server, for `who`. It is always safe to ask the same again."""
    headers = {"Mancala-Act-As": who, "Idempotency-Key": key}
    headers = {name: value for name, value in headers.items() if value}
    request = {"params": params | {"lang": memory.get(who, "en")}, "headers": headers, "json": body}
    answer = await http.request(method, path, **request, timeout=params.get("wait", 0) + 10)
    if answer.status_code in (429, 502, 503, 504) or b"key_running" in answer.content:
        raise RetryAfter(int(answer.headers.get("Retry-After", 1)))
    return answer

async def insist(call, *args):
    """Does it until both sides answer: better a board twice than a board not at all."""
    while True:
        try:
            return await call(*args)
        except BadRequest:
            raise  # for the library it is a NetworkError, but it would be refused again
        except RetryAfter as busy:  # either side
            await asyncio.sleep(busy.retry_after.total_seconds())
        except (httpx.TransportError, NetworkError, Conflict) as problem:
            logging.warning("%r", problem)
            await asyncio.sleep(1)

async def person(user) -> str:
    """Makes the player of a Telegram user, or finds it again."""
    who = f"telegram:{user.id}"
    name = user.username or f"{user.first_name[:16]}-{user.id % 10000}"
    name = re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")[:24]
    for body in ({"name": name}, {}):  # it may be taken; without one the server makes one up
        if (await ask("PUT", f"/v1/managed-players/{who}", body=body)).is_success:
            break
    return who

async def join(user, game: str) -> httpx.Response:
    token = {"invite_token": memory.get(game, {}).get("invite", "-")}
    return await ask("POST", f"/v1/games/{game}/join", await person(user), body=token)

def reason(reply: httpx.Response, who: str) -> str | None:
    """What to say to whoever asked for it; the server has it in their language."""
    said = reply.json()
    if reply.status_code in (403, 404):
        return say("stranger", who)
    return said.get("title") or said.get("row", {}).get("summary")

def keyboard(state: dict, who: str, private: bool, turn: bool) -> InlineKeyboardMarkup:
    def button(word: str, data: str) -> Button:
        return Button(say(word, who), callback_data=data)

    game, actions = state["id"], state["actions"]
    houses = [Button(str(m["house"]), callback_data=m["action"]) for m in state["legal_moves"]]
    rows = [houses[:8], houses[8:]] if turn else []  # Telegram has room for eight in a row
    rows += [[button(do, offer[do]) for do in ("accept", "decline")] for offer in actions["offers"]]
    if actions["resign"]:
        rows += [[button("draw", f"draw:{game}"), button("resign", actions["resign"])]]
    elif state["status"] == "open":  # in private nobody else is there to press
        link = f"https://t.me/share/url?url=https://t.me/{bot.username}?start={game}"
        invite = Button(say("invite", who), url=link)
        rows += [[invite if private else button("join", f"join:{game}")]]
    return InlineKeyboardMarkup([row for row in rows if row])

async def caption(state: dict, who: str, mover: str | None, since: str) -> str:
    """Who plays, what has happened since then, and whose turn it is, as the server says it."""
    path, host = f"/v1/games/{state['id']}", state["invitation"] and state["invitation"]["from"]
    south, north = (seat["player"] if seat else "…" for seat in state["seats"].values())
    lines = [f"{state['ruleset'].capitalize()}: {host['player'] if host else south} – {north}"]
    events = (await ask("GET", f"{path}/events", who, after=since)).json()["items"]
    # A move made this very moment is told with the next board.
    told = [e for e in events if e["type"] != "game.created" and e["ply"] <= state["ply"]]
    lines += [e["data"]["summary"] for e in told[-6:]]
    lines += (await ask("GET", f"{path}/board.txt", who)).text.strip().split("\n\n")[1:]
    lines = [html.escape(line) for line in lines]
    if mover:  # linked to a person it makes the phone ring in a muted group, too
        lines[-1] = f'<a href="tg://user?id={mover.split(":")[1]}">{lines[-1]}</a>'
    return "\n".join(lines)

async def show(game: str, event: dict | None = None, new: bool = False) -> None:
    """Shows a game as it is now in its chats: in a new message, or in the last one."""
    async with showing:
        path, here, people = f"/v1/games/{game}", memory[game], memory[game]["people"]
        state = (await ask("GET", path, people["host"])).json()
        if event and state["ply"] > event["ply"]:
            return  # the event of a later ply shows the board
        mover = people.get(state["to_move"][0]) if state["to_move"] else None
        here["on"] = state["status"] not in ("finished", "aborted")
        private = int(here["chat"]) > 0  # then each person has it in a chat, whose id is theirs
        for chat in {who.split(":")[1] for who in people.values()} if private else {here["chat"]}:
            old, told = here["boards"].get(chat, (None, "0"))
            if event and new and told == event["id"]:
                continue  # the bot was killed amid this
            who = f"telegram:{chat}" if private else mover or people["host"]
            picture = (await ask("GET", f"{path}/board.png", who)).content
            board = {"caption": await caption(state, who, mover, told), "parse_mode": "HTML"}
            buttons = keyboard(state, who, private, who == mover)
            try:
                if new or not old:
                    sent = await bot.send_photo(chat, picture, reply_markup=buttons, **board)
                    here["boards"][chat] = [sent.message_id, event["id"] if event else told]
                    keep(game, here)  # killed just before it, the bot sends the board again
                    if old:
                        await bot.edit_message_reply_markup(chat, old)
                else:
                    media = InputMediaPhoto(picture, **board)
                    await bot.edit_message_media(media, chat, old, reply_markup=buttons)
            except (BadRequest, Forbidden) as problem:  # thrown out, say: the other chats go on
                logging.warning("chat %s: %s", chat, problem)

async def press(query, key: str) -> None:
    verb, game, *_ = query.data.split(":")
    who, message = f"telegram:{query.from_user.id}", query.message
    if verb == "join":
        reply = await join(query.from_user, game)
    elif verb == "draw":
        reply = await ask("POST", f"/v1/games/{game}/offers", who, key, {"kind": "draw"})
    else:
        reply = await ask("POST", "/v1/actions", who, body={"action": query.data})
    said = reply.json()
    with suppress(BadRequest):  # too late, or the second time
        await query.answer(reason(reply, who))
    if "confirm" in said:
        sure = Button(say("sure", who), callback_data=said["confirm"])
        rows = message.reply_markup.inline_keyboard
        rows = [[sure if old.callback_data == query.data else old for old in row] for row in rows]
        await query.edit_message_reply_markup(InlineKeyboardMarkup(rows))
    elif said.get("code") in ("stale_ply", "game_over", "offer_closed"):  # a board that was
        with suppress(BadRequest):
            await query.edit_message_reply_markup()
        await show(game)  # if it was the last one, its buttons are back

async def play(message, words: list[str], key: str) -> None:
    """A challenge: /congkak, or /congkak 5 3 for five houses with three seeds each."""
    who = await person(message.from_user)
    ruleset = "congkak" if message.text.startswith("/congkak") else "al-manqala"
    rules = dict(zip(("houses", "seeds"), (int(word) for word in words if word.isdigit())))
    terms = TERMS | {"ruleset": ruleset, "rules": rules}
    made = (await ask("POST", "/v1/games", who, key, terms)).json()
    if "game" not in made:
        return await message.reply_text(made["detail"])
    game, chat = made["game"]["id"], str(message.chat_id)
    # Its people, by seat; its boards, by chat: the last message, and the event that it told.
    here = {"chat": chat, "people": {"host": who}, "boards": {}, "invite": made["invite_token"]}
    memory.setdefault(game, here)
    await show(game)

async def games(message, words: list[str], key: str) -> None:
    """Brings the boards down of the games that are on in the chat."""
    for game, here in list(memory.items()):
        if isinstance(here, dict) and str(message.chat_id) in here["boards"] and here.get("on"):
            await insist(show, game, None, True)  # one by one: a flood repeats none

async def help(message, words: list[str], key: str) -> None:
    """Also what /start says, unless it brings the game of an invitation along."""
    who, invited = f"telegram:{message.from_user.id}", words and words[0] in memory
    text = reason(await join(message.from_user, words[0]), who) if invited else say("help", who)
    if text:
        await message.reply_text(text)

COMMANDS = {"/congkak": play, "/manqala": play, "/games": games, "/help": help, "/start": help}

async def handle(update) -> None:  # from Telegram
    user, key = update.effective_user, f"update {update.update_id}"
    lang = (user.language_code or "en")[:2]
    keep(f"telegram:{user.id}", lang if lang in WORDS["join"] else "en")
    if update.callback_query:
        return await press(update.callback_query, key)
    command, *words = (update.message.text or "-").split()
    if does := COMMANDS.get(command.removesuffix(f"@{bot.username}")):
        await does(update.message, words, key)

async def tell(event: dict) -> None:  # from the server
    game, kind, facts = event["game_id"], event["type"], event["data"]["facts"]
    if game not in memory:
        return  # made elsewhere, or not yet known to `play`, which shows it
    memory[game]["people"] |= {to["seat"]: to["external_ref"] for to in event["for"]}
    keep(game, memory[game])
    # A move without an extra turn is left to what follows it: the next turn, or the end.
    if kind in NEWS or kind == "offer.answered" or facts.get("extra_turn"):
        await show(game, event, new=kind in NEWS)

async def updates() -> list:
    found = await bot.get_updates(memory.get("offset"), None, 50, ["message", "callback_query"])
    return [(update, "offset", update.update_id + 1) for update in found]

async def events() -> list:
    page = await ask("GET", "/v1/events", after=memory.get("cursor", 0), wait=50)
    return [(event, "cursor", event["id"]) for event in page.raise_for_status().json()["items"]]

async def follow(read, handle) -> None:
    while True:
        for item, *place in await insist(read):
            try:
                await insist(handle, item)
            except Exception:
                logging.exception("left out: %.200s", item)
            keep(*place)

async def main() -> None:
    await insist(bot.initialize)
    if "token" not in memory:
        body = {"name": f"{bot.username[:20]}-{os.urandom(3).hex()}", "kind": "bot"}
        signed = await insist(lambda: ask("POST", "/v1/players", body=body))
        keep("token", signed.raise_for_status().json()["secret"])
    http.headers["Authorization"] = f"Bearer {memory['token']}"
    await asyncio.gather(follow(updates, handle), follow(events, tell))

if __name__ == "__main__":
    # Not INFO: httpx would log all addresses, with the token.
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level="WARNING")
    asyncio.run(main())
