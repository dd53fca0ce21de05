"""What answers tell a browser."""

import json
import re

import stage

NOTHING = "default-src 'none'; frame-ancestors 'none'"
ORIGIN = {"Origin": "https://evil.example"}


async def headers(server, report):
    """Security headers on every kind of answer; what a page of another origin may do."""
    made = json.loads(stage.ask(server.port, "POST", "/v1/games", {"ruleset": "congkak", "visibility": "private"})[2])
    game, token = f"/v1/games/{made['game']['id']}", made["seat_tokens"]["south"]
    public = json.loads(stage.ask(server.port, "POST", "/v1/games", {"ruleset": "congkak"})[2])["game"]["id"]
    plain = ["/", "/docs", "/docs/", "/docs/swagger-ui-bundle.js", "/docs/nothing", "/openapi.json", "/healthz", "/readyz", "/metrics"]
    plain += ["/problems", "/problems/not_found", "/nothing", "/v1/nothing", "/v1/games", "/v1/games?x=1", "/v1/games/7", "/v1/rulesets"]
    plain += [f"/v1/games/{public}{end}" for end in ("", "/moves", "/board.txt", "/board.svg", "/board.png")]
    own = [game + end for end in ("", "/moves", "/board.txt", "/board.svg", "/board.png", "/events?after=0", "/nothing")]
    asked = [("GET", path, None) for path in plain] + [("GET", path, token) for path in own]
    asked += [("POST", "/v1/games", None), ("DELETE", "/v1/games", None), ("GET", "/v1/me", "mp_wrong"), ("OPTIONS", "/v1/games", None)]
    report.sent.append(f"{len(asked)} requests from a page of another origin")
    for method, path, token in asked:
        status, sent, _ = stage.ask(server.port, method, path, token=token, headers=ORIGIN)
        name = f"{method} {path} ({status})"
        value = lambda header: sent.get(header, "")  # noqa: E731
        report.expect(value("x-content-type-options") == "nosniff", f"{name}: no nosniff")
        report.expect(value("referrer-policy") == "no-referrer", f"{name}: no Referrer-Policy")
        report.expect("default-src 'none'" in value("content-security-policy"), f"{name}: no Content-Security-Policy")
        framed = path.endswith("board.svg") and status == 200
        report.expect(framed or "frame-ancestors 'none'" in value("content-security-policy"), f"{name}: may be framed")
        report.expect(not value("server") and not value("x-powered-by"), f"{name}: tells what it is: {value('server')}")
        report.expect(not value("access-control-allow-credentials"), f"{name}: takes credentials of other origins")
        report.expect(not value("set-cookie"), f"{name}: sets a cookie")
        report.expect(bool(value("content-type")) or status in (204, 304, 307), f"{name}: no Content-Type")
        if token:
            report.expect(re.match("private|no-store", value("cache-control")) is not None, f"{name}: {value('cache-control')!r}")
            report.expect("Authorization" in value("vary"), f"{name}: caches do not tell callers apart")
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        asks = {**ORIGIN, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "authorization"}
        status, sent, _ = stage.ask(server.port, "OPTIONS", game, headers=asks)
        allowed = method in sent.get("access-control-allow-methods", "") and status < 300
        report.expect(not allowed, f"a page of another origin may {method}")
    report.answered.append("nosniff, no-referrer, a policy and no leak on each" if not report.wrong else "see below")


ATTACKS = {"headers for browsers": (headers, 80)}
