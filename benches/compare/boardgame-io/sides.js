// The two servers as the load sees them. Each makes games, opens a client's line, and
// says a move in a game, which is done when the state after it has arrived.
const net = require('node:net');
const { io } = require('socket.io-client');
const { view } = require('./game.js');

// HTTP over one connection that stays, one request at a time. Own, because the load
// shares the cores with the servers and Node's client costs more than the rest of it.
class Line {
  constructor(port) {
    this.socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    this.received = Buffer.alloc(0);
    this.socket.on('data', (bytes) => this.take(bytes));
    this.socket.on('error', (cause) => this.waiting?.reject(cause));
    this.socket.on('close', () => this.waiting?.reject(new Error('the connection was closed')));
  }

  take(bytes) {
    this.received = Buffer.concat([this.received, bytes]);
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)[1]);
    if (this.received.length < end + 4 + length) return;
    const body = this.received.toString('utf8', end + 4, end + 4 + length);
    this.received = Buffer.alloc(0);
    const { resolve, reject } = this.waiting;
    this.waiting = null;
    if (/^HTTP\/1.1 20[01] /.test(head)) resolve(JSON.parse(body));
    else reject(new Error(`${head}\n${body}`));
  }

  post(path, body, token) {
    const json = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
          (token ? `Authorization: Bearer ${token}\r\n` : '') +
          `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
      );
    });
  }

  close() {
    this.socket.destroy();
  }
}

const SEATS = ['south', 'north'];

exports.Post = class {
  name = 'mancala-post';

  constructor(port) {
    this.port = port;
  }

  line() {
    return new Line(this.port);
  }

  async make(line) {
    const { game, seat_tokens: tokens } = await line.post('/v1/games', { ruleset: 'congkak' });
    const path = `/v1/games/${game.id}/moves`;
    return { path, tokens, ply: game.ply, state: this.state(game) };
  }

  state(game) {
    const rows = SEATS.map((seat) => game.board[seat]);
    return {
      houses: rows.map((row) => row.houses),
      stores: rows.map((row) => row.store),
      mover: game.result ? null : SEATS.indexOf(game.to_move[0]),
      winner: game.result?.winner,
    };
  }

  async move(line, made, number) {
    const token = made.tokens[SEATS[made.state.mover]];
    const { game } = await line.post(made.path, { after_ply: made.ply, house: number }, token);
    made.ply = game.ply;
    made.state = this.state(game);
  }

  drop() {}
};

// socket.io-client said directly: boardgame.io's own client would play each move a
// second time in the load before it hears of the server's.
exports.Boardgame = class {
  name = 'boardgame.io';

  constructor(port) {
    this.port = port;
  }

  // For making games; each game's moves have a socket of their own.
  line() {
    return new Line(this.port);
  }

  async make(line) {
    const { matchID } = await line.post('/games/congkak/create', { numPlayers: 2 });
    const credentials = [];
    for (const playerID of ['0', '1']) {
      const joined = await line.post(`/games/congkak/${matchID}/join`, { playerID, playerName: SEATS[playerID] });
      credentials.push(joined.playerCredentials);
    }
    const socket = io(`http://127.0.0.1:${this.port}/congkak`, { transports: ['websocket'], forceNew: true });
    const made = { matchID, credentials, socket };
    await new Promise((resolve, reject) => {
      socket.on('connect', () => socket.emit('sync', matchID, '0', credentials[0], 2));
      socket.on('connect_error', reject);
      socket.on('disconnect', () => made.refuse?.(new Error('the socket was closed')));
      socket.on('sync', (_, { state }) => {
        this.see(made, state);
        // The server enters the client after it has answered; it says this then.
        socket.once('matchData', resolve);
      });
    });
    socket.on('update', (_, state) => {
      // An illegal choice brings the state as it was.
      if (state._stateID !== made.stateID + 1) return made.refuse(new Error('the move was not made'));
      this.see(made, state);
      made.done();
    });
    return made;
  }

  see(made, { G, ctx, _stateID }) {
    made.stateID = _stateID;
    const over = ctx.gameover;
    made.state = { ...view(G.cells), mover: over ? null : Number(ctx.currentPlayer), winner: over?.winner };
  }

  // A stale choice is not answered at all: the caller watches the time.
  move(_, made, number) {
    const playerID = String(made.state.mover);
    const payload = { type: 'sow', args: [number], playerID, credentials: made.credentials[playerID] };
    return new Promise((resolve, reject) => {
      made.done = resolve;
      made.refuse = reject;
      made.socket.emit('update', { type: 'MAKE_MOVE', payload }, made.stateID, made.matchID, playerID);
    });
  }

  drop(made) {
    made.refuse = null;
    made.socket.disconnect();
  }
};
