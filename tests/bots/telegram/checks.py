"""What Telegram refuses of texts, pictures and buttons, with its words."""

import html.parser
import itertools
import json
import re
import struct

TAGS = {"a", "b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "code", "pre", "tg-spoiler"}


class Refused(Exception):
    """An answer that is not `ok`."""

    def __init__(self, code, description, **parameters):
        super().__init__(description)
        self.code, self.description, self.parameters = code, description, parameters


def bad(description):
    return Refused(400, f"Bad Request: {description}")


class Formatted(html.parser.HTMLParser):
    """Text with `parse_mode` HTML: what is seen, and who is mentioned."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.text, self.open, self.mentioned = "", [], []
        self.feed(source)
        self.close()
        if self.open:
            raise bad(
                f"can't parse entities: Can't find end tag corresponding to start tag \"{self.open[-1]}\""
            )

    def handle_starttag(self, tag, attributes):
        if tag not in TAGS:
            raise bad(f'can\'t parse entities: Unsupported start tag "{tag}"')
        self.open.append(tag)
        if found := re.fullmatch(r"tg://user\?id=(\d+)", dict(attributes).get("href") or ""):
            self.mentioned.append(int(found[1]))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise bad(f'can\'t parse entities: Unexpected end tag "{tag}"')

    def handle_data(self, data):
        if "<" in data:
            raise bad("can't parse entities: Unsupported start tag")
        self.text += data


def units(text):
    """Telegram counts UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def size_of(picture):
    """Width and height of a PNG or a JPEG; None for anything else."""
    if picture[:8] == b"\x89PNG\r\n\x1a\n" and picture[12:16] == b"IHDR" and b"IEND" in picture[-12:]:
        return struct.unpack(">II", picture[16:24])
    if picture[:2] == b"\xff\xd8":
        at = 2
        while at + 9 < len(picture) and picture[at] == 0xFF:
            if 0xC0 <= picture[at + 1] <= 0xC3:
                height, width = struct.unpack(">HH", picture[at + 5 : at + 9])
                return width, height
            at += 2 + struct.unpack(">H", picture[at + 2 : at + 4])[0]
    return None


def check_picture(picture):
    if len(picture) > 10 * 1024 * 1024:
        raise Refused(413, "Request Entity Too Large")
    size = size_of(picture)
    if size is None:
        raise bad("IMAGE_PROCESS_FAILED")
    width, height = size
    if not (width and height) or width + height > 10000 or max(size) > 20 * min(size):
        raise bad("PHOTO_INVALID_DIMENSIONS")


def check_text(text, mode, longest, what):
    """The text as people see it, and whom it mentions."""
    mentioned = []
    if mode == "HTML":
        formatted = Formatted(text)
        text, mentioned = formatted.text, formatted.mentioned
    elif mode:
        raise bad("unsupported parse_mode")
    if units(text) > longest:
        raise bad(f"{what} is too long")
    return text, mentioned


def check_markup(markup):
    if markup is None:
        return None
    markup = json.loads(markup)
    if not isinstance(markup, dict):
        raise bad("object expected as reply markup")
    rows = markup.get("inline_keyboard", [])
    count = 0
    for button in itertools.chain.from_iterable(rows):
        count += 1
        if not button.get("text"):
            raise bad('can\'t parse inline keyboard button: Field "text" must be non-empty')
        if ("callback_data" in button) == ("url" in button):
            raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
        if "callback_data" in button and not 1 <= len(button["callback_data"].encode()) <= 64:
            raise bad("BUTTON_DATA_INVALID")
        if "url" in button and not re.match(r"(https?|tg)://[^\s]+$", button["url"]):
            raise bad(f"inline keyboard button URL '{button['url']}' is invalid")
    if count > 100:
        raise bad("REPLY_MARKUP_TOO_LONG")
    rows = [row for row in rows if row]
    return {"inline_keyboard": rows} if rows else None
