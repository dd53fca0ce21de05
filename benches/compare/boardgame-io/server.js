// boardgame.io as its documentation sets it up, on the database of DATABASE_URL's parts.
const { Server } = require('boardgame.io/server');
const { PostgresStore } = require('bgio-postgres');
const { Congkak } = require('./game.js');

const [host, database] = process.argv.slice(2);
// As many connections as mancala-post takes, where the default would be five; and no
// statement printed, as it would be by default.
const db = new PostgresStore({ host, database, username: 'bench', logging: false, pool: { max: 16 } });
const server = Server({ games: [Congkak], db, origins: [] });
server.run(0).then(({ appServer }) => console.log(`listens on http://127.0.0.1:${appServer.address().port}/`));
