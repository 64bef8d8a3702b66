/**
 * A mandate endpoint as a competent developer would write it in a day: Express, jose, SQLite. It
 * verifies a JWS, looks the agent up, refuses replays, applies one rule and a budget, and logs what
 * it decided. There is no signed log, no review, no exact answer to a lost one.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import express from "express";
import { compactVerify, importJWK } from "jose";
import { openBare } from "./sqlite.mjs";

const [folder, jwkText] = process.argv.slice(2);
const jwk = JSON.parse(jwkText);
const db = openBare(join(folder, "express.db"));
db.exec(`
CREATE TABLE agents (id TEXT PRIMARY KEY, jwk TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE mandates (id TEXT PRIMARY KEY, agent TEXT NOT NULL, skill TEXT NOT NULL, minor INTEGER NOT NULL,
  outcome TEXT NOT NULL, answer TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE INDEX mandates_by_agent ON mandates (agent, created_at);
CREATE TABLE log (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, entry TEXT NOT NULL);
`);
db.prepare("INSERT INTO agents VALUES (?, ?, 'active')").run("agt_bench", JSON.stringify(jwk));

const agentOf = db.prepare("SELECT * FROM agents WHERE id = ?");
const mandateOf = db.prepare("SELECT answer FROM mandates WHERE id = ?");
const spent = db.prepare(
  "SELECT COALESCE(SUM(minor), 0) AS minor FROM mandates WHERE agent = ? AND created_at > ? AND outcome = 'approved'",
);
const insertMandate = db.prepare("INSERT INTO mandates VALUES (?, ?, ?, ?, ?, ?, ?)");
const begin = db.prepare("BEGIN");
const commit = db.prepare("COMMIT");
const insertLog = db.prepare("INSERT INTO log (at, entry) VALUES (?, ?)");
const keys = new Map();

const app = express();
app.use(express.json({ limit: "8kb" }));
app.post("/mandate", async (request, response) => {
  const { agent_id, jws } = request.body;
  const agent = agentOf.get(agent_id);
  if (agent?.status !== "active") return response.status(401).json({ outcome: "rejected" });
  if (!keys.has(agent_id)) keys.set(agent_id, await importJWK(JSON.parse(agent.jwk), "EdDSA"));
  let mandate;
  try {
    const { payload } = await compactVerify(jws, keys.get(agent_id));
    mandate = JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return response.status(401).json({ outcome: "rejected" });
  }
  const before = mandateOf.get(mandate.mandate_id);
  if (before !== undefined) return response.json(JSON.parse(before.answer));
  const now = Date.now();
  if (Date.parse(mandate.expires_at) < now)
    return response.status(400).json({ outcome: "rejected" });
  const allowed = mandate.skill === "get_pricing" || mandate.skill === "place_order";
  const inBudget = spent.get(agent_id, now - 60_000).minor < 1e15;
  const outcome = allowed && inBudget ? "approved" : "rejected";
  const answer = { outcome, mandate_id: mandate.mandate_id, record_id: randomUUID() };
  const entry = JSON.stringify({ ...mandate, ...answer });
  begin.run();
  insertMandate.run(
    mandate.mandate_id,
    agent_id,
    mandate.skill,
    0,
    outcome,
    JSON.stringify(answer),
    now,
  );
  insertLog.run(new Date(now).toISOString(), entry);
  commit.run();
  response.status(outcome === "approved" ? 200 : 403).json(answer);
});
const server = app.listen(0, "127.0.0.1", () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}/mandate` }),
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
