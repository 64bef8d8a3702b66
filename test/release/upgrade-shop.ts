import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Finished, Layout } from "./upgrade-layouts.ts";

const SHOP = "shop.example.com";
const PRODUCTS = "id,title,price,currency,quantity\nbouquet,Bouquet,29.00,EUR,100\n";
/** What `audit verify` of 0.1.0 says of a log that continues after a loss. */
const LOST = /completeness.* names \d+ records, and \d+ are given/;
const PAGE = ["--url", `https://${SHOP}/prices`];

interface Answer {
  readonly outcome: string;
}

/** A shop with rules, products and an agent, and those who use it, by the command of an installation alone. */
export class Shop {
  private readonly layout: Layout;
  private card = "";
  private agent = "";

  constructor(layout: Layout) {
    this.layout = layout;
  }

  /** A command that must succeed. */
  private async command(...words: string[]): Promise<string> {
    const { code, out, err } = await this.layout.gatehouse(...words);
    expect([words.join(" "), code, err]).toEqual([words.join(" "), 0, err]);
    return out.trim();
  }

  private async json(...words: string[]) {
    return JSON.parse(await this.command(...words, "--json"));
  }

  private file(name: string, text?: string): string {
    if (text !== undefined) writeFileSync(join(this.layout.files.outside, name), text);
    return join(this.layout.files.inside, name);
  }

  async open(): Promise<void> {
    const site = await this.json("site", "create", SHOP, "--name", "Fern & Petal");
    await this.command("site", "verify", SHOP, "--method", "operator", "--reason", "known to us");
    await this.command("skill", "set", SHOP, "get_pricing", ...PAGE);
    await this.command("skill", "set", SHOP, "place_order");
    const limit = ["--limit", "50.00", "--currency", "EUR"];
    const rules = await this.command("policy", "preset", "automatic_under", ...limit);
    await this.command("policy", "publish", SHOP, this.file("policy.json", rules));
    await this.command("product", "import", SHOP, this.file("products.csv", PRODUCTS));
    await this.command("site", "connect", SHOP, "--processor", "sandbox");
    this.card = `${this.layout.url}/v1/agent-card/${site.site_key}.json`;
    const key = this.file("agent.json");
    await this.command("agent", "keygen", "--out", key);
    const named = ["--key", key, "--name", "Buyer"];
    this.agent = (await this.json("agent", "register", this.card, ...named)).agent_id;
    await this.command("agent", "approve", SHOP, this.agent);
  }

  private async send(name: string, ...words: string[]): Promise<Answer> {
    const who = ["--key", this.file("agent.json"), "--agent", this.agent];
    const kept = ["--out", this.file(`${name}.json`)];
    const { out, err } = await this.layout.gatehouse(
      ...["mandate", "send", this.card, ...who, ...kept, ...words],
    );
    expect([err, out]).toEqual([err, expect.stringMatching(/^\{/)]);
    return JSON.parse(out);
  }

  /** An order of one bouquet is approved; three are for a person. */
  async order(name: string, quantity: number): Promise<Answer> {
    const items = JSON.stringify({ items: [{ id: "bouquet", quantity }] });
    const total = ["--total", `${29 * quantity}.00`, "--currency", "EUR"];
    const pay = ["--pay", "sandbox:pm_card_visa"];
    return this.send(name, "--skill", "place_order", "--arguments", items, ...total, ...pay);
  }

  async ask(name: string): Promise<Answer> {
    return this.send(name, "--skill", "get_pricing");
  }

  /** Sends what was sent before once more, byte for byte. */
  async repeat(name: string): Promise<Answer> {
    const { out } = await this.layout.gatehouse(
      "mandate",
      "send",
      "--file",
      this.file(`${name}.json`),
    );
    return JSON.parse(out);
  }

  /** What an owner sees, without what a newer version may add. */
  async state() {
    const list = async (what: string) => (await this.json(what, "list", SHOP)).items;
    const pick = (items: Record<string, unknown>[], ...names: string[]) =>
      items.map((item) => Object.fromEntries(names.map((name) => [name, item[name]])));
    const { site_key, status, domain, name } = await this.json("site", "show", SHOP);
    const keys = (await this.json("key", "list")).items as Record<string, unknown>[];
    return {
      site: { site_key, status, domain, name },
      keys: pick(keys, "purpose", "kid", "state"),
      agents: pick(await list("agent"), "agent_id", "name", "status"),
      mandates: pick(await list("mandate"), "mandate_id", "outcome", "reason"),
      orders: pick(await list("order"), "order_id", "status", "total"),
      products: pick(await list("product"), "id", "price", "quantity"),
      reviews: pick(await list("review"), "review_id", "status"),
    };
  }

  /** The card verifies, doctor finds nothing wrong, and every decision of the log can be made again. */
  async expectSound(): Promise<void> {
    await this.command("verify", this.card);
    expect(await this.command("doctor")).not.toMatch(/^✗/m);
    const { code, out } = await this.verifyLogs();
    expect([code, out]).toEqual([0, expect.not.stringMatching(/^✗/m)]);
  }

  /** The same, where the log names records that went with the database of the newer version. */
  async expectSoundButShorter(): Promise<void> {
    await this.command("verify", this.card);
    expect(await this.command("doctor")).not.toMatch(/^✗/m);
    const { code, out } = await this.verifyLogs();
    const problems = out.match(/^✗.*$/gm);
    expect([code, problems]).toEqual([1, [expect.stringMatching(LOST)]]);
  }

  private async verifyLogs(): Promise<Finished> {
    const { items } = await this.json("audit", "logs", SHOP);
    const folder = `evidence-${Date.now()}`;
    mkdirSync(join(this.layout.files.outside, folder));
    chmodSync(join(this.layout.files.outside, folder), 0o777);
    const files: string[] = [];
    for (const { chain, first_day, last_day } of items) {
      for (const day of new Set([first_day, last_day])) {
        const words = ["--chain", chain, "--day", day, "--out", this.file(folder)];
        files.push(...(await this.json("audit", "export", SHOP, ...words)).files);
      }
    }
    const keys = ["--key", this.layout.url];
    return this.layout.gatehouse("audit", "verify", ...files, ...keys, "--replay");
  }

  /** As the document says, where a log has fewer records than were published. */
  async renew(): Promise<void> {
    await this.command("audit", "renew", SHOP, "--reason", "went back to the version before");
  }
}
