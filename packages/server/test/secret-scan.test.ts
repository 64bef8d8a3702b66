import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshPostgres, temporaryFolder } from "./harness.ts";
import { Sweep, secretIn, sweepAnswers, sweepFolder, sweepPostgres } from "./secret-scan.ts";

/** Every test of the service ends in this search: it must find what it looks for. */
describe("the scan for secrets in clear text", () => {
  const secrets = [
    "sk_test_0123456789abcdef",
    "rk_live_0123456789abcdef",
    "whsec_0123456789abcdef",
    "pm_card_visa",
    "tok_mastercard",
    "spt_1234567890",
    "tok_1abcdefgh",
  ];
  test.each(secrets)("finds %s, whatever is around it", (secret) => {
    for (const text of [secret, `"${secret}"`, `token=${secret}&`, `\0${secret}\0`]) {
      expect(secretIn("a text", text)).toContain(secret);
    }
  });

  test("ignores text that only resembles a secret", () => {
    for (const text of ["sk_legacy_key_123", "pm_...", "token", "spam_card", "whsec_"]) {
      expect(secretIn("a text", text)).toBeUndefined();
    }
  });

  test("finds one in a file, even a compressed one", () => {
    const folder = temporaryFolder({ ofSender: true });
    writeFileSync(join(folder, "plain"), "nothing");
    sweepFolder(folder);
    writeFileSync(join(folder, "packed"), gzipSync("... pm_card_visa ..."));
    expect(() => sweepFolder(folder)).toThrow(/packed/);
  });

  test("finds one in a row of PostgreSQL", async () => {
    const client = new pg.Client({ connectionString: await freshPostgres() });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("CREATE TEMPORARY TABLE unseen (text text)");
    await client.query("CREATE TABLE kept (number integer, text text)");
    await client.query("INSERT INTO kept VALUES (1, 'nothing')");
    await sweepPostgres(client);
    await client.query(`INSERT INTO kept VALUES (2, '{"token":"pm_card_visa"}')`);
    await expect(sweepPostgres(client)).rejects.toThrow(/table kept/);
    await client.query("DROP TABLE kept");
  });

  test("finds one in an answer", async () => {
    const sweep = new Sweep();
    const listener = sweepAnswers(sweep, (request, response) => {
      response.end(request.url === "/docs" ? "pm_card_visa" : JSON.stringify({ at: request.url }));
    });
    const server = createServer(listener).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once("listening", listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const path of ["/", "/docs"]) await (await fetch(url + path)).text();
    sweep.end();
    await (await fetch(`${url}/pm_card_visa`)).text();
    expect(() => sweep.end()).toThrow(/GET \/pm_card_visa/);
  });
});
