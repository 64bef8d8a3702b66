import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../server/test/harness.ts";
import { askAll } from "../src/init/answers.ts";
import { policyOf, readLimit } from "../src/init/limit.ts";

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
  return runWith({}, cwd, ...args);
}

function runWith(settings: NodeJS.ProcessEnv, cwd: string, ...args: string[]): Ran {
  const env = { PATH: process.env.PATH, GATEHOUSE_LOG: "silent", ...settings };
  const child = spawn(process.execPath, [inject("gatehouseCommand"), ...args], { cwd, env });
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
  test("sets up a site from its answers that runs, and runs again with `serve`", async () => {
    const folder = temporaryFolder();
    const address = `http://localhost:${await freePort()}`;
    const options = ["--domain", "shop.localhost", "--name", "Fern & Petal", "--sandbox"];
    const rules = ["--limit", "50,00 €", "--timezone", "Europe/Berlin"];
    const usual = { GATEHOUSE_LOG: undefined };
    const first = runWith(usual, folder, "init", ...options, "--address", address, ...rules);
    await first.until("#set-up=");
    expect(first.text()).toContain("The service is running. Press Ctrl-C to stop it.");
    expect(first.text()).not.toContain('"level":"info"');
    expect(first.text()).toMatch(new RegExp(`${address}/console#set-up=\\S{43}`));
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
    expect([document.rules[1].title, document.timezone]).toEqual([
      "Up to 50.00 EUR",
      "Europe/Berlin",
    ]);
    expect(first.text()).toContain(
      "This does not limit people who pay themselves on the payment page.",
    );
    first.child.kill("SIGINT");
    expect(await first.ended).toBe(0);

    const again = run(folder, "serve");
    await again.until("is ready (development)");
    await again.until("settings  from gatehouse.env: GATEHOUSE_MODE");
    again.child.kill("SIGINT");
    await again.ended;
    // What the shell sets does not come from the file, and the service says so.
    const own = { GATEHOUSE_FETCH_ALLOW: "other.localhost" };
    const overridden = runWith(own, folder, "serve");
    await overridden.until("overridden by the environment: GATEHOUSE_FETCH_ALLOW\n");
    expect(overridden.text()).not.toMatch(/from gatehouse\.env: .*GATEHOUSE_FETCH_ALLOW/);
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

  test.skipIf(process.platform !== "linux")(
    "opens the console through a file that only this person can read, and removes it",
    async () => {
      const folder = temporaryFolder();
      const seen = join(folder, "seen");
      const program = join(folder, "xdg-open");
      const script = `#!/bin/sh\nf="\${1#file://}"; stat -c %a "$f" > seen.new; cat "$f" >> seen.new; echo "$f" >> seen.new; mv seen.new ${seen}\n`;
      writeFileSync(program, script, { mode: 0o755 });
      const env = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ":0" };
      const options = ["--domain", "shop.localhost", "--sandbox", "--open"];
      const address = ["--address", `http://localhost:${await freePort()}`];
      const started = runWith(env, folder, "init", ...options, ...address);
      await started.until("#set-up=");
      const [link = ""] = /http\S+#set-up=\S+/.exec(started.text()) ?? [];
      await expect.poll(() => existsSync(seen)).toBe(true);
      const [mode, page, file = ""] = readFileSync(seen, "utf8").trimEnd().split("\n");
      expect(mode).toBe("600");
      expect(page).toContain(`content="0;url=${link}"`);
      started.child.kill("SIGINT");
      expect(await started.ended).toBe(0);
      expect(existsSync(file)).toBe(false);
    },
  );

  test("can be started again after it did not finish", async () => {
    const folder = temporaryFolder();
    const address = ["--address", `http://localhost:${await freePort()}`];
    symlinkSync(join(folder, "nowhere/settings"), join(folder, "gatehouse.env"));
    const occupied = run(folder, "init", "--domain", "shop.example.com", ...address);
    expect([await occupied.ended, occupied.text()]).toEqual([
      2,
      expect.stringContaining("already has an installation"),
    ]);
    rmSync(join(folder, "gatehouse.env"));
    // As if the one before had been cut off before it wrote its settings.
    const cut = run(folder, "init", "--domain", "shop.example.com", ...address);
    await cut.until("The service is running.");
    cut.child.kill("SIGINT");
    await cut.ended;
    rmSync(join(folder, "gatehouse.env"));
    const right = run(folder, "init", "--domain", "shop.example.com", ...address);
    await right.until("The service is running.");
    expect(right.text()).toContain("TXT record _gatehouse.shop.example.com");
    expect(right.text()).toContain("site verify shop.example.com --method operator --reason");
    expect(right.text()).toContain("(works after the domain is verified)");
    const listed = run(folder, "site", "list", "--json");
    await listed.ended;
    expect(JSON.parse(listed.text()).items).toHaveLength(1);
  });

  test("asks six questions, and uses its suggestion for an empty line", async () => {
    const asked: string[] = [];
    const told: string[] = [];
    const answers = ["", "no domain", "https://shop.example.com/en/", "", "gate.example.com"];
    answers.push("much", "never", "Berlin", "Europe/Berlin", "");
    const terminal = {
      env: {},
      out() {},
      err: (text: string) => void told.push(text),
      ask: async (question: string) => {
        asked.push(question);
        return answers.shift() ?? "";
      },
    };
    const { name, address, limit, timezone, sandbox } = await askAll(terminal, {});
    expect(new Set(asked).size).toBe(6);
    expect(told.map((text) => text.slice(0, 22))).toEqual([
      "This question has no d",
      "no domain is not a dom",
      "much is not a limit. E",
      "Berlin is not a time z",
    ]);
    expect([name, address.origin, timezone, sandbox]).toEqual([
      "shop.example.com",
      "https://gate.example.com",
      "Europe/Berlin",
      true,
    ]);
    expect(policyOf(limit, timezone)).toMatchObject({ default: "deny", rules: [{ id: "free" }] });
  });

  test("takes a number for a port of this machine, not for an address", async () => {
    const terminal = { env: {}, out() {}, err() {}, ask: async () => "" };
    const given = { domain: "shop.example.com", timezone: "UTC", limit: "50 EUR" };
    const { address } = await askAll(terminal, { ...given, address: "8801" });
    expect(address.origin).toBe("http://localhost:8801");
  });

  test.each([
    ["50.00 EUR", "50.00", "EUR"],
    ["50 eur", "50.00", "EUR"],
    ["50,00 €", "50.00", "EUR"],
    ["$50", "50.00", "USD"],
    ["£ 7.5", "7.50", "GBP"],
    ["USD 1000", "1000.00", "USD"],
    ["¥500", "500", "JPY"],
  ])("reads the amount %s", (text, limit, currency) => {
    expect(readLimit(text)).toEqual({ preset: "automatic_under", limit, currency });
  });

  test.each(["50", "$50 EUR", "1,000 USD", "1,000 KWD", "0 EUR", "50 XYZ"])(
    "asks again for the amount %s",
    (text) => {
      expect(() => readLimit(text)).toThrow("is not a limit");
    },
  );

  test.each([
    [["--domain", "a.example", "--address", "http://gate.example.com"], "is not the address"],
    [["--domain", "a.example", "--address", "http://localhost:0"], "is not the address"],
    [["--domain", "a.example", "--address", "99999"], "is not the address"],
    [["--domain", "a.example", "--address", "127.0.0.1:8788"], "Use http://localhost:8788."],
    [["--domain", "a.example", "--limit", "much"], "is not a limit"],
    [["--domain", "no domain"], "is not a domain"],
    [["--domain", "a.localhost", "--address", "https://gate.example.com"], "Use the public domain"],
    [["--domain", "localhost:21443", "--address", "gate.example.com"], "http://localhost:8787"],
    [["--domain", "a.example", "--timezone", "Berlin"], "such as Europe/Berlin"],
    [[], "not an interactive terminal"],
  ])("says what is wrong with the options %j", async (options, words) => {
    const wrong = run(temporaryFolder(), "init", ...options);
    expect([await wrong.ended, wrong.text()]).toEqual([2, expect.stringContaining(words)]);
  });

  test("says first what a proxy has to do if there is one in front", async () => {
    const answers = ["--domain", "shop.example.com", "--address", "https://gate.example.com"];
    const served = runWith({ GATEHOUSE_PORT: "0" }, temporaryFolder(), "init", ...answers);
    await served.until("The service is running.");
    expect(served.text()).toMatch(
      /First set up a proxy on this machine, with the certificate of gate\.example\.com, in front of 127\.0\.0\.1:\d+/,
    );
  });

  test("reports a port that is in use, and leaves nothing behind", async () => {
    const folder = temporaryFolder();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const used = run(
      folder,
      "init",
      "--domain",
      "a.example.com",
      "--address",
      `http://localhost:${port}`,
    );
    expect([await used.ended, used.text()]).toEqual([3, expect.stringContaining("question 3")]);
    expect(existsSync(join(folder, "gatehouse.env"))).toBe(false);
  });
});

