/**
 * What an approved mandate costs, and an order that is paid, beside the sum of their bare parts and
 * beside an endpoint as it is written in a day.
 */
import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompactSign } from "jose";
import { startPostgres } from "./postgres.mjs";
import { openSqlite } from "./servers/sqlite.mjs";
import { floodBodies, interleaved, startServer, table } from "./serving.mjs";

const GOALS = { asks: [2.0, 1.6], buys: [2.3, 1.8] };
/** Of our own figure on SQLite; the work of PostgreSQL itself is not in it. */
const POSTGRES_GOAL = 1.5;
const REQUESTS = 256;
/** As many agents at once: their mandates share a batch. */
const CONNECTIONS = 64;
const HEADERS = { "content-type": "application/json" };
export const TOKEN = "bench-operator-token-of-0123456789";
const TAG = Buffer.from("service-mandate-v1\0");

const POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [
    { id: "skills", effect: "allow", when: { skill: { in: ["get_pricing", "place_order"] } } },
    {
      id: "large",
      effect: "escalate",
      when: {
        all: [{ skill: { eq: "place_order" } }, { "cart.total": { gt: { EUR: "500.00" } } }],
      },
    },
    { id: "no-support", effect: "deny", when: { skill: { eq: "contact_support" } } },
    {
      id: "velocity",
      effect: "deny",
      when: { count: { scope: "agent", window: "PT10M", gt: 100_000_000 } },
    },
  ],
};

/** Members in the order JCS has them: then JSON.stringify gives the signed text. */
const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
};

