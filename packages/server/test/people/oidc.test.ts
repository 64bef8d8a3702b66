import { describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../../test/free-port.ts";
import { SESSION } from "../console-browser.ts";
import { createSite, freshEnvironment, startServer, TIER_DATABASES } from "../harness.ts";
import { type Account, CLIENT_SECRET, startProvider } from "./oidc-provider.ts";

const SESSION_COOKIE = "__Host-gatehouse";
const ATTEMPT = "__Host-gatehouse-oidc";

/** A browser that follows addresses and keeps cookies, each for its host and port. */
function visitor() {
  const jars = new Map<string, Map<string, string>>();
  async function ask(url: string, init: RequestInit = {}) {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...(init.headers as Record<string, string>), ...(cookie && { cookie }) },
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "" || /expires=Thu, 01 Jan 1970|Max-Age=0/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }
  const jarOf = (base: string) => jars.get(new URL(base).origin);
  /** Follows redirects until an address begins with this one. */
  async function follow(start: string, until: string): Promise<string> {
    let url = start;
    for (let step = 0; step < 12; step++) {
      if (url.startsWith(until)) return url;
      const response = await ask(url);
      const next = response.headers.get("location");
      if (next !== null) {
        url = new URL(next, url).href;
        continue;
      }
      const form = /action="([^"]+)"/.exec(await response.text())?.[1] ?? "";
      const isLogin = form.includes("/interaction/") && !form.endsWith("/confirm");
      const body = new URLSearchParams({
        prompt: isLogin ? prompt : "consent",
        login: who,
        password: "x",
      });
      prompt = "consent";
      const sent = await ask(new URL(form, url).href, {
        method: "POST",
        body: body.toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      url = new URL(sent.headers.get("location") ?? "", url).href;
    }
    throw new Error(`never came to ${until}, last at ${url}`);
  }
  let who = "";
  let prompt = "login";
  return {
    ask,
    cookie: (base: string, name: string) => jarOf(base)?.get(name) ?? "",
    setCookie: (base: string, name: string, value: string) => jarOf(base)?.set(name, value),
    /** Signs in at the provider, and returns the address it sends the browser back to. `onWay` changes what the browser asks there. */
    async signIn(base: string, login: string, onWay: (asked: URL) => void = () => {}) {
      who = login;
      prompt = "login";
      const begun = await ask(`${base}/v1/console/oidc`);
      const asked = new URL(begun.headers.get("location") ?? "");
      onWay(asked);
      return follow(asked.href, `${base}/v1/console/oidc/callback`);
    },
  };
}

