import { expect } from "vitest";
import { recordHeartbeat } from "../../../server/src/infra/installation/clock-check.ts";
import { type Coverage, noSite } from "./covered.ts";
import type { Stage } from "./stage.ts";

/** The ids of a person and of a session in which they are signed in. */
async function signedIn({ run, server, shop }: Stage): Promise<readonly [string, string]> {
  const invited = ["--name", "x", "--role", "auditor", "--site", shop, "--json"];
  const { person_id } = JSON.parse((await run("person", "invite", ...invited)).out);
  const { consoleSessions, db } = server.context;
  const facts = { device: "Firefox on Linux", confirmed: false };
  const opened = await db.transaction((tx) => consoleSessions.open(tx, person_id, facts));
  return [person_id, opened?.sessionId ?? ""];
}

/** `key`, `clock`, `person` and `token`: what signs, what dates, and who may come in. */
export const tokens: Coverage = {
  "key list": {
    args: () => [],
    says: /^PURPOSE +STATE +KID +LISTED_UNTIL\n[\s\S]*^card +current +service-card-/m,
    json: { items: expect.arrayContaining([expect.objectContaining({ purpose: "audit" })]) },
    fails: {
      args: () => [],
      code: 1,
      says: /^The service at http\S+ does not accept the token in GATEHOUSE_ADMIN_TOKEN\.$/m,
      next: /Set GATEHOUSE_ADMIN_TOKEN to a valid token, or GATEHOUSE_BASE_URL to /,
      env: { GATEHOUSE_ADMIN_TOKEN: "a-token-that-nobody-ever-made-0123456789" },
    },
  },
  "key rotate": {
    args: () => ["card", "--force"],
    says: /^service-card-\S+ is the signing key from now on\.\nservice-card-\S+ stays listed/,
    json: { kid: expect.stringMatching(/^service-card-/), retired: expect.any(String) },
    fails: {
      args: () => ["audit"],
      code: 1,
      says: /announced too recently/,
      next: /Try again in \d+ s\./,
    },
  },
  "clock accept": {
    // Each run needs a time to have been seen that is not here yet.
    args: async ({ server: { context } }) => {
      await recordHeartbeat(context.db, context.clock.now() + 3_600_000);
      return ["--reason", "the clock was ahead"];
    },
    says: /^The current time is \S+Z\. The later time \S+Z is now ignored\.\nMandates, .* again\.$/m,
    json: { accepted_at: expect.any(String), last_seen_at: expect.any(String) },
    fails: {
      args: () => ["--reason", "the clock is right"],
      code: 1,
      says: /^The clock does not show an earlier time than before, so there is nothing to accept\.$/m,
      next: /docs\/errors\/conflict\.md/,
    },
  },
  "person invite": {
    args: ({ shop }) => ["--name", "Rosa", "--role", "owner", "--site", shop],
    says: /^http\S+\/console#link=[\w-]{43}$/m,
    json: { person_id: expect.stringMatching(/^per_/), status: "invited" },
    fails: {
      args: () => ["--name", "Rosa", "--role", "owner"],
      code: 1,
      says: /sites: must list the sites that this person is for\./,
      next: /docs\/errors\//,
    },
  },
  "person list": {
    args: async ({ run, shop }) => {
      await run("person", "invite", "--name", "Listed", "--role", "auditor", "--site", shop);
      return [];
    },
    says: /^PERSON_ID +NAME +EMAIL +ROLE +STATE\n[\s\S]*^per_\S+ +Listed +- +auditor of 1 +invited$/m,
    json: { items: expect.arrayContaining([expect.objectContaining({ name: "Listed" })]) },
    fails: { ...noSite(), args: () => ["--site", "none.example.com"] },
  },
  "person link": {
    args: async ({ run, shop }) => {
      const invited = ["--name", "x", "--role", "auditor", "--site", shop, "--json"];
      return [JSON.parse((await run("person", "invite", ...invited)).out).person_id];
    },
    says: /^http\S+\/console#link=[\w-]{43}$/m,
    json: { url: expect.stringContaining("/console#link=") },
    fails: {
      args: () => ["per_none"],
      code: 1,
      says: /^There is no person per_none\.$/m,
      next: /`gatehouse person list` lists the people\./,
    },
  },
  "person sessions": {
    args: async (stage) => [(await signedIn(stage))[0]],
    says: /^SESSION_ID +DEVICE +SIGNED_IN +LAST_USED\nses_\S+ +Firefox on Linux +\S+Z +\S+Z$/m,
    json: { items: [expect.objectContaining({ device: "Firefox on Linux" })] },
    fails: {
      args: () => ["per_none"],
      code: 1,
      says: /^There is no person per_none\.$/m,
      next: /`gatehouse person list` lists the people\./,
    },
  },
  "person sign-out": {
    args: async (stage) => [...(await signedIn(stage))],
    says: /^Ended ses_\S+\.$/m,
    json: { session_id: expect.stringMatching(/^ses_/), ended: true },
    fails: {
      args: () => ["per_none", "ses_none"],
      code: 1,
      says: /^There is no session ses_none of per_none\.$/m,
      next: /`gatehouse person sessions per_none` lists the sessions\./,
    },
  },
  "person remove": {
    args: async ({ run, shop }) => {
      const invited = ["--name", "x", "--role", "auditor", "--site", shop, "--json"];
      return [JSON.parse((await run("person", "invite", ...invited)).out).person_id];
    },
    says: /^Removed per_\S+\.$/m,
    json: { person_id: expect.stringMatching(/^per_/), removed: true },
    fails: {
      args: () => ["per_none"],
      code: 1,
      says: /^There is no person per_none\.$/m,
      next: /`gatehouse person list` lists the people\./,
    },
  },
  "token create": {
    args: ({ shop }) => ["--name", "Ann", "--role", "owner", "--site", shop, "--expires", "90d"],
    says: /^gha_[\w-]{43}$/m,
    json: {
      token: expect.stringMatching(/^gha_/),
      role: "owner",
      expires_at: expect.stringMatching(/Z$/),
    },
    fails: {
      args: () => ["--name", "Ann", "--role", "root"],
      code: 2,
      says: /^--role: root is not valid\.$/m,
      next: /Use one of: operator, owner, reviewer, auditor, edge\./,
    },
  },
  "token list": {
    args: async ({ run, shop }) => {
      await run("token", "create", "--name", "Listed", "--role", "auditor", "--site", shop);
      return [];
    },
    says: /^TOKEN_ID +NAME +ROLE +SITES +MADE_WITH +EXPIRES +STATE\n[\s\S]*^adm_\S+ +Listed +auditor +1 +operator +never +live$/m,
    json: { items: expect.arrayContaining([expect.objectContaining({ name: "Listed" })]) },
    fails: { ...noSite(), args: () => ["--site", "none.example.com"] },
  },
  "token link": {
    args: () => [],
    says: /^http\S+\/console#set-up=[\w-]{43}$/m,
    json: { url: expect.stringContaining("/console#set-up="), kind: "set_up" },
    fails: {
      args: () => [],
      code: 3,
      says: /^GATEHOUSE_PORT must be/,
      next: /must be .*65535/,
      env: { GATEHOUSE_PORT: "x" },
    },
  },
  "token revoke": {
    args: async ({ run }) => {
      const made = await run("token", "create", "--name", "x", "--role", "operator", "--json");
      return [JSON.parse(made.out).token_id];
    },
    says: /^Revoked adm_\S+\.$/m,
    json: { token_id: expect.stringMatching(/^adm_/), revoked: true, live_descendants: [] },
    fails: {
      args: () => ["adm_none"],
      code: 1,
      says: /^There is no token adm_none\.$/m,
      next: /`gatehouse token list` lists the tokens\./,
    },
  },
};
