import { hash } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newKey, registering } from "../agents/registering.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { type Buyer, type Shop, submitting } from "./submitting.ts";

const SKILL = "insult_of_somebody";

describe.each(TIER_DATABASES)(
  "the skill in a mandate of an agent that is not admitted, on %s,",
  (dialect) => {
    let server: TestServer;
    let at: ReturnType<typeof submitting>;
    let shop: Shop;
    let stranger: Buyer;
    beforeAll(async () => {
      server = await startServer(await freshEnvironment(dialect));
      at = submitting(server);
      return cleanUp;
    });
    beforeEach(async () => {
      shop = await at.shop();
      const key = await newKey();
      const { body } = await registering(server).register(shop, key);
      expect(body.status).toBe("pending");
      stranger = { agentId: body.agent_id, key };
    });
    const logText = async () => {
      const rows = await server.context.db.all<{ text: string }>("SELECT text FROM audit_records");
      return rows.map(({ text }) => text).join("\n");
    };

    test("is in no record, whatever the reason for the rejection, and its commitment can be checked", async () => {
      const now = server.context.clock.now();
      const iso = (ms: number) => new Date(ms).toISOString();
      const late = { issued_at: iso(now - 1_200_000), expires_at: iso(now - 600_000) };
      const pending = await at.submit(shop, stranger, { skill: SKILL });
      expect(pending.body.reason).toBe("agent_pending");
      const expired = await at.submit(shop, stranger, { skill: SKILL, ...late });
      expect(expired.body.reason).toBe("mandate_expired");
      expect(await logText()).not.toContain(SKILL);
      const [kept] = await server.context.db.all<{ commitment: string; salt: string }>(
        "SELECT commitment, salt FROM stranger_words WHERE words = ? AND site_key_hash = ?",
        SKILL,
        shop.site_key_hash,
      );
      expect(hash("sha256", `${kept?.salt} ${SKILL}`)).toBe(kept?.commitment);
      const records = await at.records(shop);
      expect(records).toHaveLength(2);
      for (const { record } of records) expect(record.skill_commitment).toBe(kept?.commitment);
      expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    });

    test("stays readable if the site itself names it, or the agent is active", async () => {
      expect((await at.submit(shop, stranger)).body.reason).toBe("agent_pending");
      const [{ record }] = await at.records(shop);
      expect(record.skill).toEqual(expect.any(String));
      await shop.admin("POST", `/agents/${stranger.agentId}/approve`, {});
      const known = await at.submit(shop, stranger, { skill: "no_such_skill" });
      expect(known.body.reason).toBe("skill_not_live");
      expect(await logText()).toContain("no_such_skill");
    });
  },
);
