import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { describe, expect, test } from "vitest";
import { SESSION } from "../console-browser.ts";
import { OPERATOR_TOKEN, type TestServer, TIER_DATABASES, whenWaiting } from "../harness.ts";
import { type TestAnswer, testAnswer } from "../http-client.ts";
import { JPEG } from "../pictures/sample-pictures.ts";
import { joined, openTwoSites, type Page } from "./joining.ts";

/** After this time a request is no longer answered by rights that have ended. */
const SECOND_MS = 1000;
/** Long enough for a batch to be written, on a busy machine too. */
const WRITTEN_MS = 15_000;
/** Lines that an import writes at once. */
const BATCH = 200;

/** How long a request waits for more of its body. */
const PAUSE_MS = 15_000;

/** Files of one site that are checked at the same time. */
const CHECKS_MAX = 4;

const NDJSON = "application/x-ndjson";

/** Lines of an import, numbered from one. */
const linesFrom = (first: number) =>
  Array.from({ length: BATCH }, (_, at) => {
    const id = `rose-${first + at}`;
    return `${JSON.stringify({ id, title: id, price: "1.00", currency: "EUR" })}\n`;
  }).join("");

/** Begins a request whose body is sent piece by piece. */
function begin(
  server: TestServer,
  method: string,
  path: string,
  headers: Record<string, string | number>,
) {
  const sent: ClientRequest = request(server.url + path, { method, headers });
  sent.on("error", () => undefined);
  const read = async (response: IncomingMessage) => {
    const text = (await response.setEncoding("utf8").toArray()).join("");
    const type = new Headers({ "content-type": response.headers["content-type"] ?? "" });
    return testAnswer(response.statusCode ?? 0, type, text);
  };
  const answer = new Promise<TestAnswer>((resolve, reject) => {
    sent.on("response", (response) => resolve(read(response)));
    sent.on("close", () => reject(new Error("the connection was closed without an answer")));
  });
  answer.catch(() => undefined);
  return { sent, answer };
}

const asPerson = (page: Page) => ({ ...page.own, cookie: page.cookie ?? "" });

