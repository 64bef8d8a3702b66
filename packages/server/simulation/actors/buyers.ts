import type { SimulatedAnswer } from "../requests.ts";
import { BASE_URL } from "../shop.ts";
import type { World } from "../world.ts";
import type { KnownCheckout } from "./platforms.ts";

/** A browser: it keeps its cookie and the last form it was shown. */
class Browser {
  cookie = "";
  quote = "";

  keep({ headers, text }: SimulatedAnswer): void {
    const set = headers["set-cookie"];
    if (set !== undefined) this.cookie = set.split(";")[0] ?? "";
    this.quote = /name="quote" value="([0-9a-f]+)"/.exec(text)?.[1] ?? this.quote;
  }
}

interface Visit {
  readonly checkout: KnownCheckout;
  readonly browsers: readonly Browser[];
  /** Pages of the provider that were opened for it. Their buyer may go to any of them. */
  readonly pages: string[];
}

const TYPED = {
  email: "ada@example.com",
  first_name: "Ada",
  last_name: "Love",
  street_address: "Gartenstr. 1",
  postal_code: "10115",
  address_locality: "Berlin",
  address_country: "DE",
  option: "post",
};
const VISITS_MAX = 12;

/** People at the shop's own page and at the provider's: some pay late, twice, or not at all. */
export class Buyers {
  private readonly world: World;
  private readonly checkouts: readonly KnownCheckout[];
  private visits: Visit[] = [];
  private count = 0;

  constructor(world: World, checkouts: readonly KnownCheckout[]) {
    this.world = world;
    this.checkouts = checkouts;
  }

  async act(): Promise<string> {
    const { random } = this.world;
    const atProvider = this.visits.filter(({ pages }) => pages.length > 0);
    if (atProvider.length > 0 && random.chance(0.6)) {
      const visit = random.chance(0.7) ? (atProvider.at(-1) as Visit) : random.pick(atProvider);
      return this.does(random.weighted({ answer: 5, regret: 4, back: 1, cancel: 1 }), visit);
    }
    if (this.visits.length > 0 && random.chance(0.3)) {
      const deed = random.weighted({ order: 3, twice: 1, cancel: 1, look: 1, back: 1 });
      return this.does(deed, random.pick(this.visits));
    }
    const visit = this.arrive();
    return visit === undefined ? "nobody has a checkout" : this.does("order", visit);
  }

  private async does(deed: string, visit: Visit): Promise<string> {
    const browser = this.world.random.pick(visit.browsers);
    return `${visit.checkout.id} ${deed}: ${await this.do(deed, visit, browser)}`;
  }

  /** Everybody who is on a page of the provider is about to pay there, or pays now. */
  async pay(): Promise<string> {
    const { random, provider } = this.world;
    const pages = this.visits.flatMap((visit) => visit.pages.slice(-1));
    for (const page of pages) {
      if (random.chance(0.5)) provider.answerPage(page, "pay");
      else provider.payBetweenCalls(page, 1);
    }
    return `buyers: ${pages.length} are paying`;
  }

  private arrive(): Visit | undefined {
    if (this.checkouts.length === 0) return undefined;
    const { random } = this.world;
    const browsers = Array.from({ length: random.chance(0.2) ? 2 : 1 }, () => new Browser());
    const open = this.checkouts.filter(({ isOver }) => isOver !== true);
    const checkout = random.pick(open.length === 0 ? this.checkouts : open);
    const visit = { checkout, browsers, pages: [] };
    this.visits.push(visit);
    if (this.visits.length > VISITS_MAX) this.visits.shift();
    return visit;
  }

  private async do(deed: string, visit: Visit, browser: Browser): Promise<string | number> {
    if (deed === "order") return this.order(visit, browser, 1);
    if (deed === "twice") return this.order(visit, browser, 2);
    if (deed === "answer") return this.answer(visit);
    if (deed === "regret") return this.regret(visit, browser);
    if (deed === "cancel") return (await this.press(visit, browser, "cancel")).status;
    const query = deed === "back" ? "?paid=1" : "";
    return (await this.ask(visit, browser, query)).status;
  }

  /** Enters everything, looks at the price and presses the button that pays, perhaps with a double click. */
  private async order(visit: Visit, browser: Browser, clicks: number): Promise<string> {
    await this.ask(visit, browser);
    await this.press(visit, browser, "update");
    const shown = await this.ask(visit, browser);
    const act = shown.text.includes('value="pay_now"') ? "pay_now" : "pay";
    const presses = Array.from({ length: clicks }, () => this.press(visit, browser, act));
    const answers = await Promise.all(presses);
    for (const { headers } of answers) {
      const { location = "" } = headers;
      if (location.startsWith("https://pay.example/")) visit.pages.push(location);
    }
    return answers.map(({ status, headers }) => `${status} ${headers.location ?? ""}`).join(", ");
  }

  /** Pays on a page of the provider that was ever opened, or refuses, and mostly comes back. */
  private async answer(visit: Visit): Promise<string> {
    const { random, provider } = this.world;
    const { pages } = visit;
    if (pages.length === 0) return "no page";
    const page = random.chance(0.8) ? (pages.at(-1) as string) : random.pick(pages);
    const said = random.chance(0.8) ? "pay" : "refuse";
    const could = provider.answerPage(page, said);
    // A page that takes nothing any more is left, mostly.
    if (!could && random.chance(0.8)) pages.splice(pages.indexOf(page), 1);
    if (random.chance(0.7)) await this.ask(visit, random.pick(visit.browsers), "?paid=1");
    return `${said} ${page} ${could ? "done" : "closed"}`;
  }

  /** Goes back to change the order, and pays all the same, in another window and at about the same time. */
  private async regret(visit: Visit, browser: Browser): Promise<string> {
    const page = visit.pages.at(-1) ?? "";
    this.world.provider.payBetweenCalls(page, this.world.random.int(1, 2));
    return `${(await this.press(visit, browser, "cancel")).status} while paying ${page}`;
  }

  private pathOf({ checkout }: Visit): string {
    const { pathname } = new URL(checkout.continueUrl, BASE_URL);
    return pathname;
  }

  private async ask(visit: Visit, browser: Browser, query = ""): Promise<SimulatedAnswer> {
    const answer = await this.world.send({
      method: "GET",
      url: this.pathOf(visit) + query,
      headers: this.headersOf(browser),
      address: this.address(),
    });
    browser.keep(answer);
    // The page of the shop leads to the bank, or to a page that was opened before.
    const link = /href="(https:\/\/pay\.example\/[^"]+)"/.exec(answer.text)?.[1];
    if (link !== undefined && !visit.pages.includes(link)) visit.pages.push(link);
    return answer;
  }

  private async press(visit: Visit, browser: Browser, act: string): Promise<SimulatedAnswer> {
    const answer = await this.world.send({
      method: "POST",
      url: this.pathOf(visit),
      headers: {
        ...this.headersOf(browser),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: String(new URLSearchParams({ quote: browser.quote, ...TYPED, do: act })),
      address: this.address(),
    });
    browser.keep(answer);
    return answer;
  }

  /** One address may hold few pages open, so buyers come from many. */
  private address(): string {
    return `192.0.2.${20 + (this.count++ % 200)}`;
  }

  private headersOf({ cookie }: Browser): Record<string, string> {
    const named = { "accept-language": "en", "user-agent": "Mozilla/5.0 (Simulated)" };
    return cookie === "" ? named : { ...named, cookie };
  }
}
