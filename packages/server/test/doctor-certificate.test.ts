import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "selfsigned";
import { beforeAll, expect, test } from "vitest";
import type { Config } from "../src/config/config.ts";
import { checkTransport } from "../src/maintenance/doctor-machine.ts";
import { temporaryFolder } from "./harness.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const expires = new Date("2030-06-30T12:00:00Z");
const folder = temporaryFolder();
const tls = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };

beforeAll(async () => {
  const names = [{ name: "commonName", value: "gate.example.com" }];
  const { cert, private: key } = await generate(names, {
    notBeforeDate: new Date("2030-01-01T00:00:00Z"),
    notAfterDate: expires,
  });
  writeFileSync(tls.certFile, cert);
  writeFileSync(tls.keyFile, key, { mode: 0o600 });
});

test.each([
  [20 * DAY_MS, "good", /^HTTPS, certificate valid until Jun 30 12:00:00 2030 GMT$/],
  [5 * DAY_MS + MINUTE_MS, "warning", /It expires in 5 days: renew it$/],
  [DAY_MS + MINUTE_MS, "warning", /It expires in 1 day: renew it$/],
  [MINUTE_MS, "warning", /It expires within a day: renew it$/],
  [-MINUTE_MS, "failure", /^the TLS certificate has expired: renew it$/],
])("a certificate that has %d ms left is %s", (left, verdict, message) => {
  const finding = checkTransport({ tls } as Config, expires.getTime() - left);
  expect(finding).toMatchObject({ verdict, message: expect.stringMatching(message) });
});
