/** Only what cannot be avoided, on node:http with nothing in between. */
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { canonicalize } from "../../packages/protocol/dist/index.js";
import { openSqlite } from "./sqlite.mjs";

const [folder, text] = process.argv.slice(2);
const { headers, body } = JSON.parse(text);
const bytes = Buffer.from(body);
const { signing, ...card } = JSON.parse(body);
const { envelope_signature: _removed, ...dates } = signing;
const { privateKey } = generateKeyPairSync("ed25519");
const db = openSqlite(join(folder, "gatehouse.db"));
const point = db.prepare("SELECT * FROM sites WHERE site_key_hash = ?");

/** One canonical text, one signature over it, and the signature put in its place; or that twice. */
function signed(row, times) {
  const whole = {
    ...card,
    name: row.name,
    signing: { ...dates, issued_at: new Date().toISOString() },
  };
  let text = "";
  for (let i = 0; i < times; i++) {
    text = canonicalize(whole);
    const signature = sign(null, Buffer.from(text), privateKey).toString("base64url");
    text = text.replace('"signing":{', () => `"signing":{"envelope_signature":"${signature}",`);
  }
  return Buffer.from(text);
}

const lengthAt = headers.indexOf("content-length") + 1;
const headersFor = ({ length }) => headers.with(lengthAt, String(length));

const server = createServer((request, response) => {
  const times = { "sign-once": 1, "sign-twice": 2 }[request.url.split("/")[1]];
  const answer =
    times === undefined
      ? bytes
      : signed(point.get(/([\w-]{43})\.json$/.exec(request.url)[1]), times);
  response.writeHead(200, times === undefined ? headers : headersFor(answer));
  response.end(answer);
});
server.listen(0, "127.0.0.1", () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}` }),
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
