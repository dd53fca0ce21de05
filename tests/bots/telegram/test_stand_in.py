"""The stand-in refuses what Telegram refuses, in Telegram's words."""

import json
import struct
import threading
import urllib.error
import urllib.request
import zlib

import pytest

ANA = {"id": 7, "is_bot": False, "first_name": "Ana", "language_code": "en"}
GROUP = -1001


def png(width=100, height=60, padding=0):
    def chunk(kind, content):
        whole = kind + content
        return struct.pack(">I", len(content)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", b"\0" * padding) + chunk(b"IEND", b"")


class Client:
    def __init__(self, telegram):
        self.telegram = telegram

    def __call__(self, method, token=None, files=None, **fields):
        fields = {k: v if isinstance(v, str) else json.dumps(v) for k, v in fields.items()}
        url = f"{self.telegram.url}/bot{token or self.telegram.token}/{method}"
        if files:
            body, kind = b"", "multipart/form-data; boundary=edge"
            for name, value in fields.items():
                body += f'--edge\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, content in files.items():
                head = f'--edge\r\nContent-Disposition: form-data; name="{name}"; filename="f"\r\n'
                body += head.encode() + b"Content-Type: image/png\r\n\r\n" + content + b"\r\n"
            body += b"--edge--\r\n"
        else:
            body, kind = json.dumps(fields).encode(), "application/json"
        request = urllib.request.Request(url, body, {"Content-Type": kind})
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["result"]
        except urllib.error.HTTPError as error:
            refused = json.load(error)
            assert refused["ok"] is False and refused["error_code"] == error.code
            return error.code, refused["description"], refused.get("parameters")

    def photo(self, content, **fields):
        return self("sendPhoto", chat_id=GROUP, files={"photo": content}, **fields)


@pytest.fixture
def call(telegram):
    telegram.group(GROUP)
    return Client(telegram)


def markup(*buttons):
    return {"inline_keyboard": [list(buttons)]}


def test_tokens_methods_and_chats(call, telegram):
    assert call("getMe")["username"] == telegram.username
    assert call("getMe", token="1:no")[:2] == (401, "Unauthorized")
    assert call("getNothing")[0] == 404
    assert call("sendMessage", chat_id=-5, text="?")[:2] == (400, "Bad Request: chat not found")
    telegram.throws_out(GROUP)
    assert call("sendMessage", chat_id=GROUP, text="?")[0] == 403


@pytest.mark.parametrize(
    "text, accepted",
    [("", False), ("é" * 4096, True), ("é" * 4097, False), ("😀" * 2049, False)],
)
def test_texts(call, text, accepted):
    assert isinstance(call("sendMessage", chat_id=GROUP, text=text), dict) == accepted


def test_captions_and_their_tags(call):
    assert call.photo(png(), caption="c" * 1024)["photo"]
    assert call.photo(png(), caption="c" * 1025)[1] == "Bad Request: message caption is too long"
    sent = call.photo(png(), caption='<a href="tg://user?id=7">Ana &amp; co</a>', parse_mode="HTML")
    assert sent["caption"] == "Ana & co"
    for wrong in ("<p>no</p>", "<b>open", "</b>", "1 < 2"):
        assert "can't parse entities" in call.photo(png(), caption=wrong, parse_mode="HTML")[1]


def test_pictures(call):
    assert call.photo(png(9000, 1000))["photo"][0]["width"] == 9000
    assert call.photo(png(9000, 1001))[1] == "Bad Request: PHOTO_INVALID_DIMENSIONS"
    assert call.photo(png(2001, 100))[1] == "Bad Request: PHOTO_INVALID_DIMENSIONS"
    assert call.photo(b"GIF89a")[1] == "Bad Request: IMAGE_PROCESS_FAILED"
    assert call.photo(png(padding=10 * 1024 * 1024))[0] == 413
    assert call("sendPhoto", chat_id=GROUP)[0] == 400


@pytest.mark.parametrize(
    "button, accepted",
    [
        ({"text": "1", "callback_data": "é" * 32}, True),
        ({"text": "1", "callback_data": "é" * 32 + "!"}, False),
        ({"text": "1", "callback_data": ""}, False),
        ({"text": "", "callback_data": "x"}, False),
        ({"text": "1"}, False),
        ({"text": "1", "url": "https://t.me/share/url?url=x"}, True),
        ({"text": "1", "url": "no address"}, False),
    ],
)
def test_buttons(call, button, accepted):
    sent = call("sendMessage", chat_id=GROUP, text="!", reply_markup=markup(button))
    assert isinstance(sent, dict) == accepted


def test_at_most_a_hundred_buttons(call):
    button = {"text": "1", "callback_data": "x"}
    assert call("sendMessage", chat_id=GROUP, text="!", reply_markup=markup(*[button] * 100))["reply_markup"]
    assert call("sendMessage", chat_id=GROUP, text="!", reply_markup=markup(*[button] * 101))[0] == 400


def test_edits(call):
    sent = call.photo(png(), reply_markup=markup({"text": "1", "callback_data": "x"}))
    place = {"chat_id": GROUP, "message_id": sent["message_id"]}
    assert "reply_markup" not in call("editMessageReplyMarkup", **place)
    assert "message is not modified" in call("editMessageReplyMarkup", **place)[1]
    media = {"type": "photo", "media": "attach://p", "caption": "new"}
    assert call("editMessageMedia", files={"p": png()}, media=media, **place)["caption"] == "new"
    assert "message is not modified" in call("editMessageMedia", files={"p": png()}, media=media, **place)[1]
    assert call("editMessageMedia", files={"p": b"?"}, media=media, **place)[0] == 400
    assert call("deleteMessage", **place) is True
    assert call("editMessageReplyMarkup", **place)[1] == "Bad Request: message to edit not found"


def test_a_press_is_answered_once_and_in_time(call, telegram):
    sent = call(
        "sendMessage", chat_id=GROUP, text="!", reply_markup=markup({"text": "1", "callback_data": "x"})
    )
    query = telegram.presses(ANA, GROUP, sent["message_id"], "x")
    assert call("answerCallbackQuery", callback_query_id=query, text="t" * 201)[0] == 400
    assert call("answerCallbackQuery", callback_query_id=query, text="t" * 200) is True
    assert "query is too old" in call("answerCallbackQuery", callback_query_id=query)[1]
    assert "query is too old" in call("answerCallbackQuery", callback_query_id="999")[1]
    telegram.patience = 0
    query = telegram.presses(ANA, GROUP, sent["message_id"], "x")
    assert "query is too old" in call("answerCallbackQuery", callback_query_id=query)[1]


def test_updates_stay_until_confirmed(call, telegram):
    first, second = telegram.says(ANA, GROUP, "/one"), telegram.says(ANA, GROUP, "/two")
    assert [u["update_id"] for u in call("getUpdates")] == [first, second]
    assert [u["update_id"] for u in call("getUpdates", limit=1)] == [first]
    assert [u["update_id"] for u in call("getUpdates", offset=second)] == [second]
    assert [u["update_id"] for u in call("getUpdates")] == [second]
    assert call("getUpdates", allowed_updates=["callback_query"]) == []
    assert call("getUpdates", offset=second + 1) == []


def test_the_long_poll_waits_and_is_alone(call, telegram):
    answers = []
    polls = [
        threading.Thread(target=lambda: answers.append(call("getUpdates", timeout=20))) for _ in range(2)
    ]
    polls[0].start()
    telegram.wait(lambda: telegram.poll == 1)
    polls[1].start()
    polls[0].join(10)
    assert answers[0][0] == 409 and "terminated by other getUpdates" in answers[0][1]
    telegram.says(ANA, GROUP, "/now")
    polls[1].join(10)
    assert answers[1][0]["message"]["text"] == "/now"


def test_floods_and_moved_groups(call, telegram):
    telegram.floods(GROUP, 30)
    code, words, parameters = call("sendMessage", chat_id=GROUP, text="!")
    assert code == 429 and 29 <= parameters["retry_after"] <= 31 and "Too Many Requests" in words
    telegram.floods(GROUP, 0)
    assert call("sendMessage", chat_id=GROUP, text="!")["text"] == "!"
    telegram.moves(GROUP, -1002)
    assert call("sendMessage", chat_id=GROUP, text="!")[2] == {"migrate_to_chat_id": -1002}


def test_commands(call, telegram):
    good = {"command": "games", "description": "What is on"}
    assert call("setMyCommands", commands=[good]) is True
    for wrong in (good | {"command": "Games"}, good | {"description": ""}):
        assert call("setMyCommands", commands=[wrong])[0] == 400
