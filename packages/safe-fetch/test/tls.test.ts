import { once } from "node:events";
import { createServer } from "node:https";
import tls from "node:tls";
import { generate } from "selfsigned";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { requestTarget } from "../src/request.ts";
import { newClock } from "./harness.ts";

type Pems = Awaited<ReturnType<typeof generate>>;
let pems: Pems;

beforeAll(async () => {
  pems = await generate([{ name: "commonName", value: "example.com" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 3_600_000),
  });
});

/** A real https server on loopback with a certificate for example.com, signed by itself. */
async function serveTls() {
  const requests: (string | undefined)[] = [];
  const names: string[] = [];
  const { private: key, cert } = pems;
  const server = createServer(
    {
      key,
      cert,
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    },
    (request, response) => {
      requests.push(request.headers.host);
      response.end("over TLS");
    },
  );
  server.on("tlsClientError", () => undefined);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as { port: number }).port, requests, names };
}

/** For one test, the certificate counts as one of the authorities that Node ships with. */
function trustCertificate(): void {
  const create = tls.createSecureContext;
  const trusting = vi
    .spyOn(tls, "createSecureContext")
    .mockImplementation((options) => create({ ...options, ca: pems.cert }));
  onTestFinished(() => trusting.mockRestore());
}

function get(url: string, port: number) {
  const target = { url: new URL(url), address: "127.0.0.1", port };
  return requestTarget(target, { totalMs: 3000, bodyBytes: 64 }, newClock());
}

test("a certificate that no authority signed is refused before anything is sent", async () => {
  const { port, requests, names } = await serveTls();
  const result = await get("https://example.com/", port);
  expect(result).toMatchObject({ ok: false, reason: "unreachable" });
  expect(result).toHaveProperty("detail", expect.stringContaining("SELF_SIGNED_CERT"));
  expect({ requests, names }).toEqual({ requests: [], names: ["example.com"] });
});

test("a trusted certificate for another name is refused before anything is sent", async () => {
  const { port, requests } = await serveTls();
  trustCertificate();
  const result = await get("https://other.example.com/", port);
  expect(result).toMatchObject({ ok: false, reason: "unreachable" });
  expect(result).toHaveProperty("detail", expect.stringContaining("ALTNAME_INVALID"));
  expect(requests).toEqual([]);
});

test("a trusted certificate for the name is accepted at the pinned address", async () => {
  const { port, requests, names } = await serveTls();
  trustCertificate();
  const result = await get("https://example.com/", port);
  expect(result).toMatchObject({ ok: true, value: { body: Buffer.from("over TLS") } });
  expect({ requests, names }).toEqual({ requests: ["example.com"], names: ["example.com"] });
});
