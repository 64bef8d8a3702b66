import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config/config.ts";
import { VARIABLES } from "../src/config/variables.ts";
import { StartupError } from "../src/startup-error.ts";

function refusal(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return (error as Error).message;
  }
  return "accepted";
}

describe("a malformed setting is refused in one sentence that names the variable:", () => {
  test.each([
    [{ GATEHOUSE_MODE: "staging" }, /^GATEHOUSE_MODE must be production or development\.$/],
    [{ GATEHOUSE_PORT: "http" }, /^GATEHOUSE_PORT must be a whole number from 0 to 65535\.$/],
    [{ GATEHOUSE_PORT: "65536" }, /^GATEHOUSE_PORT must be/],
    [{ GATEHOUSE_PORT: "-1" }, /^GATEHOUSE_PORT must be/],
    [{ GATEHOUSE_HOST: "example.com" }, /^GATEHOUSE_HOST must be an IP address/],
    [
      { GATEHOUSE_BASE_URL: "gate.example.com" },
      /^GATEHOUSE_BASE_URL must be an https:\/\/ address \(or set GATEHOUSE_MODE=development\)\.$/,
    ],
    [{ GATEHOUSE_BASE_URL: "http://gate.example.com" }, /^GATEHOUSE_BASE_URL must be an https/],
    [{ GATEHOUSE_BASE_URL: "https://gate.example.com/path" }, /an origin only/],
    [{ GATEHOUSE_BASE_URL: "https://u:p@gate.example.com" }, /an origin only/],
    [{ GATEHOUSE_DATABASE_URL: "mysql://x/y" }, /^GATEHOUSE_DATABASE_URL must be a postgres:/],
    [{ GATEHOUSE_DATABASE_URL: "localhost" }, /^GATEHOUSE_DATABASE_URL must be a postgres:/],
    [
      { GATEHOUSE_ADMIN_TOKEN: "short" },
      /^GATEHOUSE_ADMIN_TOKEN must be at least 32 visible ASCII characters/,
    ],
    [{ GATEHOUSE_ADMIN_TOKEN: "x".repeat(31) }, /^GATEHOUSE_ADMIN_TOKEN must be at least 32/],
    [{ GATEHOUSE_ADMIN_TOKEN: `${"x".repeat(32)} y` }, /without spaces/],
    [{ GATEHOUSE_SECRETS_KEY: "hunter2" }, /^GATEHOUSE_SECRETS_KEY must be 32 random bytes/],
    [{ GATEHOUSE_SECRETS_KEY: "A".repeat(43), GATEHOUSE_SECRETS_KEY_FILE: "x" }, /not both/],
    [{ GATEHOUSE_TLS_CERT: "cert.pem" }, /together, or neither/],
    [{ GATEHOUSE_SMTP_URL: "smtp://mail.example.com" }, /together, or neither/],
    [{ GATEHOUSE_TRUST_PROXY: "10.0.0.0/40" }, /^GATEHOUSE_TRUST_PROXY must be addresses or CIDR/],
    [{ GATEHOUSE_TRUST_PROXY: "10.0.0.0/8/9" }, /^GATEHOUSE_TRUST_PROXY must be/],
    [{ GATEHOUSE_TRUST_PROXY: "proxy.internal" }, /^GATEHOUSE_TRUST_PROXY must be/],
    [{ GATEHOUSE_LOG: "loud" }, /^GATEHOUSE_LOG must be trace or debug/],
    [{ GATEHOUSE_KEY_ALIASES: "a=b" }, /^GATEHOUSE_KEY_ALIASES must be entries like/],
    [{ GATEHOUSE_KEY_ALIASES: "a=b@2030-13-40" }, /^GATEHOUSE_KEY_ALIASES must be/],
    [{ GATEHOUSE_KEY_ALIASES: "a=b@2030-02-30" }, /^GATEHOUSE_KEY_ALIASES must be.* real dates/],
    [{ GATEHOUSE_KEY_ALIASES: "a=b@2030-01-01,a=c@2030-01-01" }, /each old id appears once/],
    [{ GATEHOUSE_TLS_MIN: "1.1" }, /^GATEHOUSE_TLS_MIN must be 1\.2 or 1\.3\.$/],
    [{ GATEHOUSE_MANDATES_PER_SITE_PER_MINUTE: "1000001" }, /from 1 to 1000000/],
    [{ GATEHOUSE_MANDATES_PER_SITE_PER_MINUTE: "0" }, /from 1 to 1000000/],
    [{ GATEHOUSE_FETCH_ALLOW: "shop.localhost" }, /works only in development/],
    [{ GATEHOUSE_STRIPE_API_BASE: "http://127.0.0.1:1" }, /works only in development/],
    [
      { GATEHOUSE_MODE: "development", GATEHOUSE_FETCH_ALLOW: "http://x/" },
      /hosts with or without a port/,
    ],
    [
      { GATEHOUSE_MODE: "development", GATEHOUSE_HOST: "0.0.0.0" },
      /only on this machine\. Set GATEHOUSE_HOST=127\.0\.0\.1/,
    ],
    [
      { GATEHOUSE_PROT: "1" },
      /^GATEHOUSE_PROT is not a setting of Gatehouse; did you mean GATEHOUSE_PORT\?/,
    ],
    [
      { GATEHOUSE_SOMETHING_ELSE_ENTIRELY: "1" },
      /is not a setting of Gatehouse Run `gatehouse serve --help`/,
    ],
  ])("it is refused in %j", (env, message) => {
    expect(refusal(env as Record<string, string>)).toMatch(message);
  });

  test.each([
    "mail.example.com",
    "http://mail.example.com",
    "smtp://",
    "smtp://mail.example.com/x",
    "smtps://mail.example.com?tls.rejectUnauthorized=false",
    "smtp://user@mail.example.com",
    "smtp://%zz:b@mail.example.com",
    "smtp://mail_server.example.com",
  ])("it is refused for the mail server %s", (url) => {
    const env = { GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: "gate@example.com" };
    expect(refusal(env)).toMatch(/^GATEHOUSE_SMTP_URL must be smtps:/);
  });

  test.each(["gate", "Gate gate@example.com", 'Ga"te <gate@example.com>', "<gate@example>"])(
    "it is refused for the mail sender %s",
    (from) => {
      const env = { GATEHOUSE_SMTP_URL: "smtp://mail.example.com", GATEHOUSE_MAIL_FROM: from };
      expect(refusal(env)).toMatch(/^GATEHOUSE_MAIL_FROM must be an email address/);
    },
  );

  test("the sentence never repeats a secret", () => {
    const secret = "hunter2hunter2";
    for (const name of VARIABLES.filter((variable) => variable.secret).map(({ name }) => name)) {
      expect(refusal({ [name]: secret })).not.toContain(secret);
    }
  });
});

