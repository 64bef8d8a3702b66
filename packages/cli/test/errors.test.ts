import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freshEnvironment, startServer, temporaryFolder } from "../../server/test/harness.ts";
import { command } from "./command.ts";

/** A server that answers as a test wants; its address. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a file that cannot be used is told in a sentence, by whatever command it was for", async () => {
  const env = await freshEnvironment("sqlite");
  const { url } = await startServer(env);
  const here = { ...env, GATEHOUSE_BASE_URL: url };
  await command(["site", "create", "shop.example.com", "--name", "Shop"], here);
  const taken = join(temporaryFolder(), "taken");
  writeFileSync(taken, "");
  const commands = [
    ["site", "preview", "shop.example.com", "--out", taken],
    ["audit", "export", "shop.example.com", "--out", taken],
  ];
  for (const args of commands) {
    expect(await command(args, here)).toEqual({
      ...{ code: 1, out: "" },
      err: `${taken} cannot be used: it is there already.\nCheck the path and who may use it, or name another.\n`,
    });
  }
});

test("a service that stops in the middle of its answer counts as one that does not answer", async () => {
  const cut = await answering((_request, response) => {
    response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy());
  });
  const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_BASE_URL: cut };
  expect(await command(["site", "list"], env)).toEqual({
    ...{ code: 4, out: "" },
    err: `${cut} stopped answering.\nLook whether it was done before you try again.\n`,
  });
});

test("an agent is told whether a site did not answer, or answered no", async () => {
  const missing = await answering((_request, response) => void response.writeHead(404).end());
  const status = ["agent", "status"];
  expect(await command([...status, `${missing}/card.json`, "agt_1"], {})).toEqual({
    ...{ code: 1, out: "" },
    err: expect.stringMatching(/status 404\.\nName the site's own address, or that of its card/),
  });
  expect(await command([...status, "http://127.0.0.1:1/card.json", "agt_1"], {})).toEqual({
    ...{ code: 4, out: "" },
    err: expect.stringMatching(/does not answer\.\nCheck the address, and whether/),
  });
});