/** A shop that takes mandates and sells, and an agent it knows. */
export async function openShop({ url, siteKey, siteKeyHash, baseUrl }) {
  const admin = async (method, path, body) => {
    const response = await fetch(`${url}/v1/admin/sites/${siteKeyHash}${path}`, {
      method,
      headers: { ...HEADERS, authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const skills = [
    { id: "get_pricing", enabled: true, url: "https://shop-0.example.com/prices" },
    { id: "place_order", enabled: true },
  ];
  await admin("PUT", "/skills", { skills });
  await admin("PUT", "/policy", POLICY);
  await admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
  const rose = { id: "rose", title: "A rose", price: "10.00", currency: "EUR", quantity: 1e8 };
  await admin("PUT", "/products", { products: [rose] });
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { kty, crv, x } = publicKey.export({ format: "jwk" });
  const jwk = { kty, crv, x };
  const { agent_id, kid } = await admin("POST", "/agents", { name: "Bench", jwk });
  const mandate = (fields) => {
    const now = Date.now();
    const signed = sorted({
      v: 1,
      mandate_id: randomUUID(),
      agent_id,
      site_key: siteKey,
      audience: `${baseUrl}/v1/m/${siteKey}/mandate`,
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + 600_000).toISOString(),
      ...fields,
    });
    const bytes = Buffer.concat([TAG, Buffer.from(JSON.stringify(signed))]);
    const signature = sign(null, bytes, privateKey).toString("base64url");
    return JSON.stringify({ signed, envelope: { alg: "EdDSA", kid, signature } });
  };
  return { url: `${url}/v1/m/${siteKey}/mandate`, mandate, jwk, privateKey };
}

export const KINDS = {
  asks: {
    title: "Approved mandate (SQLite, every batch synced)",
    fields: { skill: "get_pricing", protocol_context: { protocol: "a2a" } },
    steps: [{ tables: ["decisions"], record: "mandate.decision" }],
  },
  buys: {
    title: "Approved and authorized order (SQLite, every batch synced)",
    fields: {
      skill: "place_order",
      arguments: { items: [{ id: "rose", quantity: 2 }] },
      payment: { handler: "sandbox", token: "pm_card_visa" },
      protocol_context: { protocol: "a2a", cart_total: "20.00", cart_currency: "EUR" },
    },
    steps: [
      { tables: ["decisions", "payments"], record: "mandate.decision" },
      { tables: ["sandbox_authorizations"], alone: true },
      { tables: ["orders"], record: "payment.outcome" },
    ],
  },
};

/** From a profile of the server under the load of orders; its figures move a little from run to run. */
const LIMITED_BY =
  "What limits it: of the time of an order 10 % goes into writing rows, 8 % into begin, commit and sync, 8 % into the one " +
  "verification and 6 % into the signatures of two records: the bare parts. Beside them stand five reads outside the batch (key, " +
  "replay, declines, and the payment and decision that its outcome finds), 6 %; garbage, 3 %; sealing the card's token and the keyed " +
  "hashes of declines, 3 %; strict JSON, JCS, rules, facts and limits in many small steps, none above 2 %. Coming nearer would mean " +
  "deciding from memory what must be read where it is decided.\n";

/** What one of ours has written, for the baseline to write the same. */
function rowsOf(folder, steps) {
  const db = openSqlite(join(folder, "gatehouse.db"));
  const one = (sql, ...values) => db.prepare(sql).get(...values);
  const newest = "ORDER BY rowid DESC LIMIT 1";
  const made = steps.map(({ tables, record, alone = false }) => ({
    alone,
    rows: tables.map((name) => ({ table: name, row: one(`SELECT * FROM ${name} ${newest}`) })),
    ...(record === undefined
      ? {}
      : { record: one(`SELECT * FROM audit_records WHERE type = ? ${newest}`, record) }),
  }));
  const names = ["audit_records", "exact_limits", "decision_hours", "audit_chains"];
  const wanted = [...names, ...steps.flatMap(({ tables }) => tables)];
  const marks = wanted.map(() => "?").join(", ");
  const ddl = db
    .prepare(
      `SELECT sql FROM sqlite_master WHERE tbl_name IN (${marks}) AND sql IS NOT NULL AND type <> 'trigger' ORDER BY type DESC`,
    )
    .all(...wanted)
    .map(({ sql }) => sql);
  db.close();
  return { ddl, steps: made };
}

/** Counters and limits every mandate moves besides. */
const UPSERTS = [
  {
    sql: `INSERT INTO decision_hours (site_key_hash, hour, actor_id, currency, minor, decisions) VALUES ('s', 1, 'a', 'EUR', 5, 1)
      ON CONFLICT (site_key_hash, hour, actor_id, currency) DO UPDATE SET minor = minor + 5, decisions = decisions + 1`,
    values: [],
  },
  ...["mandates s a", "mandates s"].map((key) => ({
    sql: `INSERT INTO exact_limits (limit_key, arrival_us) VALUES ('${key}', ?)
      ON CONFLICT (limit_key) DO UPDATE SET arrival_us = arrival_us + 1`,
    values: [1],
  })),
];

/** A line that says whether a figure is within a multiple of another. */
function compared(name, { micros }, { micros: other }, goal) {
  const ratio = micros / other;
  const verdict = ratio <= goal ? "Reached" : "MISSED";
  const line = `Goal of ${name}: within ${goal} times. ${verdict}: ${ratio.toFixed(2)}.\n`;
  return { line, missed: ratio > goal };
}

async function measureKind(kind, { ours, shop, postgres, postgresShop }, folder) {
  const { title, fields, steps } = KINDS[kind];
  const first = await fetch(shop.url, {
    method: "POST",
    headers: HEADERS,
    body: shop.mandate(fields),
  });
  const headers = [...first.headers].filter(
    ([name]) => !/^(date|connection|keep-alive)$/.test(name),
  );
  const body = await first.text();
  if (first.status !== 200) throw new Error(body);
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const settings = {
    ...rowsOf(folder, steps),
    upserts: UPSERTS,
    headers: headers.flat(),
    body,
    agentJwk: shop.jwk,
    logJwk: { ...publicKey.export({ format: "jwk" }), ...privateKey.export({ format: "jwk" }) },
  };
  const bare = startServer(
    "servers/mandate-bare.mjs",
    mkdtempSync(join(folder, "bare-")),
    JSON.stringify(settings),
  );
  bare.url = (await bare.ready).url;
  const day = startServer(
    "servers/mandate-express.mjs",
    mkdtempSync(join(folder, "express-")),
    JSON.stringify(shop.jwk),
  );
  day.url = (await day.ready).url;
  const expected = { text: '"approved"' };
  const run = (server, url, make) => async () => {
    const bodies = await Promise.all(Array.from({ length: REQUESTS }, make));
    return floodBodies(
      server,
      { url, headers: HEADERS, bodies, connections: CONNECTIONS },
      expected,
    );
  };
  const key = createPrivateKey({ key: shop.privateKey.export({ format: "jwk" }), format: "jwk" });
  const jws = async () => {
    const { signed } = JSON.parse(shop.mandate(fields));
    const bytes = new TextEncoder().encode(JSON.stringify(signed));
    const made = await new CompactSign(bytes).setProtectedHeader({ alg: "EdDSA" }).sign(key);
    return JSON.stringify({ agent_id: "agt_bench", jws: made });
  };
  try {
    const mandate = () => shop.mandate(fields);
    const [own, plain, express, onPostgres] = await interleaved([
      run(ours, shop.url, mandate),
      run(bare, bare.url, mandate),
      run(day, day.url, jws),
      run(postgres, postgresShop.url, () => postgresShop.mandate(fields)),
    ]);
    const shares = await bare.ask({ pieces: shop.mandate(fields) });
    const result = table(
      title,
      [
        ["Gatehouse: proven, decided by four rules, recorded, answered once", own],
        [
          "bare parts in one process: one verify, the signed records, the same rows, one exchange",
          plain,
        ],
        ["Express, jose and SQLite, as written in a day: no signed log, no review", express],
        ["Gatehouse on PostgreSQL, without the work of PostgreSQL", onPostgres],
      ],
      ...GOALS[kind],
    );
    const goals = [compared("PostgreSQL, of our figure on SQLite", onPostgres, own, POSTGRES_GOAL)];
    if (kind === "buys") goals.push(compared("an order, of Express", own, express, 1.2));
    result.missed ||= goals.some(({ missed }) => missed);
    result.lines.push(
      ...goals.map(({ line }) => line),
      "What the bare parts are made of, each measured by itself in that process:\n",
      "| Piece | CPU µs | Share |\n|---|---|---|",
      ...shares.map(
        ([name, micros]) =>
          `| ${name} | ${micros.toFixed(1)} | ${((100 * micros) / plain.micros).toFixed(0)} % |`,
      ),
      "",
    );
    return result;
  } finally {
    bare.stop();
    day.stop();
  }
}

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const database = await startPostgres();
  const ours = startServer("servers/gatehouse.mjs", folder, "1");
  const postgres = startServer(
    "servers/gatehouse.mjs",
    mkdtempSync(join(folder, "postgres-")),
    "1",
    JSON.stringify({ GATEHOUSE_DATABASE_URL: database.url }),
  );
  try {
    const shop = await openShop(await ours.ready);
    const postgresShop = await openShop(await postgres.ready);
    const servers = { ours, shop, postgres, postgresShop };
    const results = [];
    for (const kind of Object.keys(KINDS)) results.push(await measureKind(kind, servers, folder));
    return {
      lines: [...results.flatMap(({ lines }) => lines), LIMITED_BY],
      missed: results.some(({ missed }) => missed),
    };
  } finally {
    ours.stop();
    postgres.stop();
    database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
