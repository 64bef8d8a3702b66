import { writeFileSync } from "node:fs";
import { get as httpGet, type IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { join } from "node:path";
import { type SecureVersion, connect as tlsConnect } from "node:tls";
import { generate } from "selfsigned";
import { expect, test } from "vitest";
import { readConfig } from "../src/config/config.ts";
import { TrustedProxies } from "../src/http/server/trusted-proxies.ts";
import { cutAddress } from "../src/infra/addresses.ts";
import { networksOf } from "../src/infra/networks.ts";
import { doctor } from "../src/maintenance/doctor.ts";
import { checkConfiguration } from "../src/maintenance/doctor-machine.ts";
import { startupLines } from "../src/startup-lines.ts";
import { freshEnvironment, OPERATOR_TOKEN, raw, startServer, temporaryFolder } from "./harness.ts";

async function production(extra: Record<string, string> = {}) {
  const env = await freshEnvironment("sqlite");
  return startServer({ ...env, GATEHOUSE_MODE: "production", ...extra });
}

interface Seen {
  readonly status: number;
  readonly text: string;
}

function seen(get: typeof httpGet | typeof httpsGet, url: string, headers = {}): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false, rejectUnauthorized: false } as object);
    request.on("error", reject);
    request.on("response", (response: IncomingMessage) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
}

const EVERYWHERE = [
  "/healthz",
  "/readyz",
  "/version",
  "/metrics",
  "/openapi.json",
  "/v1/admin/sites",
  "/x",
];
const authorized = { authorization: `Bearer ${OPERATOR_TOKEN}` };

test("production over plain HTTP answers https_required to everything", async () => {
  const { url } = await production();
  for (const path of EVERYWHERE) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await fetch(url + path, { method, headers: authorized });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: "https_required" });
    }
  }
});

test("forwarding headers from an untrusted address are ignored", async () => {
  const { url } = await production({ GATEHOUSE_TRUST_PROXY: "10.0.0.0/8" });
  const headers = { "x-forwarded-proto": "https", "x-forwarded-for": "127.0.0.1", ...authorized };
  expect((await fetch(`${url}/healthz`, { headers })).status).toBe(403);
});

test("behind a trusted proxy the service answers only requests that came over https", async () => {
  const { url } = await production({ GATEHOUSE_TRUST_PROXY: "127.0.0.1" });
  const by = (proto: string) =>
    fetch(`${url}/healthz`, { headers: { "x-forwarded-proto": proto } });
  expect((await by("https")).status).toBe(200);
  expect((await by("http")).status).toBe(403);
  // The last value is our proxy's own; what stands before it came from outside.
  expect((await by("https, http")).status).toBe(403);
  expect((await fetch(`${url}/healthz`)).status).toBe(403);
});

test("with TLS files the service speaks HTTPS, and refuses plain HTTP on the same port with https_required", async () => {
  const folder = temporaryFolder();
  const pems = await generate([{ name: "commonName", value: "localhost" }]);
  writeFileSync(join(folder, "cert.pem"), pems.cert);
  writeFileSync(join(folder, "key.pem"), pems.private);
  const { url } = await production({
    GATEHOUSE_TLS_CERT: join(folder, "cert.pem"),
    GATEHOUSE_TLS_KEY: join(folder, "key.pem"),
  });
  expect(await seen(httpsGet, `${url}/healthz`)).toEqual({ status: 200, text: '{"status":"ok"}' });
  const plain = await seen(httpGet, `${url.replace("https", "http")}/healthz`);
  expect(plain.status).toBe(403);
  expect(JSON.parse(plain.text).error).toBe("https_required");
});

test("TLS 1.2 is refused unless the operator allows it for old clients", async () => {
  const folder = temporaryFolder();
  const pems = await generate([{ name: "commonName", value: "localhost" }]);
  writeFileSync(join(folder, "cert.pem"), pems.cert);
  writeFileSync(join(folder, "key.pem"), pems.private);
  const spoken = (port: number, maxVersion: SecureVersion) =>
    new Promise<string | null>((resolve) => {
      const options = { port, host: "127.0.0.1", maxVersion, rejectUnauthorized: false };
      const socket = tlsConnect(options, () => {
        resolve(socket.getProtocol());
        socket.destroy();
      });
      socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? null));
    });
  const files = {
    GATEHOUSE_TLS_CERT: join(folder, "cert.pem"),
    GATEHOUSE_TLS_KEY: join(folder, "key.pem"),
  };
  const strict = await production(files);
  expect(await spoken(strict.port, "TLSv1.2")).toBe("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
  expect(await spoken(strict.port, "TLSv1.3")).toBe("TLSv1.3");
  const lenient = await production({ ...files, GATEHOUSE_TLS_MIN: "1.2" });
  expect(await spoken(lenient.port, "TLSv1.2")).toBe("TLSv1.2");
});

test("metrics are open to a direct client on this machine, and closed to a forwarded one", async () => {
  const { url } = await startServer(await freshEnvironment("sqlite"));
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  for (const header of ["x-forwarded-for", "x-forwarded-proto", "forwarded", "x-forwarded-host"]) {
    const forwarded = await fetch(`${url}/metrics`, { headers: { [header]: "127.0.0.1" } });
    expect(forwarded.status).toBe(401);
  }
  const headers = { "x-forwarded-for": "203.0.113.9", ...authorized };
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
});