describe("the file gatehouse.env", () => {
  const written = (text: string, mode = 0o600) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "gatehouse.env"), text);
    chmodSync(join(folder, "gatehouse.env"), mode);
    return folder;
  };
  const mailed = (from: string) =>
    written(
      `GATEHOUSE_SMTP_URL=smtp://127.0.0.1\nGATEHOUSE_MODE=development\nGATEHOUSE_MAIL_FROM=${from}\n`,
    );

  test.each([`"Gate <gate@example.com>"`, `'Gate <gate@example.com>'`, "Gate <gate@example.com>"])(
    "may have a value with or without quotes: %s",
    async (from) => {
      const asked = run(mailed(from), "site", "list");
      // Settings were understood: what is missing is somebody's token.
      expect([await asked.ended, asked.text()]).toEqual([
        1,
        expect.stringContaining("no operator token"),
      ]);
    },
  );

  test.each([
    ["that others can write", () => written("GATEHOUSE_PORT=1\n", 0o666), "other users can write"],
    ["that is too long", () => written(`#${"x".repeat(70_000)}\n`), "larger than"],
    ["with an invalid line", () => written('GATEHOUSE_PORT="1\n'), "Line 1 of gatehouse.env"],
    [
      "that is a folder",
      () => {
        const folder = temporaryFolder();
        mkdirSync(join(folder, "gatehouse.env"));
        return folder;
      },
      "not a regular file",
    ],
  ])("%s is refused, and nothing starts", async (_what, folder, words) => {
    const refused = run(folder(), "serve");
    expect([await refused.ended, refused.text()]).toEqual([3, expect.stringContaining(words)]);
  });
});
