import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { serve } from "../../../test/gatehouse-process.ts";
import {
  answerOf,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  startServer,
  temporaryFolder,
} from "./harness.ts";

const SECRETS = { GATEHOUSE_SECRETS_KEY: "A".repeat(43) };

function asOperator(url: string) {
  return async (method: string, path: string, body?: unknown) =>
    answerOf(
      await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
}

async function twoProcesses() {
  const env = { ...(await freshEnvironment("postgres")), ...SECRETS };
  const first = await serve(env);
  const second = await serve({ ...env, GATEHOUSE_DATA_DIR: temporaryFolder() });
  return {
    first: asOperator(first.url),
    second: asOperator(second.url),
    urls: { second: second.url },
  };
}

test("with two processes on one PostgreSQL, a site changed on one is shown by the other", async () => {
  const { first, second } = await twoProcesses();
  const site = { domain: "shop.example.com", name: "Before" };
  const { body } = await first("POST", "/v1/admin/sites", site);
  const path = `/v1/admin/sites/${body.site_key_hash}`;
  expect((await second("GET", path)).body.name).toBe("Before");
  await first("PATCH", path, { name: "After" });
  expect((await second("GET", path)).body).toMatchObject({ name: "After", version: 2 });
  await second("DELETE", path);
  expect((await first("GET", path)).status).toBe(404);
});

test("with two processes on one PostgreSQL, a token revoked on one is refused by the other", async () => {
  const { first, urls } = await twoProcesses();
  const { body } = await first("POST", "/v1/admin/tokens", { name: "x", role: "operator" });
  const presented = () =>
    fetch(`${urls.second}/v1/admin/tokens`, { headers: { authorization: `Bearer ${body.token}` } });
  expect((await presented()).status).toBe(200);
  await first("DELETE", `/v1/admin/tokens/${body.token_id}`);
  expect((await presented()).status).toBe(401);
});

test("with two processes on one PostgreSQL, a key rotated on one signs on the other within a second", async () => {
  const { first, second } = await twoProcesses();
  const current = async () => {
    const { items } = (await second("GET", "/v1/admin/keys")).body;
    return items.find((key: { purpose: string }) => key.purpose === "card").kid;
  };
  expect((await current()).startsWith("service-card-")).toBe(true);
  const { body } = await first("POST", "/v1/admin/keys/rotate", { purpose: "card", force: true });
  const deadline = performance.now() + 1000;
  let seen = await current();
  while (seen !== body.kid && performance.now() < deadline) seen = await current();
  expect(seen).toBe(body.kid);
});

/** Asks the exact limiter as fast as it can from a process of its own, and says how many passed. */
const ASKER = `
const [url, key, asks, rate, now] = process.argv.slice(1);
const dist = ${JSON.stringify(fileURLToPath(new URL("../dist/", import.meta.url)))};
const { openPostgres } = await import(dist + "infra/db/postgres.js");
const { takeExact } = await import(dist + "infra/rate-limit/exact.js");
const { systemIds } = await import(dist + "infra/ids.js");
const log = { debug() {}, info() {}, warn() {}, error() {} };
const db = await openPostgres(url, { ids: systemIds, log });
const ask = () => db.transaction((tx) => takeExact(tx, key, { perMinute: Number(rate) }, Number(now)));
const answers = await Promise.all(Array.from({ length: Number(asks) }, ask));
console.log(answers.filter(Boolean).length);
await db.close();
`;

async function passedBy(url: string, asks: number, rate: number): Promise<number> {
  const args = [
    "--input-type=module",
    "-e",
    ASKER,
    url,
    "site",
    String(asks),
    String(rate),
    String(NOON),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  await once(child, "close");
  return Number(out);
}

test("with two processes on one PostgreSQL, the exact limiter allows exactly N requests in total", async () => {
  const env = await freshEnvironment("postgres");
  await startServer(env);
  const url = env.GATEHOUSE_DATABASE_URL as string;
  const passed = await Promise.all([passedBy(url, 200, 137), passedBy(url, 200, 137)]);
  expect((passed[0] ?? 0) + (passed[1] ?? 0)).toBe(137);
});
