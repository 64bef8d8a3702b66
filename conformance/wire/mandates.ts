import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { newKey, registering } from "../../packages/server/test/agents/registering.ts";
import type { Shop } from "../../packages/server/test/mandates/submitting.ts";
import { withdrawal } from "../../packages/server/test/mandates/withdrawing.ts";
import type { World } from "../../packages/server/test/ucp/buying.ts";

const HOUR_MS = 3_600_000;

/** Mandates: approved, refused for each common reason, repeated, reviewed, taken back. */
export async function playMandates({ server, at }: World): Promise<void> {
  const { clock } = server.context;
  const shop = await at.shop();
  const buyer = await at.buyer(shop);
  const url = `${server.url}/v1/m/${shop.site_key}`;
  const send = (fields: JsonObject) => at.submit(shop, buyer, fields);
  await send({});
  await send({ skill: "place_order" });
  await send({ skill: "contact_support" });
  await send({ v: 2 });
  await send({ audience: "https://elsewhere.example/" });
  await send({ expires_at: new Date(clock.now() - HOUR_MS).toISOString() });
  await send({ issued_at: new Date(clock.now() + HOUR_MS).toISOString() });
  await send({ agent_id: "agt_unknown" });
  await send({ site_key: "another" });
  await send({ mandate_id: "x" });
  await send({ protocol_context: { protocol: "smoke signals" } });
  for (const body of ["", "{", "[]", "{}", '{"signed":1,"signed":2}']) {
    await at.send(shop, body);
  }
  await at.send(shop, "{}", { "content-type": "text/plain" });
  await at.send({ ...shop, site_key: "nobody" }, {});
  const twice = await signMandate(at.mandate(shop, buyer), buyer.key.signer);
  await at.send(shop, twice);
  await at.send(shop, twice);
  await at.send(shop, { ...twice, signed: { ...twice.signed, skill: "place_order" } });

  await at.order(shop, buyer);
  await at.order(shop, buyer, { total: "99.00" });
  await at.order(shop, buyer, { token: "pm_card_chargeDeclined" });
  await at.order(shop, buyer, { items: [{ id: "gone", quantity: 1 }], total: "20.00" });
  await at.order(shop, buyer, { items: [{ id: "nothing", quantity: 1 }] });
  await at.order(shop, buyer, { items: [{ id: "palm", quantity: 2 }], total: "1200.00" });
  await at.order(shop, buyer, { handler: "stripe" });

  const palm = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };
  for (const verb of ["approve", "deny", "withdraw"]) {
    const { body } = await at.order(shop, buyer, palm);
    await fetch(body.status_url);
    const { escalation_id: escalationId } = body;
    await shop.admin("GET", `/escalations/${escalationId}`);
    if (verb === "withdraw") {
      await withdrawal(body.status_url, { shop, buyer, escalationId, now: clock.now() });
    } else {
      await shop.admin("POST", `/escalations/${escalationId}/${verb}`, { reason: "a test" });
      await shop.admin("POST", `/escalations/${escalationId}/${verb}`, {});
    }
    await fetch(body.status_url);
  }
  await fetch(`${url}/escalations/esc_${"a".repeat(24)}`);
  await fetch(`${url}/mandate`);
  await playRegistration(server, shop);
}

async function playRegistration(server: World["server"], shop: Shop): Promise<void> {
  const agents = registering(server);
  const key = await newKey();
  await agents.challenge(shop, { kty: "OKP" });
  const { body } = await agents.register(shop, key);
  await agents.register(shop, key);
  await agents.register(shop, await newKey(), { challenge: "another" });
  await fetch(`${server.url}/v1/m/${shop.site_key}/agents/${body.agent_id}`);
  await fetch(`${server.url}/v1/m/${shop.site_key}/agents/agt_${"a".repeat(24)}`);
  await shop.admin("POST", `/agents/${body.agent_id}/approve`, {});
  await shop.admin("POST", `/agents/${body.agent_id}/suspend`, {});
  await shop.admin("POST", `/agents/${body.agent_id}/revoke`, {});
  await shop.admin("GET", `/agents/${body.agent_id}`);
}