test("without any variable the service runs in production on 127.0.0.1:8787 with SQLite in ./data", () => {
  expect(readConfig({ HOME: "/somewhere", PATH: "/bin" })).toMatchObject({
    mode: "production",
    host: "127.0.0.1",
    port: 8787,
    baseUrl: "https://127.0.0.1:8787",
    databaseUrl: undefined,
    logLevel: "info",
    trustProxy: [],
    fetchAllow: [],
  });
});

test("variables that Kubernetes adds for a service called gatehouse are ignored", () => {
  const env = { GATEHOUSE_SERVICE_HOST: "10.0.0.1", GATEHOUSE_PORT_8787_TCP_ADDR: "10.0.0.1" };
  expect(readConfig(env).port).toBe(8787);
});

test("an empty variable counts as absent, and surrounding white space is dropped", () => {
  const config = readConfig({ GATEHOUSE_DATABASE_URL: "", GATEHOUSE_PORT: " 9000 " });
  expect([config.databaseUrl, config.port]).toEqual([undefined, 9000]);
});

test("development answers plain HTTP on loopback, or HTTPS anywhere", () => {
  expect(readConfig({ GATEHOUSE_MODE: "development" }).baseUrl).toBe("http://127.0.0.1:8787");
  const tls = { GATEHOUSE_TLS_CERT: "c.pem", GATEHOUSE_TLS_KEY: "k.pem" };
  const anywhere = { GATEHOUSE_MODE: "development", GATEHOUSE_HOST: "::", ...tls };
  expect(readConfig(anywhere).baseUrl).toBe("https://[::]:8787");
});

test("the base URL is stored as an origin, in lower case, without a default port", () => {
  const env = { GATEHOUSE_BASE_URL: "https://Gate.Example.com:443/" };
  expect(readConfig(env).baseUrl).toBe("https://gate.example.com");
});

test("a mail server URL is parsed into its port, its credentials and whether it is local", () => {
  const mail = (url: string, from = "gate@example.com") =>
    readConfig({ GATEHOUSE_SMTP_URL: url, GATEHOUSE_MAIL_FROM: from }).mail;
  expect(mail("smtps://ann%40example.com:p%3Aw@mail.example.com")).toEqual({
    server: {
      host: "mail.example.com",
      port: 465,
      tls: true,
      local: false,
      signIn: { user: "ann@example.com", password: "p:w" },
    },
    from: { name: "", address: "gate@example.com" },
  });
  expect(mail("smtp://[::1]:2525/", "Gate House <gate@example.com>")).toEqual({
    server: { host: "::1", port: 2525, tls: false, local: true, signIn: undefined },
    from: { name: "Gate House", address: "gate@example.com" },
  });
  expect(mail("smtp://mail.example.com")?.server.port).toBe(587);
});