describe.each(TIER_DATABASES)(
  "signing in with the company's sign-in service, on %s:",
  (dialect) => {
    async function open(accounts: Record<string, Account>) {
      const port = await freePort();
      const base = `http://127.0.0.1:${port}`;
      const callback = `${base}/v1/console/oidc/callback`;
      const { issuer, stop } = await startProvider(callback, accounts);
      onTestFinished(stop);
      const server = await startServer({
        ...(await freshEnvironment(dialect)),
        GATEHOUSE_PORT: String(port),
        GATEHOUSE_BASE_URL: base,
        GATEHOUSE_OIDC_ISSUER: issuer,
        GATEHOUSE_OIDC_CLIENT_ID: "gatehouse",
        GATEHOUSE_OIDC_CLIENT_SECRET: CLIENT_SECRET,
      });
      const site = (await createSite(server, "mine.example.com")).site_key_hash as string;
      const invite = (email: string, name = "Ada") =>
        server.admin("POST", `/v1/admin/sites/${site}/people`, { name, role: "owner", email });
      const own = { origin: base, "x-gatehouse-console": "1" };
      const sessionOf = async (page: ReturnType<typeof visitor>) => {
        const response = await page.ask(base + SESSION, { headers: own });
        return response.status === 200 ? (await response.json()).name : response.status;
      };
      /** Signs in all the way, and returns where the console sends the browser. */
      const finish = async (page: ReturnType<typeof visitor>, login: string) => {
        const callback = await page.signIn(base, login);
        return (await page.ask(callback)).headers.get("location");
      };
      return { server, base, invite, sessionOf, finish };
    }
    const ADA = { ada: { email: "Ada@example.com", email_verified: true } };

    test("a person who was invited signs in, and is recognized by their id when the address changes", async () => {
      const accounts: Record<string, Account> = structuredClone(ADA);
      const { base, invite, sessionOf, finish } = await open(accounts);
      await invite("ada@example.com");
      const page = visitor();
      expect(await finish(page, "ada")).toBe(`${base}/console`);
      expect(await sessionOf(page)).toBe("Ada");
      accounts.ada = { email: "countess@example.com", email_verified: true };
      const again = visitor();
      await finish(again, "ada");
      expect(await sessionOf(again)).toBe("Ada");
    });

    test.each([
      ["was not invited", { eve: { email: "eve@example.com", email_verified: true } }],
      [
        "has an address that is not verified",
        { eve: { email: "ada@example.com", email_verified: false } },
      ],
    ])("somebody who %s is not let in", async (_, accounts) => {
      const { base, invite, sessionOf, finish } = await open(accounts as Record<string, Account>);
      await invite("ada@example.com");
      const page = visitor();
      expect(await finish(page, "eve")).toBe(`${base}/console#problem=oidc_unknown`);
      expect(await sessionOf(page)).toBe(401);
    });

    test("another account that gets somebody's old address does not become that person", async () => {
      const accounts: Record<string, Account> = structuredClone(ADA);
      const { base, invite, sessionOf, finish } = await open(accounts);
      await invite("ada@example.com");
      await finish(visitor(), "ada");
      accounts.mallory = { email: "ada@example.com", email_verified: true };
      const page = visitor();
      expect(await finish(page, "mallory")).toBe(`${base}/console#problem=oidc_unknown`);
      expect(await sessionOf(page)).toBe(401);
    });

    test("an answer of another browser, a second use and a changed state are refused", async () => {
      const { base, invite, sessionOf } = await open(structuredClone(ADA));
      await invite("ada@example.com");
      const attacker = visitor();
      const callback = await attacker.signIn(base, "ada");
      // Without the attempt of this browser: somebody was sent here with an answer of another.
      const victim = visitor();
      const failed = `${base}/console#problem=oidc_failed`;
      expect((await victim.ask(callback)).headers.get("location")).toBe(failed);
      expect(await sessionOf(victim)).toBe(401);
      const changed = new URL(callback);
      changed.searchParams.set("state", "other");
      expect((await attacker.ask(changed.href)).headers.get("location")).toBe(failed);
      // The attempt was spent by that.
      expect((await attacker.ask(callback)).headers.get("location")).toBe(failed);
      expect(await sessionOf(attacker)).toBe(401);
    });

    test("signing in ends the session that the browser had, although it does not send it on the way back", async () => {
      const { base, invite, sessionOf } = await open(structuredClone(ADA));
      await invite("ada@example.com");
      const page = visitor();
      const signIn = async () => {
        const callback = await page.signIn(base, "ada");
        const left = page.cookie(base, SESSION_COOKIE);
        page.setCookie(base, SESSION_COOKIE, "");
        await page.ask(callback);
        return left;
      };
      await signIn();
      const before = await signIn();
      const after = page.cookie(base, SESSION_COOKIE);
      expect(before).toMatch(/^[\w-]{43}$/);
      expect(after).not.toBe(before);
      expect(await sessionOf(page)).toBe("Ada");
      page.setCookie(base, SESSION_COOKIE, before);
      expect(await sessionOf(page)).toBe(401);
    });

    test("a link of another site does not begin to sign in", async () => {
      const { base } = await open({});
      const headers = { "sec-fetch-site": "cross-site" };
      const begun = await visitor().ask(`${base}/v1/console/oidc`, { headers });
      expect(begun.headers.get("location")).toBe(`${base}/console`);
      expect(begun.headers.getSetCookie()).toEqual([]);
    });

    test("an attempt counts once, also if the browser keeps it after the service refused the code", async () => {
      const { base, invite, sessionOf } = await open(structuredClone(ADA));
      await invite("ada@example.com");
      const page = visitor();
      const callback = await page.signIn(base, "ada");
      const kept = page.cookie(base, ATTEMPT);
      const wrong = new URL(callback);
      wrong.searchParams.set("code", "wrong");
      const failed = `${base}/console#problem=oidc_failed`;
      expect((await page.ask(wrong.href)).headers.get("location")).toBe(failed);
      page.setCookie(base, ATTEMPT, kept);
      expect((await page.ask(callback)).headers.get("location")).toBe(failed);
      expect(await sessionOf(page)).toBe(401);
    });

    test("pages that send a browser to the callback keep nobody at its address from signing in", async () => {
      const { base, invite, finish } = await open(structuredClone(ADA));
      await invite("ada@example.com");
      const page = visitor();
      for (let times = 0; times < 15; times++) {
        const { headers } = await page.ask(`${base}/v1/console/oidc/callback?code=x&state=y`);
        expect(headers.get("location")).toBe(`${base}/console#problem=oidc_failed`);
      }
      expect(await finish(page, "ada")).toBe(`${base}/console`);
    });

    test("an address that fails too often has to wait", async () => {
      const { base } = await open(structuredClone(ADA));
      const answers: (string | null)[] = [];
      for (let times = 0; times < 11; times++) {
        const page = visitor();
        await page.ask(`${base}/v1/console/oidc`);
        const { headers } = await page.ask(`${base}/v1/console/oidc/callback?code=x&state=y`);
        answers.push(headers.get("location"));
      }
      const [failed, limited] = ["oidc_failed", "too_many_attempts"].map(
        (problem) => `${base}/console#problem=${problem}`,
      );
      expect(answers).toEqual([...Array(10).fill(failed), limited]);
    });

    test.each([
      ["another nonce", ({ searchParams }: URL) => searchParams.set("nonce", "of-another-attempt")],
      ["no nonce", ({ searchParams }: URL) => searchParams.delete("nonce")],
    ])("an ID token with %s is refused", async (_, onWay) => {
      const { base, invite, sessionOf } = await open(structuredClone(ADA));
      await invite("ada@example.com");
      const page = visitor();
      const callback = await page.signIn(base, "ada", onWay);
      expect(new URL(callback).searchParams.get("code")).not.toBe(null);
      const { headers } = await page.ask(callback);
      expect(headers.get("location")).toBe(`${base}/console#problem=oidc_failed`);
      expect(await sessionOf(page)).toBe(401);
    });

    test("an answer of the provider to another attempt of the same browser is refused", async () => {
      const { base, invite, sessionOf } = await open(structuredClone(ADA));
      await invite("ada@example.com");
      const page = visitor();
      const first = await page.signIn(base, "ada");
      const begun = await page.ask(`${base}/v1/console/oidc`);
      const mixed = new URL(first);
      const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state") ?? "";
      mixed.searchParams.set("state", state);
      const { headers } = await page.ask(mixed.href);
      expect(headers.get("location")).toBe(`${base}/console#problem=oidc_failed`);
      expect(await sessionOf(page)).toBe(401);
    });

    test("an answer that names another issuer is refused", async () => {
      const { base, invite, sessionOf } = await open(structuredClone(ADA));
      await invite("ada@example.com");
      const page = visitor();
      const callback = new URL(await page.signIn(base, "ada"));
      callback.searchParams.set("iss", "https://evil.example");
      const { headers } = await page.ask(callback.href);
      expect(headers.get("location")).toBe(`${base}/console#problem=oidc_failed`);
      expect(await sessionOf(page)).toBe(401);
    });
  },
);