test("metrics are refused to a page that reaches this machine through DNS rebinding", async () => {
  const { port } = await startServer(await freshEnvironment("sqlite"));
  const asking = (host: string, headers = "") =>
    raw(port, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`);
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example"]) {
    expect(await asking(host)).toMatch(/^HTTP\/1\.1 401 /);
  }
  for (const host of ["localhost", `127.0.0.1:${port}`, `[::1]:${port}`, "shop.localhost"]) {
    expect(await asking(host)).toMatch(/^HTTP\/1\.1 200 /);
  }
  const token = `Authorization: Bearer ${OPERATOR_TOKEN}\r\n`;
  expect(await asking("metrics.internal", token)).toMatch(/^HTTP\/1\.1 200 /);
});

test("metrics behind a trusted proxy need an operator's token", async () => {
  const { url } = await production({ GATEHOUSE_TRUST_PROXY: "127.0.0.1" });
  const https = { "x-forwarded-proto": "https" };
  expect((await fetch(`${url}/metrics`, { headers: https })).status).toBe(401);
  const headers = { ...https, ...authorized };
  const answer = await fetch(`${url}/metrics`, { headers });
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await answer.text();
  expect(text).toMatch(/^# TYPE gatehouse_http_requests_total counter$/m);
  expect(text).toMatch(
    /^gatehouse_http_requests_total\{area="metrics",method="GET",status="401"\} 1$/m,
  );
});

function request(peer: string, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

test.each([
  ["no proxy", "198.51.100.7", undefined, "198.51.100.7"],
  ["an untrusted peer's claim", "198.51.100.7", "203.0.113.1", "198.51.100.7"],
  ["one trusted hop", "10.0.0.1", "203.0.113.1", "203.0.113.1"],
  ["what a client wrote before the proxy added", "10.0.0.1", "1.2.3.4, 203.0.113.1", "203.0.113.1"],
  ["two trusted hops", "10.0.0.1", "203.0.113.1, 10.0.0.2", "203.0.113.1"],
  ["trusted hops only", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["garbage from the client", "10.0.0.1", "<script>, 203.0.113.1", "203.0.113.1"],
  ["garbage from the proxy", "10.0.0.1", "203.0.113.1, unknown", "10.0.0.1"],
  ["a port behind the address", "10.0.0.1", "203.0.113.1:4711", "203.0.113.1"],
  ["a port behind an IPv6 address", "10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"],
  ["a mapped peer", "::ffff:10.0.0.1", "::ffff:203.0.113.1", "203.0.113.1"],
])("the client address is found with %s", (_name, peer, forwardedFor, address) => {
  const proxies = new TrustedProxies(["10.0.0.0/8", "fd00::1"]);
  expect(proxies.clientOf(request(peer, forwardedFor)).address).toBe(address);
});

test("limits count IPv6 by /64, /56 and /48, and logs shorten addresses", () => {
  expect(networksOf("203.0.113.7")).toEqual(["203.0.113.7"]);
  const networks = ["2001:db8:1:2::/64", "2001:db8:1:0::/56", "2001:db8:1::/48"];
  expect(networksOf("2001:db8:1:2:3:4:5:6")).toEqual(networks);
  expect(networksOf("2001:0DB8:0001:0002::9")).toEqual(networks);
  expect(networksOf("2001:db8:1:2ff::9")[1]).toBe("2001:db8:1:200::/56");
  expect(networksOf("2001:db8::1")[0]).toBe("2001:db8:0:0::/64");
  expect(cutAddress("203.0.113.7")).toBe("203.0.113.0/24");
  expect(cutAddress("2001:db8:1:2::9")).toBe("2001:db8:1::/48");
  expect(cutAddress("")).toBe("unknown");
});

test("serve and doctor warn if the port of the base URL differs from the port of the service", async () => {
  const env = await freshEnvironment("sqlite");
  const { context, port } = await startServer(env);
  const fault = `has port ${port}, but the service listens on port ${port + 1}.`;
  expect(startupLines(context, port).join("\n")).not.toContain("but the service listens");
  expect(startupLines(context, port + 1).join("\n")).toContain(fault);
  const ports = { GATEHOUSE_BASE_URL: context.config.baseUrl, GATEHOUSE_PORT: String(port + 1) };
  const findings = await doctor({ ...env, ...ports });
  expect(findings.find(({ part }) => part === "configuration")).toEqual({
    part: "configuration",
    verdict: "warning",
    message: expect.stringContaining(fault),
  });
});

test.each([
  ["another port", { BASE_URL: "http://127.0.0.1:8787" }, /has port 8787, .* on port 9000\. /],
  [
    "no port",
    { BASE_URL: "http://localhost" },
    /has port 80, but the service listens on port 9000/,
  ],
  ["the same port", { BASE_URL: "http://localhost:9000" }, undefined],
  ["HTTPS, so a proxy or a container", { BASE_URL: "https://gate.example.com" }, undefined],
  ["a port of a proxy", { BASE_URL: "http://localhost:8787", TRUST_PROXY: "127.0.0.1" }, undefined],
])("doctor compares the port of a base URL with %s", (_what, settings, message) => {
  const named = Object.entries({ MODE: "development", PORT: "9000", ...settings });
  const config = readConfig(
    Object.fromEntries(named.map(([name, value]) => [`GATEHOUSE_${name}`, value])),
  );
  const warned = { verdict: "warning", message: expect.stringMatching(message ?? "") };
  expect(checkConfiguration(config)).toMatchObject(
    message === undefined ? { verdict: "good" } : warned,
  );
});
