import { mandateDigest } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { selling } from "../selling/selling.ts";

describe.each(TIER_DATABASES)("an explained decision, on %s,", (dialect) => {
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect));
    at = selling(server);
    return cleanUp;
  });

  test("names the key, the bytes that were signed, and the answer to the agent", async () => {
    const shop = await at.shop();
    const buyer = await at.buyer(shop);
    const mandate = await at.signed(shop, buyer);
    const told = await at.send(shop, mandate);
    const [listed] = (await shop.admin("GET", "/decisions")).body.items;
    const { body } = await shop.admin("GET", `/decisions/${listed.decision_id}`);
    const digest = await mandateDigest(mandate.signed);
    expect(body.signature).toEqual({ key_id: buyer.key.kid, digest });
    expect(body.answer).toEqual({ status: told.status, body: told.body });
  });
});