describe.each(TIER_DATABASES)("requests that take a while, on %s:", (dialect) => {
  async function open() {
    const { server, clock, mine } = await openTwoSites(dialect);
    const { page, id } = await joined(server, mine, "owner", "Olga");
    const products = async () => {
      const { db } = server.context;
      const [row] = await db.all<{ count: number }>(
        "SELECT COUNT(*) AS count FROM products WHERE site_key_hash = ?",
        mine,
      );
      return Number(row?.count);
    };
    const path = `/v1/admin/sites/${mine}`;
    return { server, clock, mine, page, id, products, path };
  }

  async function importing() {
    const at = await open();
    const headers = { ...asPerson(at.page), "content-type": NDJSON };
    const file = begin(at.server, "POST", `${at.path}/products/import?mode=replace`, headers);
    file.sent.write(linesFrom(1));
    await expect.poll(at.products, { timeout: WRITTEN_MS }).toBe(BATCH);
    return { ...at, file };
  }

  test("an import goes on for as long as its sender may send it", async () => {
    const { clock, file, products } = await importing();
    clock.advance(SECOND_MS);
    file.sent.end(linesFrom(BATCH + 1));
    expect((await file.answer).body).toMatchObject({ written: 2 * BATCH, refused: 0 });
    expect(await products()).toBe(2 * BATCH);
  });

  test.each([
    ["signed out", async ({ page }: { page: Page }) => page.ask("DELETE", SESSION)],
    [
      "lost the role",
      async ({ server, path, id }: { server: TestServer; path: string; id: string }) =>
        server.admin("PUT", `${path}/people/${id}/role`, { role: "reviewer" }),
    ],
  ])("an import writes nothing more a second after its sender %s", async (_, end) => {
    const at = await importing();
    expect((await end(at)).status).toBe(204);
    at.clock.advance(SECOND_MS);
    at.file.sent.write(linesFrom(BATCH + 1));
    const { status, body } = await at.file.answer;
    expect([status, body.message]).toEqual([403, expect.stringContaining("no longer")]);
    expect(await at.products()).toBe(BATCH);
  });

  test("an import that replaces removes nothing after its sender has signed out", async () => {
    const { server, clock, path, page, products } = await open();
    await server.admin("POST", `${path}/products`, {
      id: "palm",
      title: "Palm",
      price: "1.00",
      currency: "EUR",
    });
    const headers = { ...asPerson(page), "content-type": NDJSON };
    const file = begin(server, "POST", `${path}/products/import?mode=replace`, headers);
    file.sent.write(linesFrom(1));
    await expect.poll(products, { timeout: WRITTEN_MS }).toBe(BATCH + 1);
    await page.ask("DELETE", SESSION);
    clock.advance(SECOND_MS);
    file.sent.end();
    expect((await file.answer).status).toBe(403);
    expect(await products()).toBe(BATCH + 1);
  });

  test("a site has a few files checked at the same time, and other sites have theirs", async () => {
    const { server, clock, path, page, mine } = await open();
    const headers = { ...asPerson(page), "content-type": NDJSON };
    const check = `${path}/products/import/check`;
    const slow = [];
    for (let more = 0; more < CHECKS_MAX; more++) {
      const begun = whenWaiting(clock, PAUSE_MS);
      const file = begin(server, "POST", check, headers);
      file.sent.flushHeaders();
      await begun;
      slow.push(file);
    }
    const asOperator = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": NDJSON };
    const checkNow = async (url: string) => {
      const file = begin(server, "POST", url, asOperator);
      file.sent.end(linesFrom(1));
      return (await file.answer).status;
    };
    expect(await checkNow(check)).toBe(429);
    const { items } = (await server.admin("GET", "/v1/admin/sites")).body;
    const other = items.find((one: { site_key_hash: string }) => one.site_key_hash !== mine);
    expect(await checkNow(check.replace(mine, other.site_key_hash))).toBe(200);
    for (const { sent } of slow) sent.end();
    expect((await slow[0]?.answer)?.status).toBe(200);
    await Promise.all(slow.map(({ answer }) => answer));
    expect(await checkNow(check)).toBe(200);
  });

  test("a picture that arrives after its sender was removed is not stored", async () => {
    const { server, clock, path, page, id } = await open();
    const headers = { ...asPerson(page), "content-type": "image/jpeg" };
    const begun = whenWaiting(clock, PAUSE_MS);
    const file = begin(server, "PUT", `${path}/picture`, headers);
    file.sent.write(JPEG.subarray(0, 20));
    await begun;
    expect((await server.admin("DELETE", `${path}/people/${id}`)).status).toBe(204);
    clock.advance(SECOND_MS);
    file.sent.end(JPEG.subarray(20));
    expect((await file.answer).status).toBe(403);
    expect((await server.admin("GET", path)).body.picture_url).toBeNull();
  });

  test("a change that arrives after its token was revoked is refused", async () => {
    const { server, clock, path } = await open();
    const token = (await server.admin("POST", `${path}/tokens`, { name: "Bot", role: "owner" }))
      .body;
    const text = JSON.stringify({ name: "Mallory's" });
    const begun = whenWaiting(clock, PAUSE_MS);
    const change = begin(server, "PATCH", path, {
      authorization: `Bearer ${token.token}`,
      "content-type": "application/json",
      "content-length": text.length,
    });
    change.sent.write(text.slice(0, 5));
    await begun;
    await server.admin("DELETE", `/v1/admin/tokens/${token.token_id}`);
    clock.advance(SECOND_MS);
    change.sent.end(text.slice(5));
    expect((await change.answer).status).toBe(401);
    const { body } = await server.admin("GET", path);
    expect(body.name).toBe("mine.example.com");
  });
});
