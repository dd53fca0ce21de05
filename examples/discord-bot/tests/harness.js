// What the tests run: a mancala-post server, a slow road to it, and the bot as a process.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = process.env.MANCALA_POST;

export function scratch() {
  const directory = mkdtempSync(join(tmpdir(), "discord-bot-"));
  chmodSync(directory, 0o755); // PostgreSQL's own account has to enter
  return directory;
}

export function freePort() {
  return new Promise((done) => {
    const socket = createSocket().listen(0, "127.0.0.1", () => {
      const { port } = socket.address();
      socket.close(() => done(port));
    });
  });
}

/** A process that says a line when it is ready, and ends when told to. */
export class Process {
  log = "";

  constructor(command, args, options) {
    this.arguments = [command, args, { stdio: ["ignore", "pipe", "pipe"], ...options }];
  }

  async start(ready) {
    this.child = spawn(...this.arguments);
    this.ended = new Promise((done) => this.child.once("close", done));
    this.child.stderr.on("data", (text) => (this.log += text));
    const lines = createInterface({ input: this.child.stdout });
    const found = new Promise((done) =>
      lines.on("line", (line) => {
        this.log += `${line}\n`;
        const match = line.match(ready);
        if (match) done(match);
      }),
    );
    const match = await Promise.race([found, this.ended]);
    if (!Array.isArray(match)) throw new Error(`it did not start: ${this.log}`);
    return match;
  }

  async stop(signal = "SIGTERM") {
    this.child?.kill(signal);
    await this.ended;
  }
}

/** A mancala-post server with a PostgreSQL of its own. */
export class Mancala {
  async start() {
    this.directory ??= scratch();
    this.port ??= await freePort();
    const environment = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(DATABASE_URL|MANCALA_)/.test(name)),
    );
    this.process = new Process(
      program,
      [
        "--bind",
        `127.0.0.1:${this.port}`,
        "--rate-limit",
        "0",
        "--log",
        "warn",
        "--data-dir",
        join(this.directory, "data"),
      ],
      { env: environment },
    );
    [, this.url] = await this.process.start(/^API +(http:\/\/\S+)\/v1\//);
    return this;
  }

  stop(signal) {
    return this.process.stop(signal);
  }

  async end() {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A request of the test's own, as the bot or as somebody it plays for. */
  async ask(method, path, { token, as, body } = {}) {
    const headers = { "Content-Type": "application/json" };
    if (token) headers.Authorization = `Bearer ${token}`;
    if (as) headers["Mancala-Act-As"] = as;
    const answer = await fetch(this.url + path, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    return answer.json();
  }
}

/** A road to the server that takes its time: `delay(method, path)` in milliseconds. */
export class Road {
  delay = () => 0;
  passed = [];

  async start(to) {
    this.server = createServer((incoming, response) => {
      const chunks = [];
      incoming.on("data", (chunk) => chunks.push(chunk));
      incoming.on("end", () => {
        this.passed.push(`${incoming.method} ${incoming.url}`);
        setTimeout(
          () => {
            const { method, url: path, headers } = incoming;
            const on = request(to() + path, { method, headers }, (answer) => {
              response.writeHead(answer.statusCode, answer.rawHeaders);
              answer.pipe(response);
            });
            on.on("error", () => response.destroy());
            response.on("close", () => on.destroy());
            on.end(Buffer.concat(chunks));
          },
          this.delay(incoming.method, incoming.url),
        );
      });
    });
    await new Promise((ready) => this.server.listen(0, "127.0.0.1", ready));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(closed));
  }
}

/** The bot, as `npm start` runs it. */
export class Bot {
  constructor(discord, mancalaUrl, more = {}) {
    this.discord = discord;
    this.directory = scratch();
    this.environment = {
      PATH: process.env.PATH,
      DISCORD_API: discord.url,
      DISCORD_APPLICATION_ID: discord.applicationId,
      DISCORD_PUBLIC_KEY: discord.publicKey,
      DISCORD_TOKEN: discord.botToken,
      MANCALA_URL: mancalaUrl,
      STATE: join(this.directory, "state.json"),
      ...more,
    };
  }

  run(file) {
    return new Process(process.execPath, [join(here, file)], { env: this.environment });
  }

  async register() {
    const register = this.run("register.js");
    await register.start(/registered/);
    await register.ended;
  }

  async start() {
    this.environment.PORT ??= `${await freePort()}`;
    this.process = this.run("bot.js");
    const [, url] = await this.process.start(/listening on (\S+)/);
    await this.discord.setEndpoint(url);
    return this;
  }

  stop(signal = "SIGTERM") {
    return this.process.stop(signal);
  }

  get state() {
    return JSON.parse(readFileSync(this.environment.STATE));
  }

  async end() {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
