import { once } from "node:events";
import { readdirSync } from "node:fs";
import { Agent, get, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gatehouse, type ServingGatehouse, serve } from "../../../test/gatehouse-process.ts";
import { freshEnvironment, OPERATOR_TOKEN } from "../../server/test/harness.ts";

const WORKERS = 2;
const AUTHORIZED = { authorization: `Bearer ${OPERATOR_TOKEN}` };

/** Workers by their number, as the log says; the newest process of each. */
function pidsIn({ seen }: ServingGatehouse): Map<number, number> {
  const lines = seen.err.split("\n").filter((line) => line.includes('"worker.ready"'));
  return new Map(lines.map((line) => JSON.parse(line)).map(({ worker, pid }) => [worker, pid]));
}

/** Resolves when what the service has logged fulfils a condition. */
async function untilLogged(serving: ServingGatehouse, holds: () => boolean): Promise<void> {
  while (!holds()) await once(serving.child.stderr as NodeJS.ReadableStream, "data");
}

/** A request on its own connection: connections are what workers take turns with. */
function ask(url: string): Promise<{ status: number | undefined; text: string }> {
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: AUTHORIZED }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve({ status: response.statusCode, text });
    }).once("error", reject);
  });
}

const status = async (url: string) => (await ask(url)).status;

async function served(url: string): Promise<number> {
  const { text } = await ask(`${url}/metrics`);
  const series =
    /^gatehouse_http_requests_total\{area="operations",method="GET",status="200"\} (\d+)$/m;
  return Number(series.exec(text)?.[1]);
}

/** More products than are stored at a time. */
function productLines(name: string): string {
  const lines = Array.from({ length: 250 }, (_, n) =>
    JSON.stringify({ id: `${name}-${n}`, title: "Rose", price: "1.00", currency: "EUR" }),
  );
  return `${lines.join("\n")}\n`;
}

async function serveWorkers(): Promise<ServingGatehouse & { readonly dataDir: string }> {
  const env = await freshEnvironment("postgres");
  const serving = await serve({ ...env, GATEHOUSE_LOG: "info" }, "--workers", String(WORKERS));
  const all = () => pidsIn(serving).size === WORKERS;
  await untilLogged(serving, all);
  return { ...serving, dataDir: env.GATEHOUSE_DATA_DIR as string };
}

describe("gatehouse serve --workers", () => {
  test("answers from every worker on one port, and shows the metrics of all of them", async () => {
    const serving = await serveWorkers();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => status(`${serving.url}/healthz`)),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
    // Whichever worker is asked.
    for (let i = 0; i < WORKERS; i++) expect(await served(serving.url)).toBe(30);
    expect(serving.seen.out.match(/is ready/g)).toHaveLength(1);
    expect(await serving.stop()).toBe(0);
    expect(serving.seen.out).toContain(`workers  ${WORKERS}`);
    // Each keeps what it has published in files of its own, so that none replaces what another knows.
    const files = readdirSync(join(serving.dataDir, "checkpoints"));
    expect(files).toEqual(
      expect.arrayContaining(["revocations.json", "revocations.worker-2.json"]),
    );
  });

  test("replaces a worker that was killed, serves meanwhile, and goes on counting", async () => {
    const serving = await serveWorkers();
    const before = pidsIn(serving);
    for (let i = 0; i < 10; i++) await status(`${serving.url}/healthz`);
    expect(await served(serving.url)).toBe(10);
    process.kill(before.get(2) as number, "SIGKILL");
    await untilLogged(serving, () => serving.seen.err.includes('"worker.ended"'));
    let asked = 10;
    // The new one gets connections while it starts, too, if it listens too early.
    while (pidsIn(serving).get(2) === before.get(2)) {
      expect(await status(`${serving.url}/healthz`)).toBe(200);
      expect(await status(`${serving.url}/readyz`)).toBe(200);
      asked += 2;
    }
    expect(pidsIn(serving).get(1)).toBe(before.get(1));
    for (let i = 0; i < WORKERS; i++) expect(await served(serving.url)).toBe(asked);
    // Killed itself, it takes its workers along: closed when the last who share its standard error have ended.
    const closed = once(serving.child, "close");
    serving.child.kill("SIGKILL");
    await closed;
    await expect(status(`${serving.url}/healthz`)).rejects.toThrow("ECONNREFUSED");
  });

  test("lets a request finish when all of its processes are told to stop at once", async () => {
    const serving = await serveWorkers();
    const pids = [...pidsIn(serving).values()];
    const created = await fetch(`${serving.url}/v1/admin/sites`, {
      method: "POST",
      headers: { ...AUTHORIZED, "content-type": "application/json" },
      body: JSON.stringify({ domain: "shop.example.com", name: "Shop" }),
    });
    const { site_key_hash } = (await created.json()) as { site_key_hash: string };
    const products = `${serving.url}/v1/admin/sites/${site_key_hash}/products`;
    const headers = { ...AUTHORIZED, "content-type": "application/x-ndjson" };
    const upload = request(`${products}/import`, { method: "POST", headers });
    const answered = once(upload, "response") as Promise<[IncomingMessage]>;
    upload.write(productLines("first"));
    // A part of the list is stored, so the request is under way.
    while (!(await ask(products)).text.includes("first-0")) {}
    // As systemd does: the workers get the signal twice.
    for (const pid of pids) process.kill(pid, "SIGTERM");
    const exited = serving.stop("SIGTERM");
    upload.end(productLines("second"));
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await exited).toBe(0);
  });

  test("needs PostgreSQL, and a number of workers that makes sense", async () => {
    const env = await freshEnvironment("sqlite");
    const refused = await gatehouse(["serve", "--workers", "2"], env);
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("PostgreSQL")]);
    for (const count of ["0", "65", "1.5"]) {
      expect((await gatehouse(["serve", "--workers", count], env)).code).toBe(2);
    }
    const wrong = { ...env, GATEHOUSE_DATABASE_URL: "postgres://gatehouse@127.0.0.1:9/none" };
    expect((await gatehouse(["serve", "--workers", "2"], wrong)).code).toBe(3);
  });
});
