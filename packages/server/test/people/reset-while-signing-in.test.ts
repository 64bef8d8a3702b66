import { describe, expect, test } from "vitest";
import type { Database, Transaction } from "../../src/infra/db/database.ts";
import { browser, SESSION } from "../console-browser.ts";
import { createSite, freshEnvironment, startServer, TIER_DATABASES } from "../harness.ts";
import { joined, optionsFor, withPasskey } from "./joining.ts";

/** Long enough for the reset to reach what the sign-in holds. */
const REACHED_MS = 300;

/** Stops transactions that sign somebody in just before they are committed. */
function beforeSignIn(arrive: () => Promise<void>) {
  const isNewSession = (result: unknown) =>
    typeof result === "object" && result !== null && "secret" in result;
  return (db: Database): Database =>
    new Proxy(db, {
      get(target, name) {
        const member = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name !== "transaction") return member.bind(target);
        return <T>(body: (tx: Transaction) => Promise<T>) =>
          target.transaction(async (tx) => {
            const result = await body(tx);
            if (isNewSession(result)) await arrive();
            return result;
          });
      },
    });
}

describe.each(TIER_DATABASES)(
  "signing in with a passkey that is being reset, on %s:",
  (dialect) => {
    test("leaves no session, even if the sign-in began before the reset", async () => {
      let arrive = () => Promise.resolve();
      const database = beforeSignIn(() => arrive());
      const server = await startServer(await freshEnvironment(dialect), { database });
      const site = (await createSite(server, "mine.example.com")).site_key_hash as string;
      const { page, id } = await joined(server, site, "owner");
      const passkey = await withPasskey(server, page);
      const thief = browser(server);
      const answer = passkey.get(await optionsFor(thief, "sign_in"));
      let reset: Promise<{ status: number }> | undefined;
      arrive = async () => {
        reset = server.admin("POST", `/v1/admin/people/${id}/links`, { reset: true });
        await new Promise((resolve) => setTimeout(resolve, REACHED_MS));
      };
      await thief.signIn({ passkey: answer });
      expect((await reset)?.status).toBe(201);
      expect((await thief.ask("GET", SESSION)).status).toBe(401);
      expect((await page.ask("GET", SESSION)).status).toBe(401);
    });
  },
);
