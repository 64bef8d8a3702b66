/**
 * The bare parts of a purchase, on node:http with nothing in between: each body parsed and digested,
 * one ES256 signature verified, the answer and its terms signed, the same rows written in batches, the
 * log's records hashed and signed. Negotiation, prices, rules, replay and checks are not in it.
 */
import { createPrivateKey, createPublicKey, hash, sign, verify } from "node:crypto";
import { createServer } from "node:http";
import { join } from "node:path";
import { bareRows } from "./bare-rows.mjs";
import { openBare } from "./sqlite.mjs";

const [folder, text] = process.argv.slice(2);
const { ddl, rows, records, answers, callerJwk, siteJwk, logJwk } = JSON.parse(text);

const db = openBare(join(folder, "bare.db"));
for (const sql of ddl) db.exec(sql);
const callerKey = createPublicKey({ key: callerJwk, format: "jwk" });
const siteKey = createPrivateKey({ key: siteJwk, format: "jwk" });
const logKey = createPrivateKey({ key: logJwk, format: "jwk" });

const bare = bareRows(db, logKey);
const write = (table) => bare.copy(table, rows[table]);

const change = db.prepare("UPDATE checkouts SET content = ?, quote = ? WHERE checkout_id = ?");
const { content, quote, checkout_id } = rows.checkouts;
bare.insert("checkouts", rows.checkouts);

/** What each call writes: one transaction after another, as the calls and the money path have them. */
const STEPS = {
  "/create": [() => ["checkouts", "ucp_replies"].map(write)],
  "/update": [() => [change.run(content, quote, checkout_id), write("ucp_replies")]],
  "/complete": [
    () => {
      for (const table of ["decisions", "payments", "ucp_replies"]) write(table);
      change.run(content, quote, checkout_id);
      bare.record(records[0]);
    },
    () => write("sandbox_authorizations"),
    () => [write("orders"), bare.record(records[1]), change.run(content, quote, checkout_id)],
    () => change.run(content, quote, checkout_id),
  ],
};
const BODIES = { "/create": "create", "/update": "update", "/complete": "complete" };

const begin = db.prepare("BEGIN IMMEDIATE");
const commit = db.prepare("COMMIT");
const signed = (bytes) => sign("sha256", bytes, { key: siteKey, dsaEncoding: "ieee-p1363" });

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const bytes = Buffer.concat(chunks);
    JSON.parse(bytes);
    hash("sha256", bytes);
    const signature = Buffer.from(request.headers.signature, "base64");
    const key = { key: callerKey, dsaEncoding: "ieee-p1363" };
    if (!verify("sha256", bytes, key, signature)) return response.writeHead(401).end();
    for (const step of STEPS[request.url]) {
      begin.run();
      step();
      commit.run();
    }
    const answer = answers[BODIES[request.url]];
    const terms = sign(null, Buffer.from(JSON.stringify(answer.policies)), logKey);
    const body = Buffer.from(JSON.stringify(answer));
    const headers = {
      "content-type": "application/json",
      "content-digest": hash("sha256", body, "base64"),
      "content-length": body.length,
      signature: signed(body).toString("base64") + terms.length,
    };
    response.writeHead(200, headers).end(body);
  });
});

server.listen(0, "127.0.0.1", () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}` }),
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
