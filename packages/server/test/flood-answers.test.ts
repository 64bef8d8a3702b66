import { beforeAll, expect, test } from "vitest";
import { createLog } from "../src/infra/log/log.ts";
import { cleanUp, createSite, freshEnvironment, startServer, type TestServer } from "./harness.ts";

const PER_MINUTE = 60;

/** Lines of the log, as `GATEHOUSE_LOG=debug` writes them. */
const lines: string[] = [];
let server: TestServer;
let site: Awaited<ReturnType<typeof createSite>>;
beforeAll(async () => {
  const limit = { GATEHOUSE_REQUESTS_PER_ADDRESS_PER_MINUTE: String(PER_MINUTE) };
  const env = { ...(await freshEnvironment("sqlite")), ...limit };
  const log = createLog("debug", (line) => lines.push(line));
  server = await startServer(env, { log });
  site = await createSite(server, "shop.example.com");
  return cleanUp;
});

/** Sends one request until it meets the limit of its address; the refusal. */
async function refusalOf(path: string, init: RequestInit = {}): Promise<Response> {
  for (let sent = 0; sent < 10 * PER_MINUTE; sent++) {
    const answer = await fetch(server.url + path, init);
    if (answer.status === 429) return answer;
  }
  throw new Error("no limit was met");
}

test("a rate-limited mandate has the wait of the contract in its body and header", async () => {
  const headers = { "content-type": "application/json" };
  const path = `/v1/m/${site.site_key}/mandate`;
  const refusal = await refusalOf(path, { method: "POST", headers, body: "{}" });
  expect(refusal.headers.get("retry-after")).toBe("60");
  expect(await refusal.json()).toMatchObject({ outcome: "rate_limited", retry_after_seconds: 60 });
});

test("a refused buyer page says in a header how long to wait, and its address is in no line of the log", async () => {
  const refusal = await refusalOf(`/v1/ucp/${site.site_key_hash}/pages/page_SECRET`);
  expect(Number(refusal.headers.get("retry-after"))).toBeGreaterThan(0);
  const text = lines.join("");
  expect(text).toMatch(/"path":"[^"]*\/pages\/…","status":429/);
  expect(text).not.toContain("page_SECRET");
});
