/**
 * The bare parts of an approved mandate, on node:http with nothing in between: the body parsed, one
 * signature verified, the record hashed and signed, the same rows written in the same batches, the
 * same bytes sent. Rules, limits, replay, checks and proofs are not in it.
 */
import { createPrivateKey, createPublicKey, hash, sign, verify } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { bareRows } from "./bare-rows.mjs";
import { openBare } from "./sqlite.mjs";

const [folder, text] = process.argv.slice(2);
const { ddl, steps, upserts, headers, body, agentJwk, logJwk } = JSON.parse(text);
const BATCH_MAX = 256;

const db = openBare(join(folder, "bare.db"));
for (const sql of ddl) db.exec(sql);

const agentKey = createPublicKey({ key: agentJwk, format: "jwk" });
const logKey = createPrivateKey({ key: logJwk, format: "jwk" });
const TAG = Buffer.from("service-mandate-v1\0");

const bare = bareRows(db, logKey);

const prepared = upserts.map(({ sql, values }) => ({ statement: db.prepare(sql), values }));

/** Writes one step of an entry: its rows, and its record. */
function writeStep({ rows, record }) {
  for (const { table, row } of rows) bare.copy(table, row);
  if (record !== undefined) bare.record(record);
}

const begin = db.prepare("BEGIN IMMEDIATE");
const commit = db.prepare("COMMIT");
const queue = [];
let running = false;

/** What has queued meanwhile makes the next batch; each entry goes through every step in turn. */
function runLater() {
  if (running) return;
  running = true;
  setImmediate(() => {
    running = false;
    const taken = queue.splice(0, BATCH_MAX);
    for (const step of steps) {
      if (step.alone) {
        for (let n = 0; n < taken.length; n++) {
          begin.run();
          writeStep(step);
          commit.run();
        }
        continue;
      }
      begin.run();
      for (let n = 0; n < taken.length; n++) {
        writeStep(step);
        for (const { statement, values } of prepared) statement.run(...values);
      }
      commit.run();
    }
    for (const response of taken) response.writeHead(200, headers).end(body);
    if (queue.length > 0) runLater();
  });
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { signed, envelope } = JSON.parse(Buffer.concat(chunks));
    const bytes = Buffer.concat([TAG, Buffer.from(JSON.stringify(signed))]);
    const signature = Buffer.from(envelope.signature, "base64url");
    if (!verify(null, bytes, agentKey, signature)) return response.writeHead(401).end();
    queue.push(response);
    runLater();
  });
});

/** CPU microseconds of one piece by itself. */
function cost(times, piece) {
  for (let n = 0; n < times / 4; n++) piece(n);
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) piece(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

function pieces(sample) {
  const { signed, envelope } = JSON.parse(sample);
  const bytes = Buffer.concat([TAG, Buffer.from(JSON.stringify(signed))]);
  const signature = Buffer.from(envelope.signature, "base64url");
  const records = steps.filter(({ record }) => record !== undefined).length;
  const digest = Buffer.from(hash("sha256", "x".repeat(1200)));
  const perBatch = 64;
  const batch = () => {
    for (const step of steps) {
      begin.run();
      for (let n = 0; n < perBatch; n++) {
        const { rows, record } = step;
        for (const { table, row } of rows) bare.copy(table, row);
        if (record !== undefined) {
          const id = bare.nextId();
          const place = { seq: Number(id.slice(5)), prev_hash: id, record_id: id, hash: id };
          bare.insert("audit_records", { ...record, ...place });
        }
        if (!step.alone) for (const { statement, values } of prepared) statement.run(...values);
      }
      commit.run();
    }
  };
  return [
    ["one signature verified", cost(2000, () => verify(null, bytes, agentKey, signature))],
    [
      `${records === 1 ? "one record" : `${records} records`} signed`,
      records * cost(2000, () => sign(null, digest, logKey)),
    ],
    ["the rows, in batches of 64", cost(40, batch) / perBatch],
  ];
}

server.listen(0, "127.0.0.1", () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}` }),
);
process.on("message", (question) => {
  if (question.pieces !== undefined) return process.send(pieces(question.pieces));
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
