import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../server/test/harness.ts";
import { askAll } from "../src/init/answers.ts";

const bin = fileURLToPath(new URL("../bin/gatehouse.js", import.meta.url));

/** A port nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Ran {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  text(): string;
  until(text: string): Promise<void>;
}

/** A command in a folder of its own, without anybody to ask. */
function run(cwd: string, ...args: string[]): Ran {
  const env = { PATH: process.env.PATH, GATEHOUSE_LOG: "silent" };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const until = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => text.includes(wanted) && resolve();
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without “${wanted}”: ${text}`)));
    });
  return { child, ended, text: () => text, until };
}

describe("gatehouse init", () => {
  test("leaves a site that runs, by its answers, and runs again with `serve`", async () => {
    const folder = temporaryFolder();
    const address = `http://localhost:${await freePort()}`;
    const options = ["--domain", "shop.localhost", "--name", "Fern & Petal", "--sandbox"];
    const first = run(folder, "init", ...options, "--address", address, "--limit", "50.00 EUR");
    await first.until("Serving. Ctrl-C stops it.");
    expect(first.text()).toMatch(new RegExp(`${address}/console#code=\\S{43}`));
    const token = readFileSync(join(folder, "data/admin-token"), "utf8").trim();
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${address}/v1/admin${path}`, { headers })).json();
    };
    const [site] = (await ask("/sites")).items;
    expect(site).toMatchObject({ name: "Fern & Petal", status: "verified" });
    const path = `/sites/${site.site_key_hash}`;
    expect(await ask(`${path}/processor`)).toMatchObject({ kind: "sandbox", sells: true });
    const { document } = await ask(`${path}/policy`);
    expect(document.rules[1].title).toBe("Up to 50.00 EUR");
    first.child.kill("SIGINT");
    expect(await first.ended).toBe(0);

    const again = run(folder, "serve");
    await again.until("is ready (development)");
    expect((await ask("/sites")).items).toHaveLength(1);
    const listed = run(folder, "site", "list");
    expect([await listed.ended, listed.text()]).toEqual([
      0,
      expect.stringContaining("Fern & Petal"),
    ]);
    const twice = run(folder, "init", ...options);
    expect([await twice.ended, twice.text()]).toEqual([
      2,
      expect.stringContaining("gatehouse.env"),
    ]);
  });

  test("what did not come to an end can be begun again", async () => {
    const folder = temporaryFolder();
    const address = ["--address", `http://localhost:${await freePort()}`];
    const wrong = run(folder, "init", "--domain", "no domain", ...address);
    expect(await wrong.ended).toBe(1);
    expect(wrong.text()).toContain("domain");
    expect(existsSync(join(folder, "gatehouse.env"))).toBe(false);
    const right = run(folder, "init", "--domain", "shop.example.com", ...address);
    await right.until("Serving.");
    expect(right.text()).toContain("TXT record _gatehouse.shop.example.com");
  });

  test("asks five questions, and takes what it proposes for an empty line", async () => {
    const asked: string[] = [];
    const answers = ["", "shop.example.com", "", "https://gate.example.com", "never", ""];
    const terminal = {
      ...{ env: {}, out() {}, err() {} },
      ask: async (question: string) => {
        asked.push(question);
        return answers.shift() ?? "";
      },
    };
    const { name, address, policy, sandbox } = await askAll(terminal, {});
    expect(new Set(asked).size).toBe(5);
    expect([name, address.origin, sandbox]).toEqual([
      "shop.example.com",
      "https://gate.example.com",
      true,
    ]);
    expect(policy).toMatchObject({ default: "deny", rules: [{ id: "free" }] });
  });

  test.each([
    [["--domain", "a.example", "--address", "http://gate.example.com"], "is no address"],
    [["--domain", "a.example", "--limit", "much"], "is no limit"],
    [[], "nobody to ask"],
  ])("says what is wrong with %j", async (options, words) => {
    const wrong = run(temporaryFolder(), "init", ...options);
    expect([await wrong.ended, wrong.text()]).toEqual([2, expect.stringContaining(words)]);
  });
});
