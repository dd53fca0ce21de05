"""A small Telegram for tests: the Bot API on this machine, refusing what Telegram refuses.

It follows https://core.telegram.org/bots/api for the methods that a bot of games needs: sizes
of texts, captions, pictures and buttons, presses that are answered once and in time, updates
that stay until they are confirmed, one poller at a time, floods, chats that the bot was thrown
out of. Errors have Telegram's form.

A test holds a `Telegram` and speaks for the people: `says`, `presses`, `shown`. `wait` waits for
something to be so, without asking again and again.
"""

import email.parser
import email.policy
import http.server
import itertools
import json
import re
import threading
import time
import urllib.parse

from checks import bad, check_markup, check_picture, check_text, Refused, size_of


class Chat:
    def __init__(self, chat, kind, title):
        self.id, self.kind, self.title = chat, kind, title
        self.messages = {}
        self.closed = None  # why the bot may not write here
        self.flood_until = 0

    def as_json(self):
        return {"id": self.id, "type": self.kind, "title": self.title}


class Telegram:
    """The servers of Telegram, all of them."""

    def __init__(self, token="123456:a-token-of-a-bot", username="kampung_bot", patience=15):
        self.token, self.username, self.patience = token, username, patience
        self.changed = threading.Condition(threading.RLock())
        self.chats, self.updates, self.queries = {}, [], {}
        self.update_ids, self.message_ids = itertools.count(1000), itertools.count(1)
        self.query_ids, self.polls = itertools.count(1), itertools.count(1)
        self.confirmed, self.poll, self.allowed = 0, 0, None
        self.calls, self.refused = [], []
        # For tests: called as hook(method, parameters, "before" or "after") of each request.
        self.hook = None
        handler = type("Handler", (Handler,), {"telegram": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        with self.changed:
            self.poll = -1
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()

    # What a test does in people's place.

    def group(self, chat, title="Kampung"):
        self.chats[chat] = Chat(chat, "supergroup", title)
        return chat

    def private(self, person):
        """A person who has pressed Start."""
        self.chats[person["id"]] = Chat(person["id"], "private", None)
        return person["id"]

    def says(self, person, chat, text):
        with self.changed:
            entities = []
            if found := re.match(r"/\w+(@\w+)?", text):
                entities = [{"type": "bot_command", "offset": 0, "length": len(found[0])}]
            message = {"message_id": next(self.message_ids), "date": int(time.time())}
            message |= {
                "chat": self.chats[chat].as_json(),
                "from": person,
                "text": text,
                "entities": entities,
            }
            return self.update("message", message)

    def presses(self, person, chat, message, data):
        """Presses the button with that data, or that label. The message must have it."""
        with self.changed:
            shown = self.chats[chat].messages[message]
            found = [b for b in self.buttons(shown) if data in (b.get("callback_data"), b["text"])]
            assert found, f"{data}: no such button under {shown}"
            return self.press_that_is_on_its_way(person, chat, message, found[0]["callback_data"])

    def press_that_is_on_its_way(self, person, chat, message, data):
        """A press of a button that was taken off meanwhile."""
        with self.changed:
            query = str(next(self.query_ids))
            self.queries[query] = {"pressed": time.monotonic(), "answers": []}
            content = {"id": query, "from": person, "chat_instance": "1", "data": data}
            self.update("callback_query", content | {"message": self.chats[chat].messages[message]["json"]})
            return query

    def update(self, kind, content):
        with self.changed:
            update = {"update_id": next(self.update_ids), kind: content}
            self.updates.append(update)
            self.changed.notify_all()
            return update["update_id"]

    def throws_out(self, chat):
        self.chats[chat].closed = "bot was kicked from the supergroup chat"

    def floods(self, chat, seconds):
        self.chats[chat].flood_until = time.monotonic() + seconds

    def shown(self, chat):
        """The bot's messages in a chat, oldest first."""
        with self.changed:
            return [m for _, m in sorted(self.chats[chat].messages.items()) if m["by_bot"]]

    @staticmethod
    def buttons(message):
        markup = message["markup"] or {"inline_keyboard": []}
        return list(itertools.chain.from_iterable(markup["inline_keyboard"]))

    def wait(self, condition, timeout=60):
        """Until it is so; what it then was."""
        with self.changed:
            found = self.changed.wait_for(condition, timeout)
            assert found, f"it never came to that; shown:\n{self.in_words()}"
            return found

    def in_words(self):
        """What all chats show, for whoever looks why a test failed."""
        lines = []
        for chat in self.chats:
            for message in self.shown(chat):
                buttons = " ".join(f"[{button['text']}]" for button in self.buttons(message))
                lines.append(f"{chat} {message['id']}: {message['text']!r} {buttons}")
        return "\n".join(lines)

    # The Bot API.

    def call(self, method, parameters, files):
        with self.changed:
            self.calls.append((method, parameters))
            self.changed.notify_all()
            does = getattr(self, f"on_{method.lower()}", None)
            if does is None:
                raise Refused(404, "Not Found")
            result = does(parameters, files)
            self.changed.notify_all()
            return result

    def me(self):
        return {
            "id": int(self.token.split(":")[0]),
            "is_bot": True,
            "first_name": "Bot",
            "username": self.username,
        }

    def on_getme(self, parameters, files):
        return self.me()

    def on_getupdates(self, parameters, files):
        offset, limit = int(parameters.get("offset", 0)), int(parameters.get("limit", 100))
        if "allowed_updates" in parameters:
            self.allowed = json.loads(parameters["allowed_updates"]) or None
        self.poll = mine = next(self.polls)
        self.changed.notify_all()  # whoever polls already is sent away
        if offset < 0:
            self.updates = self.updates[offset:]
        else:  # what lies before the offset is confirmed, and gone
            self.updates = [update for update in self.updates if update["update_id"] >= offset]
        self.confirmed = max(self.confirmed, offset)

        def waiting():
            return [u for u in self.updates if not self.allowed or set(u) & set(self.allowed)]

        timeout = float(parameters.get("timeout", 0))
        self.changed.wait_for(lambda: waiting() or self.poll != mine, timeout)
        if self.poll != mine:
            raise Refused(
                409,
                "Conflict: terminated by other getUpdates request; "
                "make sure that only one bot instance is running",
            )
        return waiting()[:limit]

    def chat_of(self, parameters):
        chat = self.chats.get(int(parameters.get("chat_id") or 0))
        if chat is None:
            raise bad("chat not found")
        if chat.closed:
            raise Refused(403, f"Forbidden: {chat.closed}")
        rest = chat.flood_until - time.monotonic()
        if rest > 0:
            self.refused.append((chat.id, chat.flood_until))  # twice the same: it did not wait
            seconds = int(rest) + 1
            raise Refused(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)
        return chat

    def put(self, chat, message, content):
        """Writes a message, new or anew."""
        what = {"message_id": message, "date": int(time.time()), "chat": chat.as_json(), "from": self.me()}
        if content["photo"] is not None:
            size = size_of(content["photo"])
            photo = {"file_id": "f", "file_unique_id": "u", "width": size[0], "height": size[1]}
            what |= {"photo": [photo], "caption": content["text"]}
        else:
            what["text"] = content["text"]
        if content["markup"]:
            what["reply_markup"] = content["markup"]
        chat.messages[message] = content | {"id": message, "by_bot": True, "json": what}
        return what

    def on_sendmessage(self, parameters, files):
        chat = self.chat_of(parameters)
        if not parameters.get("text", "").strip():
            raise bad("message text is empty")
        text, mentioned = check_text(parameters["text"], parameters.get("parse_mode"), 4096, "message")
        markup = check_markup(parameters.get("reply_markup"))
        content = {"text": text, "mentioned": mentioned, "photo": None, "markup": markup, "edits": 0}
        return self.put(chat, next(self.message_ids), content)

    def on_sendphoto(self, parameters, files):
        chat = self.chat_of(parameters)
        photo = files.get("photo")
        if photo is None:
            raise bad("there is no photo in the request")
        check_picture(photo)
        mode = parameters.get("parse_mode")
        text, mentioned = check_text(parameters.get("caption", ""), mode, 1024, "message caption")
        markup = check_markup(parameters.get("reply_markup"))
        content = {"text": text, "mentioned": mentioned, "photo": photo, "markup": markup, "edits": 0}
        return self.put(chat, next(self.message_ids), content)

    def edited(self, parameters, change):
        chat = self.chat_of(parameters)
        message = int(parameters.get("message_id") or 0)
        if message not in chat.messages:
            raise bad("message to edit not found")
        if not chat.messages[message]["by_bot"]:
            raise bad("message can't be edited")
        content = {k: v for k, v in chat.messages[message].items() if k not in ("id", "by_bot", "json")}
        change["markup"] = check_markup(parameters.get("reply_markup"))
        if all(content[key] == value for key, value in change.items()):
            raise bad(
                "message is not modified: specified new message content and reply markup "
                "are exactly the same as a current content and reply markup of the message"
            )
        return self.put(chat, message, content | change | {"edits": content["edits"] + 1})

    def on_editmessagereplymarkup(self, parameters, files):
        return self.edited(parameters, {})

    def on_editmessagemedia(self, parameters, files):
        media = json.loads(parameters.get("media", "{}"))
        name = media.get("media", "").removeprefix("attach://")
        if media.get("type") != "photo" or name not in files:
            raise bad("wrong type of media")
        check_picture(files[name])
        text = check_text(media.get("caption", ""), media.get("parse_mode"), 1024, "message caption")
        return self.edited(parameters, {"photo": files[name], "text": text[0], "mentioned": text[1]})

    def on_deletemessage(self, parameters, files):
        chat = self.chat_of(parameters)
        if chat.messages.pop(int(parameters.get("message_id") or 0), None) is None:
            raise bad("message to delete not found")
        return True

    def on_answercallbackquery(self, parameters, files):
        if len(parameters.get("text", "")) > 200:
            raise bad("MESSAGE_TOO_LONG")
        query = self.queries.get(parameters.get("callback_query_id"))
        if not query or query["answers"] or time.monotonic() - query["pressed"] > self.patience:
            raise bad("query is too old and response timeout expired or query ID is invalid")
        query["answers"].append(parameters.get("text", ""))
        query["after"] = time.monotonic() - query["pressed"]
        return True


class Handler(http.server.BaseHTTPRequestHandler):
    """HTTP around it."""

    telegram: Telegram
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def parameters(self):
        """The fields and files of the request, in any of the forms that Telegram takes."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = self.headers.get("Content-Type", "")
        fields = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        files = {}
        if kind.startswith("multipart/form-data"):
            head = f"Content-Type: {kind}\r\n\r\n".encode()
            parser = email.parser.BytesParser(policy=email.policy.HTTP)
            for part in parser.parsebytes(head + body).iter_parts():
                name, content = part.get_param("name", header="content-disposition"), part.get_payload(
                    decode=True
                )
                if part.get_filename():
                    files[name] = content
                else:
                    fields[name] = content.decode()
        elif kind.startswith("application/json"):
            sent = json.loads(body or b"{}")
            fields |= {k: v if isinstance(v, str) else json.dumps(v) for k, v in sent.items()}
        else:
            fields |= dict(urllib.parse.parse_qsl(body.decode()))
        return fields, files

    def do_POST(self):
        telegram = self.telegram
        try:
            parameters, files = self.parameters()
            found = re.match(r"/bot([^/]+)/(\w+)", self.path)
            if not found:
                raise Refused(404, "Not Found")
            if found[1] != telegram.token:
                raise Refused(401, "Unauthorized")
            method = found[2]
            if telegram.hook:
                telegram.hook(method, parameters, "before")
            answer = {"ok": True, "result": telegram.call(method, parameters, files)}
            if telegram.hook:
                telegram.hook(method, parameters, "after")
            code = 200
        except Refused as refused:
            code = refused.code
            answer = {"ok": False, "error_code": code, "description": refused.description}
            if refused.parameters:
                answer["parameters"] = refused.parameters
        except ConnectionAbortedError:  # by a test's hook
            self.close_connection = True
            return
        content = json.dumps(answer).encode()
        try:
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    do_GET = do_POST
