import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { openWorld, paying, told, type World } from "./buying.ts";

const HOUR_MS = 3_600_000;
const CHALLENGED = [200, "requires_escalation", "requires_3ds"];

describe.each(TIER_DATABASES)(
  "a payment that its buyer confirms at the bank, on %s,",
  (dialect) => {
    const clock = new ManualClock(NOON);
    let { server, stripe, at } = {} as World;
    let shop: Shop;
    beforeAll(async () => {
      const world = await openWorld(dialect, clock);
      // Payments are looked after when a test says so.
      await world.server.context.jobs.stop();
      ({ server, stripe, at } = world);
      return world.close;
    });
    beforeEach(async () => {
      clock.advance(60_000);
      shop = await at.shop();
    });
    const reconcile = () => reconcilePayments(server.context, () => false);
    const here = (url: string) => server.url + new URL(url).pathname;
    const agree = () => expectBooksAgree(server.context, shop, { rose: 50 });

    describe("with the sandbox provider", () => {
      const card = paying("pm_card_authenticationRequired");
      let made: { readonly id: string; readonly continue_url: string };
      let challenge: string;
      beforeEach(async () => {
        made = await at.ready(shop);
        const asked = await at.complete(shop, made.id, card);
        expect(told(asked)).toEqual(CHALLENGED);
        expect(asked.body.messages[0].severity).toBe("requires_buyer_input");
        expect(asked.body.continue_url).toBe(made.continue_url);
        const html = await (await fetch(here(made.continue_url))).text();
        challenge = /href="([^"]+\/v1\/sandbox\/challenges\/[^"]+)"/.exec(html)?.[1] ?? "";
      });
      const answer = (word: string) =>
        fetch(here(challenge), {
          method: "POST",
          redirect: "manual",
          body: new URLSearchParams({ answer: word }),
        });
      const comeBack = async (response: Response) => {
        expect(response.status).toBe(303);
        const back = new URL(response.headers.get("location") ?? "");
        const returned = await fetch(server.url + back.pathname + back.search, {
          redirect: "manual",
        });
        expect([returned.status, returned.headers.get("location")]).toEqual([
          303,
          made.continue_url,
        ]);
      };

      test("becomes an order once the buyer is back", async () => {
        await comeBack(await answer("confirm"));
        const html = await (await fetch(here(made.continue_url))).text();
        expect(html).toContain("Thank you for your order");
        expect(told(await at.get(shop, made.id))).toEqual([200, "completed"]);
        await agree();
        expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
      });

      test("becomes an order even if the buyer never comes back", async () => {
        await answer("confirm");
        expect(told(await at.get(shop, made.id))).toEqual(CHALLENGED);
        clock.advance(60_000);
        await reconcile();
        expect(told(await at.get(shop, made.id))).toEqual([200, "completed"]);
      });

      test("that is refused there can be paid with another card", async () => {
        await comeBack(await answer("refuse"));
        expect(told(await at.get(shop, made.id))).toEqual([
          200,
          "ready_for_complete",
          "payment_failed",
        ]);
        expect(told(await at.complete(shop, made.id))).toEqual([200, "completed"]);
        await agree();
        expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
      });

      test("is not believed because of the return address: only the provider is asked", async () => {
        const page = `${here(made.continue_url)}?redirect_status=succeeded`;
        await fetch(page, { redirect: "manual" });
        expect(told(await at.get(shop, made.id))).toEqual(CHALLENGED);
        expect(await at.orders(shop)).toEqual([]);
      });

      test("is cancelled after half an hour, and its goods are available again", async () => {
        clock.advance(29 * 60_000);
        await reconcile();
        expect(told(await at.get(shop, made.id))).toEqual(CHALLENGED);
        expect(await at.product(shop, "rose")).toMatchObject({ reserved: 1 });
        clock.advance(HOUR_MS);
        await reconcile();
        await reconcile();
        expect(told(await at.get(shop, made.id))).toEqual([
          200,
          "ready_for_complete",
          "payment_failed",
        ]);
        expect(await at.product(shop, "rose")).toMatchObject({ reserved: 0 });
        expect((await answer("confirm")).status).toBe(303);
        expect(await at.authorizations(shop)).toEqual([]);
        await agree();
      });

      test("that is cancelled in the meantime leads to no order, whatever the buyer confirms", async () => {
        expect(told(await at.cancel(shop, made.id))).toEqual([200, "canceled"]);
        await comeBack(await answer("confirm"));
        expect(told(await at.get(shop, made.id))).toEqual([200, "canceled"]);
        expect(await at.authorizations(shop)).toEqual([]);
        await agree();
      });
    });

    test("through Stripe goes to the bank's page and back", async () => {
      const account = stripe.openAccount({ restricted: true });
      await shop.admin("PUT", "/processor", {
        kind: "stripe",
        rail_on: true,
        settles: true,
        secret_key: account.key,
        publishable_key: "pk_test_0123456789",
      });
      const card = paying('{"id":"pm_card_authenticationRequired"}', "gpay");
      for (const [outcome, status] of [
        ["requires_capture", "completed"],
        ["requires_payment_method", "ready_for_complete"],
      ] as const) {
        const { id, continue_url } = await at.ready(shop);
        expect(told(await at.complete(shop, id, card))).toEqual(CHALLENGED);
        const [intent] = stripe.intents(account.id);
        const asked = stripe.calls.filter(({ path }) => path === "/v1/payment_intents").at(-1);
        expect(asked?.params).toMatchObject({ return_url: continue_url });
        expect(asked?.params).not.toHaveProperty("error_on_requires_action");
        const html = await (await fetch(here(continue_url))).text();
        expect(html).toContain(
          `href="https://hooks.stripe.com/redirect/authenticate/${intent?.id}"`,
        );
        stripe.finishProcessing(intent?.id ?? "", outcome);
        const back = `?payment_intent=${intent?.id}&payment_intent_client_secret=x`;
        const returned = await fetch(here(continue_url) + back, { redirect: "manual" });
        expect(returned.headers.get("location")).toBe(continue_url);
        expect((await at.get(shop, id)).body.status).toBe(status);
      }
      expect(await at.orders(shop)).toHaveLength(1);
    });

    test("is cancelled like an unanswered one if the buyer cannot be sent to the bank", async () => {
      const account = stripe.openAccount({ restricted: true });
      await shop.admin("PUT", "/processor", {
        kind: "stripe",
        rail_on: true,
        settles: true,
        secret_key: account.key,
        publishable_key: "pk_test_0123456789",
      });
      stripe.stopRedirects(account.id);
      const { id } = await at.ready(shop);
      const card = paying("pm_card_authenticationRequired", "gpay");
      const asked = await at.complete(shop, id, card);
      expect(told(asked)).toEqual([200, "complete_in_progress"]);
      clock.advance(HOUR_MS);
      await reconcile();
      await reconcile();
      expect(stripe.intents(account.id)[0]?.status).toBe("canceled");
      expect(told(await at.get(shop, id))).toEqual([200, "ready_for_complete", "payment_failed"]);
    });
  },
);
