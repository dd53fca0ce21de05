"""What schemathesis cannot know of this interface.

Every check is on. `EXCUSES` names the refusals that a well-formed request may
meet for a reason that no schema can state; whatever is not on that list fails.
"""

import json
import os
import re
import urllib.request
import uuid

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

# (code of the problem, its parameter, its detail) as patterns, and the reason.
EXCUSES = [
    ("bad_(rules|start)", ".*", ".*", "a position or a set of rules is more than its JSON's shape"),
    ("bad_invitation", "opponent", ".*", "the player must exist and be somebody else"),
    ("illegal_move", ".*", ".*", "what is legal depends on the board"),
    ("lines_part", ".*", ".*", "where lines may part depends on whose choice it is"),
    ("key_reused", ".*", ".*", "a key stands for the first request that it came with"),
    ("bad_request", "cursor|after", ".*", "cursors are opaque: only those that the server gave are good"),
    ("bad_request", "expires_at", "lies in the past", "which moment that is depends on the clock"),
    ("bad_webhook_url", "url", ".*", "a URL that messages may be sent to is more than a URL"),
    ("bad_request", "until", "lies in the past", "which moment that is depends on the clock"),
    ("bad_request", "all", "cannot stand beside", "one game and all of them exclude each other"),
    ("bad_request", "status", "cannot stand beside", "the two filters exclude each other"),
    ("bad_request", "ruleset", "no such ruleset", "which there are is asked at /v1/rulesets"),
    ("bad_request", "ruleset", "needs it", "a position is one of some rules"),
    ("bad_request", "rules|position|reached", ".*", "rules and positions are more than their texts' shape"),
    ("bad_request", "play", "in place of", "a position and a way to it exclude each other"),
    ("bad_request", "player", "no such player", "which there are, who knows"),
    ("bad_request", "(created|ended)_(since|before)", "must be a time", "no pattern knows which days there are"),
    ("bad_request", "Idempotency-Key", "22 random characters", "only without a token"),
    ("bad_request", ".*", r"floating point `-?\d+\.0`", "an integer is written without a fraction"),
]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure stays one."""
    ndjson = response.headers.get("content-type", [""])[0].startswith("application/x-ndjson")
    if ndjson and not response.content:
        return False  # The document describes a line, and there is none.
    if not isinstance(failure, RejectedPositiveData):
        return True
    problem = json.loads(response.content)
    found = (problem["code"], problem.get("parameter", ""), problem["detail"])
    return not any(
        all(re.search(pattern if i == 2 else f"(?s)^(?:{pattern})$", text) for i, (pattern, text) in enumerate(zip(excuse, found)))
        for excuse in EXCUSES
    )


@schemathesis.deserializer("application/x-ndjson")
def ndjson(context, response):
    """A list of lines: the document describes one of them."""
    lines = [json.loads(line) for line in response.content.splitlines()]
    return lines[0] if lines else None


TOKEN = os.environ["CONTRACT_TOKEN"]
OWN_TOKENS = os.environ["CONTRACT_OWN_TOKENS"].split()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps the run's own token alive: with it gone everything would be 401. A long
    poll is asked for, but not for longer than the run waits for an answer. Webhooks
    lead nowhere."""
    wait = str((case.query or {}).get("wait"))
    if wait.isdecimal() and int(wait) <= 60:
        case.query["wait"] = min(int(wait), 1)
    if (case.path_parameters or {}).get("token_id") in OWN_TOKENS:
        case.path_parameters["token_id"] = str(uuid.uuid4())
    # What the server sends is to reach nobody: such a name leads nowhere (RFC 2606).
    if isinstance(case.body, dict) and "://" in str(case.body.get("url")):
        case.body["url"] = "https://webhook.invalid/" + uuid.uuid4().hex


class Caller:
    """Whom the requests come from: the holder of this run's token."""

    def get(self, case, context):
        leaves = case.method == "DELETE" and case.operation.path == "/v1/me"
        return newcomer(case) if leaves else TOKEN

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


if TOKEN:
    schemathesis.auth(refresh_interval=None)(Caller)


def newcomer(case):
    """Whoever leaves is somebody new each time, so that the run's player stays."""
    body = json.dumps({"name": "leaver-" + uuid.uuid4().hex[:12]}).encode()
    url = case.operation.base_url.rstrip("/") + "/v1/players"
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["secret"]


@schemathesis.hook
def after_call(context, case, response):
    """Notes what was answered, for the table at the end."""
    with open(os.environ["CONTRACT_ANSWERS"], "a", encoding="utf-8") as answers:
        answers.write(f"{response.status_code} {case.operation.label}\n")
