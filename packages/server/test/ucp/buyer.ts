import { expect } from "vitest";
import { htmlFaults } from "../valid-html.ts";

/** In the release tier, where the same pages are shown on the other database. */
const VALIDATES = process.env.TIER_DATABASE !== "sqlite";

/** What a buyer types into the form of a checkout. */
export const TYPED = {
  email: "ada@example.com",
  first_name: "Ada",
  last_name: "Love",
  street_address: "Gartenstr. 1",
  postal_code: "10115",
  address_locality: "Berlin",
  address_country: "DE",
  option: "standard",
};

interface PageAnswer {
  readonly status: number;
  readonly html: string;
  readonly location: string;
}

/** A person with a browser of their own: it keeps cookies, runs no script, and follows no redirect unasked. */
export class PageBuyer {
  private readonly url: string;
  /** Where the service listens, because its public address names another port in tests. */
  base: string;
  private readonly headers: Readonly<Record<string, string>>;
  private cookie = "";
  private quote = "";

  constructor(base: string, continueUrl: string, headers: Readonly<Record<string, string>> = {}) {
    this.base = base;
    this.url = continueUrl;
    this.headers = { "accept-language": "en", "user-agent": "Mozilla/5.0 (Test)", ...headers };
  }

  private here(url: string): string {
    const { pathname, search } = new URL(url, this.base);
    return this.base + pathname + search;
  }

  async ask(url: string, body?: URLSearchParams): Promise<PageAnswer> {
    const response = await fetch(this.here(url), {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { ...this.headers, ...(this.cookie === "" ? {} : { cookie: this.cookie }) },
      ...(body === undefined ? {} : { body }),
    });
    const set = response.headers.get("set-cookie");
    if (set !== null) this.cookie = set.split(";")[0] ?? "";
    const html = await response.text();
    this.quote = /name="quote" value="([0-9a-f]+)"/.exec(html)?.[1] ?? this.quote;
    return { status: response.status, html, location: response.headers.get("location") ?? "" };
  }

  /** Loads the page. */
  async look(): Promise<string> {
    const { status, html } = await this.ask(this.url);
    expect(status).toBe(200);
    if (VALIDATES) expect(await htmlFaults(html)).toEqual([]);
    return html;
  }

  /** Presses a button of the form with these entries. */
  press(act: string, typed: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    return this.ask(this.url, new URLSearchParams({ quote: this.quote, ...typed, do: act }));
  }

  /** Enters everything, and presses the button that pays. Returns the provider's page. */
  async order(typed: Readonly<Record<string, string>> = TYPED): Promise<string> {
    await this.look();
    await this.press("update", typed);
    await this.look();
    const { status, location, html } = await this.press("pay", typed);
    expect([status, html.includes("<form")]).toEqual([303, false]);
    expect(location).toContain("/v1/sandbox/payments/");
    return location;
  }

  /** Answers on the sandbox's page, and comes back as far as it leads. */
  async pay(page: string, answer = "confirm"): Promise<string> {
    const { location } = await this.ask(page, new URLSearchParams({ answer }));
    const back = await this.ask(location);
    return back.status === 303 ? this.look() : back.html;
  }
}

export const headingOf = (html: string) => /<h1>([^<]*)<\/h1>/.exec(html)?.[1];
export const noticeOf = (html: string) => /role="alert">([^<]*)</.exec(html)?.[1];
