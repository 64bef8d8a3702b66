import { contentDigest } from "@gatehouse/protocol";
import { createSigner, httpbis } from "http-message-signatures";
import { TOKENS } from "../provider.ts";
import type { SimulatedAnswer, SimulatedRequest } from "../requests.ts";
import { BASE_URL, basket, type SimulatedPlatform } from "../shop.ts";
import { Violation } from "../trace.ts";
import type { World } from "../world.ts";

/** A checkout as its platform knows it. */
export interface KnownCheckout {
  readonly id: string;
  readonly platform: SimulatedPlatform;
  /** Where its buyer goes on. */
  readonly continueUrl: string;
  /** The last completion, to send it once more. */
  completion?: { readonly body: string; readonly key: string };
  /** The order, once its platform was told of it: from then on always the same. */
  orderId?: string;
  /** Whether nothing more comes of it. */
  isOver?: boolean;
}

const ADDRESS = {
  street_address: "Gartenstr. 1",
  address_locality: "Berlin",
  postal_code: "10115",
  address_country: "DE",
  first_name: "Ada",
  last_name: "Love",
};
const REMEMBERED = 30;
const ALGORITHM = "ecdsa-p256-sha256";

/** Platforms that buy by UCP, for buyers who also come to the shop's own page. */
export class Platforms {
  private readonly world: World;
  readonly checkouts: KnownCheckout[] = [];
  private calls = 0;

  constructor(world: World) {
    this.world = world;
  }

  async act(): Promise<string> {
    const { random } = this.world;
    const { checkouts } = this;
    if (checkouts.length === 0 || random.chance(0.35)) return this.create();
    const open = checkouts.filter(({ isOver }) => isOver !== true);
    const checkout =
      open.length === 0 || random.chance(0.1) ? random.pick(checkouts) : random.pick(open);
    const deed = random.weighted({ complete: 8, again: 3, update: 1, cancel: 1, get: 1 });
    if (deed === "complete") return this.complete(checkout);
    if (deed === "again") return this.again(checkout);
    if (deed === "get") return this.tell(checkout, "GET", "", undefined);
    if (deed === "cancel") return this.tell(checkout, "POST", "/cancel", undefined);
    return this.tell(checkout, "PUT", "", JSON.stringify(this.content()));
  }

  private content() {
    const { random } = this.world;
    const line_items = basket(random).map(({ id, quantity }) => ({ item: { id }, quantity }));
    // Without these its buyer has to enter them on the page.
    if (random.chance(0.2)) return { line_items };
    const groups = [{ selected_option_id: "post" }];
    return {
      line_items,
      buyer: { first_name: "Ada", email: "ada@example.com" },
      fulfillment: { methods: [{ type: "shipping", destinations: [ADDRESS], groups }] },
    };
  }

  private async create(): Promise<string> {
    const { random, shop } = this.world;
    const platform = random.pick(shop.platforms);
    const body = JSON.stringify(this.content());
    const answer = await this.call(platform, {
      method: "POST",
      path: "",
      body,
      key: this.newKey(),
    });
    const { id, continue_url: continueUrl, status } = answer.body;
    if (typeof id === "string" && typeof continueUrl === "string") {
      this.checkouts.push({ id, platform, continueUrl });
      if (this.checkouts.length > REMEMBERED) this.checkouts.shift();
    }
    return `${platform.host} creates ${id ?? "-"}: ${answer.status} ${status ?? ""}`;
  }

  private complete(checkout: KnownCheckout): Promise<string> {
    const { random } = this.world;
    const token = TOKENS[random.weighted({ good: 6, declined: 1, processing: 1, challenged: 3 })];
    const credential = { type: "token", token };
    const instruments = [{ id: "i_1", handler_id: "sandbox", type: "card", credential }];
    checkout.completion = {
      body: JSON.stringify({ payment: { instruments } }),
      key: this.newKey(),
    };
    return this.again(checkout);
  }

  /** Sends a completion, perhaps not for the first time, perhaps twice at once. */
  private async again(checkout: KnownCheckout): Promise<string> {
    const { completion } = checkout;
    if (completion === undefined) return "nothing to send again";
    const { body, key } = completion;
    const times = this.world.random.chance(0.15) ? 2 : 1;
    const tries = Array.from({ length: times }, () =>
      this.tell(checkout, "POST", "/complete", body, key),
    );
    return (await Promise.all(tries)).join(", ");
  }

  private async tell(
    checkout: KnownCheckout,
    method: string,
    path: string,
    body: string | undefined,
    key = this.newKey(),
  ): Promise<string> {
    const { id, platform } = checkout;
    const answer = await this.call(platform, { method, path: `/${id}${path}`, body, key });
    this.compare(checkout, answer);
    const { status, messages = [] } = answer.body;
    const codes = messages.map(({ code }: { code: string }) => code).join(" ");
    return `${method}${path} ${id}: ${answer.status} ${status ?? ""} ${codes}`;
  }

  /** Asks for all of them, at the end of a run. */
  async askForAll(): Promise<void> {
    for (const one of this.checkouts) {
      await this.world.node.until([this.tell(one, "GET", "", undefined)]);
    }
  }

  private compare(checkout: KnownCheckout, { status, body }: SimulatedAnswer): void {
    if (status !== 200 || body.ucp?.status === "error") return;
    checkout.isOver = body.status === "completed" || body.status === "canceled";
    const orderId: string | undefined = body.order?.id;
    if (checkout.orderId !== undefined && orderId !== checkout.orderId) {
      const what = `${checkout.id} had the order ${checkout.orderId}, and now ${orderId}`;
      throw new Violation("definite answers stay", what);
    }
    if (orderId !== undefined) checkout.orderId = orderId;
  }

  private newKey(): string {
    return `00000000-0000-4000-8000-${String(++this.calls).padStart(12, "0")}`;
  }

  private async call(
    platform: SimulatedPlatform,
    {
      method,
      path,
      body,
      key,
    }: { method: string; path: string; body: string | undefined; key: string },
  ): Promise<SimulatedAnswer> {
    const { shop, clock } = this.world;
    const url = `/v1/ucp/${shop.hash}/checkout-sessions${path}`;
    const headers: Record<string, string> = {
      "ucp-agent": `profile="https://${platform.host}/profile"`,
      ...(body === undefined
        ? {}
        : {
            "content-type": "application/json",
            "content-digest": await contentDigest(Buffer.from(body)),
          }),
      ...(method === "GET" ? {} : { "idempotency-key": key }),
    };
    const signed = await httpbis.signMessage(
      {
        key: createSigner(platform.key, ALGORITHM, platform.host),
        name: "sig1",
        fields: ["@method", "@authority", "@path", ...Object.keys(headers)],
        params: ["created", "keyid"],
        paramValues: { created: new Date(clock.now()), keyid: platform.host },
      },
      { method, url: BASE_URL + url, headers },
    );
    const request: SimulatedRequest = {
      method,
      url,
      headers: signed.headers as Record<string, string>,
      body,
      address: platform.address,
    };
    return this.world.send(request);
  }
}
