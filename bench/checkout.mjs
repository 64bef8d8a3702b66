/**
 * What a purchase by UCP costs, from its first call to the order: create, update and complete, beside
 * the sum of their bare parts.
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSigner, httpbis } from "http-message-signatures";
import { openSqlite } from "./servers/sqlite.mjs";
import { interleaved, startServer, table } from "./serving.mjs";

const PURCHASES = 128;
/** As many buyers at once. */
const CONNECTIONS = 64;
const GOALS = [2.5, 2.0];
const TOKEN = "bench-operator-token-of-0123456789";
const JSON_TYPE = { "content-type": "application/json" };
const VERSION = "2026-08-25";

const ROSES = (quantity, more = {}) => ({
  line_items: [{ item: { id: "rose" }, quantity }],
  buyer: { first_name: "Ada", email: "ada@example.com" },
  ...more,
});
const SENT = {
  fulfillment: {
    methods: [
      {
        type: "shipping",
        destinations: [
          { street_address: "Gartenstr. 1", address_locality: "Berlin", address_country: "DE" },
        ],
        groups: [{ selected_option_id: "standard" }],
      },
    ],
  },
};
const PAID = {
  payment: {
    instruments: [
      {
        id: "i1",
        handler_id: "sandbox",
        type: "card",
        credential: { type: "token", token: "pm_card_visa" },
      },
    ],
  },
};

/** A platform whose profile is on this machine. */
async function openPlatform() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { d: _, ...jwk } = privateKey.export({ format: "jwk" });
  const names = ["cart", "checkout", "fulfillment"].map((name) => `dev.ucp.shopping.${name}`);
  const profile = JSON.stringify({
    ucp: {
      version: VERSION,
      services: {},
      payment_handlers: {},
      capabilities: Object.fromEntries(names.map((name) => [name, [{ version: VERSION }]])),
    },
    keys: [{ ...jwk, kid: "bench", use: "sig", alg: "ES256" }],
  });
  const server = createServer((_request, response) => {
    response.writeHead(200, JSON_TYPE).end(profile);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${server.address().port}`;
  const signer = createSigner(privateKey, "ecdsa-p256-sha256", "bench");
  const call = async (method, url, body) => {
    const text = JSON.stringify(body);
    const digest = createHash("sha256").update(text).digest("base64");
    const headers = {
      ...JSON_TYPE,
      "ucp-agent": `profile="http://${host}/profile"`,
      "content-digest": `sha-256=:${digest}:`,
      "idempotency-key": randomUUID(),
    };
    const fields = ["@method", "@authority", "@path", ...Object.keys(headers)];
    const terms = { key: signer, name: "sig1", fields, params: ["created", "keyid"] };
    const signed = await httpbis.signMessage(terms, { method, url, headers });
    const response = await fetch(url, { method, headers: signed.headers, body: text });
    return response.json();
  };
  return { host, call, privateKey, stop: () => server.close() };
}

async function openShop({ url, siteKeyHash }) {
  const admin = async (method, path, body) => {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` };
    const address = `${url}/v1/admin/sites/${siteKeyHash}${path}`;
    const response = await fetch(address, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
  };
  const rules = [
    { id: "sell", effect: "allow", when: { skill: { eq: "complete_checkout" } } },
    { id: "large", effect: "escalate", when: { "cart.total": { gt: { EUR: "500.00" } } } },
    { id: "dollars", effect: "deny", when: { "cart.currency": { eq: "USD" } } },
    {
      id: "velocity",
      effect: "deny",
      when: { count: { scope: "agent", window: "PT10M", gt: 100_000_000 } },
    },
  ];
  // Platforms that are not admitted share a small daily allowance.
  await admin("PUT", "/platforms/127.0.0.1", { status: "admitted" });
  await admin("PUT", "/policy", { policy: "rules/1", timezone: "UTC", default: "deny", rules });
  await admin("PUT", "/processor", { kind: "sandbox", rail_on: true, settles: true });
  const rose = { id: "rose", title: "A rose", price: "10.00", currency: "EUR", quantity: 1e8 };
  await admin("PUT", "/products", { products: [rose] });
  const standard = { id: "standard", title: "By post", prices: { EUR: "4.90" } };
  await admin("PUT", "/shop", { shipping: [{ countries: ["DE"], options: [standard] }] });
  return `${url}/v1/ucp/${siteKeyHash}/checkout-sessions`;
}

