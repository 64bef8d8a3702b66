/**
 * What no MCP server of ours can avoid, on node:http with nothing in between: parse the body, send
 * the same bytes; and for a call write one hashed and signed row first, in a batch with whatever
 * else has come meanwhile.
 */
import { generateKeyPairSync, hash, sign } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { openBare, openSqlite } from "./sqlite.mjs";

const [folder, text] = process.argv.slice(2);
const answers = JSON.parse(text);
for (const answer of Object.values(answers)) answer.bytes = Buffer.from(answer.body);

const db = openBare(join(folder, "bare.db"));
const source = openSqlite(join(folder, "gatehouse.db"));
const sql = "SELECT sql FROM sqlite_master WHERE tbl_name = 'audit_records' AND sql IS NOT NULL";
for (const row of source.prepare(sql).all()) db.exec(row.sql);
const [row] = source
  .prepare("SELECT * FROM audit_records WHERE text LIKE '%mcp.tools_call%' LIMIT 1")
  .all();
source.close();
const columns = Object.keys(row);
const insert = db.prepare(
  `INSERT INTO audit_records (${columns}) VALUES (${columns.map(() => "?")})`,
);
const { privateKey } = generateKeyPairSync("ed25519");
let seq = 0;
let queue = [];

function write() {
  const batch = queue;
  queue = [];
  db.exec("BEGIN IMMEDIATE");
  for (let i = 0; i < batch.length; i++) {
    const number = String(seq).padStart(8, "0");
    const digest = hash("sha256", row.text + number);
    const signature = sign(null, Buffer.from(digest), privateKey).toString("base64url");
    // As long, as random and as ordered as the real ones: the indexes have the same work.
    const own = { ...row, seq, sig: signature, prev_hash: digest.slice(8) + number };
    own.record_id = number + row.record_id.slice(8);
    insert.run(...columns.map((name) => own[name]));
    seq++;
  }
  db.exec("COMMIT");
  for (const send of batch) send();
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { method } = JSON.parse(Buffer.concat(chunks));
    const { headers, bytes } = answers[method];
    const send = () => response.writeHead(200, headers).end(bytes);
    if (method !== "tools/call") return send();
    if (queue.push(send) === 1) setImmediate(write);
  });
});
server.listen(0, "127.0.0.1", () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}` }),
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
