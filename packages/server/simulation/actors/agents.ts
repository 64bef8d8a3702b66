import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { isoTime } from "../../src/infra/clock.ts";
import { MINUTE_MS } from "../../src/infra/time.ts";
import { TOKENS } from "../provider.ts";
import type { SimulatedAnswer } from "../requests.ts";
import { BASE_URL, basket, PRODUCTS, type SimulatedAgent } from "../shop.ts";
import { Violation } from "../trace.ts";
import type { World } from "../world.ts";

interface Sent {
  readonly text: string;
  readonly mandateId: string;
  /** What its agent was told, once it was approved: from then on always the same. */
  approved?: string;
}

/** Mandates that agents may send once more. */
const REMEMBERED = 40;

/** Agents that buy by mandate, and send the same bytes again when they do not know what became of them. */
export class Agents {
  private readonly world: World;
  private sent: Sent[] = [];
  private count = 0;
  /** What was charged by the prices that agents saw, by product. They may be outdated. */
  prices = new Map<string, number>(PRODUCTS.map(({ id, price }) => [id, price]));

  constructor(world: World) {
    this.world = world;
  }

  async act(): Promise<string> {
    const { random } = this.world;
    const again = this.sent.length > 0 && random.chance(0.35);
    if (again) return this.send(random.pick(this.sent), "again");
    const sent = await this.order(random.pick(this.world.shop.agents));
    this.sent.push(sent);
    if (this.sent.length > REMEMBERED) this.sent.shift();
    if (!random.chance(0.2)) return this.send(sent, "buys");
    const both = [this.send(sent, "buys"), this.send(sent, "at once")];
    return (await Promise.all(both)).join(", ");
  }

  /** Sends everything once more, at the end of a run. */
  async sendAll(): Promise<void> {
    for (const sent of this.sent) await this.world.node.until([this.send(sent, "at last")]);
  }

  private async order({ agentId, signer }: SimulatedAgent): Promise<Sent> {
    const { random, shop, clock } = this.world;
    const items = basket(random);
    const total = items.reduce((sum, { id, quantity }) => {
      return sum + (this.prices.get(id) ?? 0) * quantity;
    }, 0);
    const token = TOKENS[random.weighted({ good: 7, declined: 1, processing: 1, challenged: 1 })];
    const mandateId = `mandate-${String(++this.count).padStart(12, "0")}`;
    const now = clock.now();
    const mandate: JsonObject = {
      v: 1,
      mandate_id: mandateId,
      agent_id: agentId,
      site_key: shop.siteKey,
      audience: `${BASE_URL}/v1/m/${shop.siteKey}/mandate`,
      issued_at: isoTime(now),
      expires_at: isoTime(now + 5 * MINUTE_MS),
      skill: "place_order",
      arguments: { items: items.map((item) => ({ ...item })) },
      payment: { handler: "sandbox", token },
      protocol_context: {
        protocol: "a2a",
        cart_total: (total / 100).toFixed(2),
        cart_currency: "EUR",
      },
    };
    return { text: JSON.stringify(await signMandate(mandate, signer)), mandateId };
  }

  private async send(sent: Sent, how: string): Promise<string> {
    const { shop } = this.world;
    const answer = await this.world.send({
      method: "POST",
      url: `/v1/m/${shop.siteKey}/mandate`,
      headers: { "content-type": "application/json" },
      body: sent.text,
      address: "192.0.2.10",
    });
    this.compare(sent, answer);
    const { outcome = "-", reason_code = "" } = answer.body;
    return `${sent.mandateId} ${how}: ${answer.status} ${outcome} ${reason_code}`;
  }

  /** Whoever was told that a purchase is approved is told the same for ever. */
  private compare(sent: Sent, { status, body }: SimulatedAnswer): void {
    if (status === 0 || status === 503 || status === 429) return;
    const told = JSON.stringify(body);
    if (sent.approved !== undefined && told !== sent.approved) {
      const what = `${sent.mandateId} was approved, and is now told ${status} ${told}`;
      throw new Violation("definite answers stay", what);
    }
    if (body.outcome === "approved") sent.approved = told;
  }
}