/** What one purchase has written, for the bare parts to write the same. */
function rowsOf(folder) {
  const db = openSqlite(join(folder, "gatehouse.db"));
  const newest = (table) => db.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).get();
  const record = (type) =>
    db.prepare("SELECT * FROM audit_records WHERE type = ? ORDER BY rowid DESC LIMIT 1").get(type);
  const reply = db.prepare("SELECT * FROM ucp_replies LIMIT 1").get();
  const tables = [
    "checkouts",
    "decisions",
    "payments",
    "orders",
    "sandbox_authorizations",
    "ucp_replies",
    "audit_records",
  ];
  const marks = tables.map(() => "?").join(", ");
  const ddl = db
    .prepare(
      `SELECT sql FROM sqlite_master WHERE tbl_name IN (${marks}) AND sql IS NOT NULL AND type <> 'trigger' ORDER BY type DESC`,
    )
    .all(...tables)
    .map(({ sql }) => sql);
  const rows = Object.fromEntries(tables.slice(0, 5).map((name) => [name, newest(name)]));
  const records = ["checkout.decision", "payment.outcome"].map(record);
  db.close();
  return { ddl, rows: { ...rows, ucp_replies: reply }, records };
}

/** So many purchases, so many at once; CPU microseconds of the server for each. */
async function buyAll(server, buy) {
  const before = await server.ask("cpu");
  let left = PURCHASES;
  const worker = async () => {
    while (left-- > 0) await buy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return ((await server.ask("cpu")) - before) / PURCHASES;
}

const must = (holds, what) => {
  if (!holds) throw new Error(what);
};

/** From a profile of the server under this load; its figures move a little from run to run. */
const LIMITED_BY =
  "What limits it: a third of the server's time goes into SQLite (begin, commit and sync of six transactions 18 %, writes 8 %, reads 7 %) and " +
  "11 % into the callers' signatures (RFC 9421 bases parsed and built by a library, ES256): the bare parts, and what the library adds. " +
  "Beside them stand the answer's own signature and the signed terms, 6 %; some 50 reads of settings, platform, site and quota, of which " +
  "the bare parts make none; answers packed and kept for retries, 4 %; prices, quotes, rules, records and JSON in many small steps, none " +
  "above 3 %. The senders are slower than the server, so that transactions seldom wait for each other and share few commits.\n";

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const platform = await openPlatform();
  const settings = {
    GATEHOUSE_FETCH_ALLOW: platform.host,
    GATEHOUSE_SHOP_CHANGES_PER_SITE_PER_MINUTE: "1000000",
  };
  const ours = startServer("servers/gatehouse.mjs", folder, "1", JSON.stringify(settings));
  let bare;
  try {
    const sessions = await openShop(await ours.ready);
    const answers = {};
    const buy = async () => {
      const made = await platform.call("POST", sessions, ROSES(1));
      must(made.id !== undefined, JSON.stringify(made));
      const sent = await platform.call("PUT", `${sessions}/${made.id}`, ROSES(2, SENT));
      const done = await platform.call("POST", `${sessions}/${made.id}/complete`, PAID);
      must(done.status === "completed", JSON.stringify(done));
      Object.assign(answers, { create: made, update: sent, complete: done });
    };
    await buy();
    const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const log = generateKeyPairSync("ed25519");
    const parts = {
      ...rowsOf(folder),
      answers,
      callerJwk: key.publicKey.export({ format: "jwk" }),
      siteJwk: platform.privateKey.export({ format: "jwk" }),
      logJwk: log.privateKey.export({ format: "jwk" }),
    };
    const at = mkdtempSync(join(folder, "bare-"));
    bare = startServer("servers/checkout-bare.mjs", at, JSON.stringify(parts));
    const { url } = await bare.ready;
    const caller = createPrivateKey({
      key: key.privateKey.export({ format: "jwk" }),
      format: "jwk",
    });
    const ask = async (path, body) => {
      const text = JSON.stringify(body);
      const signature = sign("sha256", Buffer.from(text), {
        key: caller,
        dsaEncoding: "ieee-p1363",
      });
      const headers = { ...JSON_TYPE, signature: signature.toString("base64") };
      const response = await fetch(url + path, { method: "POST", headers, body: text });
      must(response.status === 200, `${path} answers with ${response.status}`);
      await response.arrayBuffer();
    };
    const buyBare = async () => {
      await ask("/create", ROSES(1));
      await ask("/update", ROSES(2, SENT));
      await ask("/complete", PAID);
    };
    const [own, plain] = await interleaved([() => buyAll(ours, buy), () => buyAll(bare, buyBare)]);
    const result = table(
      "A purchase by UCP: create, update, complete (SQLite, every batch synced)",
      [
        [
          "Gatehouse: three signed calls negotiated, priced, decided, paid, recorded, answered signed",
          own,
        ],
        [
          "bare parts in one process: three verifies, six signatures and two of the log, the same rows, three exchanges",
          plain,
        ],
      ],
      ...GOALS,
    );
    result.lines.push(LIMITED_BY);
    return result;
  } finally {
    bare?.stop();
    ours.stop();
    platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
