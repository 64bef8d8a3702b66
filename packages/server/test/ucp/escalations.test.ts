import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { expireReviews } from "../../src/actions/reviews/decide-review.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { expectBooksAgree } from "../selling/books.ts";
import { headingOf, PageBuyer, TYPED } from "./buyer.ts";
import { ADDRESS, BUYER, lines, openWorld, paying, ROSE, told, type World } from "./buying.ts";

const HOUR_MS = 3_600_000;
const PALM = { ...ROSE, ...lines(["palm", 1]) };

describe.each(TIER_DATABASES)("a checkout that a person has to review, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  let id: string;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock);
    ({ server, platform, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    shop = await at.shop();
    id = (await at.ready(shop, PALM)).id;
    const escalated = await at.complete(shop, id);
    expect(told(escalated)).toEqual([200, "requires_escalation", "review_required"]);
    expect(escalated.body.messages[0].severity).toBe("requires_buyer_review");
    expect(escalated.body.continue_url).toContain("/pages/page_");
  });
  const review = async () => {
    const { items } = (await shop.admin("GET", "/escalations")).body;
    return items.find(({ status }: { status: string }) => status === "pending") ?? items[0];
  };
  const say = async (verb: string, said = {}) =>
    shop.admin("POST", `/escalations/${(await review()).escalation_id}/${verb}`, said);
  const nothingHeld = async () => {
    expect(await at.authorizations(shop)).toEqual([]);
    await expectBooksAgree(server.context, shop, { palm: 5 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  };

  test("is paid when that person approves it, for the amount that was shown", async () => {
    expect(await at.authorizations(shop)).toEqual([]);
    expect(await review()).toMatchObject({
      status: "pending",
      agent_id: platform.profileUrl(),
      skill: "complete_checkout",
      amount: { minor: 60_490, currency: "EUR" },
    });
    const { escalation_id } = await review();
    const looked = (await shop.admin("GET", `/escalations/${escalation_id}`)).body;
    expect(looked).toMatchObject({ policy_version: 1, items: [{ id: "palm", image_url: null }] });
    expect(await review()).toEqual(looked);
    expect(looked.purchase).toMatchObject({
      checkout_id: id,
      buyer: BUYER,
      address: ADDRESS,
      delivery: { title: "By post" },
    });
    const auditor = { name: "A", role: "auditor" };
    const { token } = (await shop.admin("POST", "/tokens", auditor)).body;
    const list = `/v1/admin/sites/${shop.site_key_hash}/escalations`;
    const seen = (path: string) => server.admin("GET", path, undefined, token);
    expect((await seen(`${list}/${escalation_id}`)).body.purchase).toBeNull();
    expect((await seen(list)).body.items[0].purchase).toBeNull();
    expect((await say("approve")).body).toEqual({ status: "approved" });
    const done = await at.get(shop, id);
    expect(told(done)).toEqual([200, "completed"]);
    expect((await at.authorizations(shop)).map((one) => one.amount_minor)).toEqual([60_490]);
    const [record] = await at.records(shop, "review.decision");
    expect(record.record).toMatchObject({ checkout: { checkout_id: id }, payment: "requested" });
    expect(record.record.mandate).toBeUndefined();
    await expectBooksAgree(server.context, shop, { palm: 5 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
    const image_url = "https://shop.example.com/palm.jpg";
    const palm = { id: "palm", title: "A palm", price: "600.00", currency: "EUR", image_url };
    await at.importLines(shop, [palm]);
    expect((await review()).items).toMatchObject([{ id: "palm", quantity: 1, image_url }]);
  });

  test("can be tried with another card if the card is declined then", async () => {
    await at.cancel(shop, id);
    const other = await at.ready(shop, PALM);
    await at.complete(shop, other.id, paying("pm_card_chargeDeclined"));
    expect((await say("approve")).body).toEqual({ status: "payment_failed" });
    expect(told(await at.get(shop, other.id))).toEqual([
      200,
      "ready_for_complete",
      "payment_failed",
    ]);
  });

  test("ends when that person denies it", async () => {
    await say("deny", { reason_code: "unknown_agent" });
    const denied = await at.get(shop, id);
    expect(told(denied)).toEqual([200, "incomplete", "review_denied"]);
    expect(denied.body.messages[0]).toMatchObject({
      severity: "unrecoverable",
      content: "The shop declined this order.",
    });
    expect(told(await at.complete(shop, id))).toEqual([200, "incomplete", "review_denied"]);
    expect((await shop.admin("GET", "/escalations")).body.items).toHaveLength(1);
    await nothingHeld();
  });

  test("can be tried again if nobody reviewed it in time", async () => {
    clock.advance(5 * HOUR_MS);
    await expireReviews(server.context, () => false);
    expect(told(await at.get(shop, id))).toEqual([200, "ready_for_complete", "review_expired"]);
    await nothingHeld();
    expect(told(await at.complete(shop, id))).toEqual([
      200,
      "requires_escalation",
      "review_required",
    ]);
  });

  test("cannot be paid by its buyer against the rules, nor by completing it again", async () => {
    const again = await at.complete(shop, id);
    expect(told(again)).toEqual([200, "requires_escalation", "not_allowed", "review_required"]);
    const buyer = new PageBuyer(server.url, again.body.continue_url);
    const html = await buyer.look();
    expect(headingOf(html)).toBe("The shop is reviewing this order");
    expect(html).not.toMatch(/<script/);
    await buyer.ask(`${again.body.continue_url}?redirect_status=succeeded`);
    expect((await buyer.press("pay_now")).location).toBe(again.body.continue_url);
    expect((await buyer.press("pay", TYPED)).location).toBe(again.body.continue_url);
    expect((await review()).status).toBe("pending");
    expect(await at.authorizations(shop)).toEqual([]);
  });

  test.each(["update", "cancel"] as const)("is no longer reviewed after an %s", async (verb) => {
    const changed = verb === "update" ? await at.update(shop, id, ROSE) : await at.cancel(shop, id);
    expect(changed.body.status).toBe(verb === "update" ? "ready_for_complete" : "canceled");
    expect(changed.body.messages).toBeUndefined();
    expect(await review()).toMatchObject({ status: "invalidated" });
    expect((await say("approve")).status).toBe(409);
    await nothingHeld();
  });

  test("is not paid if the price has changed since", async () => {
    const dearer = { id: "palm", title: "A palm", price: "610.00", currency: "EUR", quantity: 5 };
    await at.importLines(shop, [dearer]);
    expect((await say("approve")).body).toEqual({ status: "invalidated" });
    const shown = await at.get(shop, id);
    expect(shown.body.totals.at(-1)).toEqual({ type: "total", amount: 61_490 });
    await nothingHeld();
  });

  test("is not paid while the shop does not sell, and stays pending until it does", async () => {
    const sandbox = { kind: "sandbox", rail_on: true, settles: true };
    await shop.admin("PUT", "/processor", { ...sandbox, rail_on: false });
    const blocked = await say("approve");
    expect([blocked.status, blocked.body.reason_code]).toEqual([409, "gate_shut"]);
    expect((await review()).status).toBe("pending");
    await nothingHeld();
    await shop.admin("PUT", "/processor", sandbox);
    expect((await say("approve")).body).toEqual({ status: "approved" });
    expect(told(await at.get(shop, id))).toEqual([200, "completed"]);
  });
});

test("one platform has a limited number of pending reviews, and its other checkouts still work", async () => {
  const clock = new ManualClock(NOON);
  const { at, close } = await openWorld("sqlite", clock);
  onTestFinished(close);
  const shop = await at.shop();
  for (let n = 0; n < 50; n++) await at.complete(shop, (await at.ready(shop, PALM)).id);
  const waiting = async () => (await shop.admin("GET", "/escalations?limit=200")).body.items;
  expect(await waiting()).toHaveLength(50);
  const { id } = await at.ready(shop, PALM);
  const refused = told(await at.complete(shop, id));
  expect(refused).toEqual([200, "ready_for_complete", "review_required"]);
  expect(told(await at.complete(shop, (await at.ready(shop)).id))).toEqual([200, "completed"]);
  const [first] = await waiting();
  const denial = { reason_code: "other" };
  await shop.admin("POST", `/escalations/${first.escalation_id}/deny`, denial);
  expect(told(await at.complete(shop, id))).toEqual([
    200,
    "requires_escalation",
    "review_required",
  ]);
});
