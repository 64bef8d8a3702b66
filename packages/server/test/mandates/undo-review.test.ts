import type { JsonObject } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { carryOutVerdicts } from "../../src/actions/reviews/plan-verdict.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { freshEnvironment, NOON, startServer, TIER_DATABASES } from "../harness.ts";
import { POLICY, submitting } from "./submitting.ts";

const ASK = { id: "ask", effect: "escalate", when: { skill: { eq: "get_pricing" } } };
const ASKING = { ...POLICY, rules: [POLICY.rules[0], ASK] } as unknown as JsonObject;
const UNDO = { undo_seconds: 10 };

describe.each(TIER_DATABASES)(
  "a decision that can be undone for ten seconds, on %s,",
  (dialect) => {
    async function open() {
      const clock = new ManualClock(NOON);
      const server = await startServer(await freshEnvironment(dialect), { clock });
      await server.context.jobs.stop();
      const agent = submitting(server);
      const shop = await agent.shop(ASKING);
      const { body } = await agent.submit(shop, await agent.buyer(shop));
      const path = `/escalations/${body.escalation_id}`;
      const review = async () => (await shop.admin("GET", path)).body;
      const after = async (ms: number) => {
        clock.advance(ms);
        await carryOutVerdicts(server.context, () => false);
        return review();
      };
      return { clock, server, agent, shop, path, review, after };
    }

    test("decides, records and pays nothing before they are over", async () => {
      const { agent, shop, path, review, after } = await open();
      const planned = await shop.admin("POST", `${path}/approve`, UNDO);
      expect(planned.body).toEqual({ status: "pending", decides_at: expect.any(String) });
      expect(await review()).toMatchObject({
        status: "pending",
        verdict: { verdict: "approve", by: "operator", problem: null },
      });
      expect(await agent.records(shop, "review.decision")).toEqual([]);
      expect((await after(9_999)).status).toBe("pending");
      expect(await after(1)).toMatchObject({ status: "approved", verdict: null });
      expect(await agent.records(shop, "review.decision")).toHaveLength(1);
      // Carried out a second time, as after a crash, it changes nothing.
      expect((await after(0)).status).toBe("approved");
    });

    test("is undone, and the review is pending as before", async () => {
      const { shop, path, review, after } = await open();
      await shop.admin("POST", `${path}/deny`, { reason_code: "other", ...UNDO });
      expect((await shop.admin("DELETE", `${path}/verdict`)).status).toBe(204);
      expect((await review()).verdict).toBe(null);
      expect((await after(60_000)).status).toBe("pending");
      expect((await shop.admin("DELETE", `${path}/verdict`)).status).toBe(404);
    });

    test("cannot be undone afterwards", async () => {
      const { clock, shop, path } = await open();
      await shop.admin("POST", `${path}/approve`, UNDO);
      clock.advance(10_000);
      expect((await shop.admin("DELETE", `${path}/verdict`)).status).toBe(409);
    });

    test("is not carried out by a node whose clock is ahead once it was undone", async () => {
      const { server, agent, shop, path, review } = await open();
      await shop.admin("POST", `${path}/approve`, UNDO);
      const undone: number[] = [];
      const { audit } = server.context;
      const commit = async (...rest: Parameters<typeof audit.commit>) => {
        undone.push((await shop.admin("DELETE", `${path}/verdict`)).status);
        return audit.commit(...rest);
      };
      const ahead = Object.assign(Object.create(audit), { commit });
      const clock = new ManualClock(NOON + 10_000);
      await carryOutVerdicts({ ...server.context, clock, audit: ahead }, () => false);
      expect(undone).toEqual([204]);
      expect(await review()).toMatchObject({ status: "pending", verdict: null });
      expect(await agent.records(shop, "review.decision")).toEqual([]);
    });

    test("cannot be undone once a node whose clock is ahead has carried it out", async () => {
      const { server, shop, path, review } = await open();
      await shop.admin("POST", `${path}/approve`, UNDO);
      const { audit } = server.context;
      const undone: number[] = [];
      const commit = async (...rest: Parameters<typeof audit.commit>) => {
        const done = await audit.commit(...rest);
        undone.push((await shop.admin("DELETE", `${path}/verdict`)).status);
        return done;
      };
      const ahead = Object.assign(Object.create(audit), { commit });
      const clock = new ManualClock(NOON + 10_000);
      await carryOutVerdicts({ ...server.context, clock, audit: ahead }, () => false);
      expect(undone.every((status) => status >= 400)).toBe(true);
      expect(await review()).toMatchObject({ status: "approved", verdict: null });
    });

    test("stays with the person who took it, and ends with their access", async () => {
      const { server, shop, path, after } = await open();
      const token = { name: "Rita", role: "reviewer" };
      const made = (await shop.admin("POST", "/tokens", token)).body;
      const at = `/v1/admin/sites/${shop.site_key_hash}${path}`;
      expect((await server.admin("POST", `${at}/approve`, UNDO, made.token)).status).toBe(200);
      const other = await shop.admin("POST", `${path}/deny`, { reason_code: "other", ...UNDO });
      expect([other.status, other.body.message]).toEqual([
        409,
        expect.stringContaining("deciding"),
      ]);
      await server.admin("DELETE", `/v1/admin/tokens/${made.token_id}`);
      expect(await after(10_000)).toMatchObject({ status: "pending", verdict: null });
    });

    test("that cannot take effect says why, and the review stays pending", async () => {
      const { shop, path, after } = await open();
      await shop.admin("POST", `${path}/approve`, UNDO);
      await shop.admin("PATCH", "/mandates", { enabled: false });
      const { status, verdict } = await after(10_000);
      expect([status, verdict?.problem]).toEqual(["pending", expect.any(String)]);
      await shop.admin("PATCH", "/mandates", { enabled: true });
      expect((await shop.admin("POST", `${path}/approve`, {})).body.status).toBe("approved");
    });
  },
);
