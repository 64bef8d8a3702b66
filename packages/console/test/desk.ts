import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { launchChromium } from "../../../test/chromium.ts";
import { freePort } from "../../../test/free-port.ts";
import { carryOutShipments } from "../../server/src/actions/orders/plan-shipment.ts";
import { noteSeen } from "../../server/src/domain/platforms/store.ts";
import type { ManualClock } from "../../server/src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
} from "../../server/test/harness.ts";
import { send } from "../../server/test/http-client.ts";
import type { Shop } from "../../server/test/mandates/submitting.ts";
import { selling } from "../../server/test/selling/selling.ts";
import { buying, CHECKOUT_POLICY, lines, ROSE, SHOP } from "../../server/test/ucp/buying.ts";
import { Platform } from "../../server/test/ucp/platform.ts";
import { firstIds } from "./every-page.ts";

export { withAuthenticator } from "../../../test/authenticator.ts";

/** A page that does not come to what is waited for within this is wrong. */
const WAIT_MS = 20_000;

/** The views in which a person's way through the console is tried, on a phone and on a desk. */
export const JOURNEY_VIEWS = [
  { width: 390, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
  { width: 1440, colorScheme: "light" },
  { width: 1440, colorScheme: "dark" },
] as const;

/** How a page is opened in one of them. */
export function journeyOptions({ width, colorScheme }: (typeof JOURNEY_VIEWS)[number]) {
  return { viewport: { width, height: 844 }, colorScheme };
}

/** A browser of its own, which tells what it complains of and whom it asks. */
export interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly asked: ReadonlySet<string>;
}

/** The environment of a service with a host name, which passkeys need, instead of an address. */
export async function namedHost(): Promise<Record<string, string>> {
  const port = await freePort();
  return { GATEHOUSE_PORT: String(port), GATEHOUSE_BASE_URL: `http://localhost:${port}` };
}

/** The real service, a real browser, and a shop of its own for every test. */
export function desk({
  named = false,
  platform: withPlatform = false,
  env = async () => ({}),
  clock,
}: {
  readonly named?: boolean;
  readonly platform?: boolean;
  /** More of the environment, once it is known. */
  env?(): Promise<Readonly<Record<string, string>>>;
  /** The time of the service; without it, the machine's. */
  readonly clock?: ManualClock;
} = {}) {
  let server: TestServer;
  let platform: Platform | undefined;
  let browser: Browser;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  let domain: string;
  beforeAll(async () => {
    const host = named ? await namedHost() : {};
    platform = withPlatform ? await Platform.start() : undefined;
    const more = await env();
    const hosts = [platform?.host, more.GATEHOUSE_FETCH_ALLOW].filter((one) => one !== undefined);
    const variables = {
      ...(await freshEnvironment("sqlite")),
      ...host,
      ...more,
      ...(hosts.length === 0 ? {} : { GATEHOUSE_FETCH_ALLOW: hosts.join(",") }),
    };
    server = await startServer(variables, clock === undefined ? {} : { clock });
    at = selling(server);
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    platform?.stop();
    await cleanUp();
  });
  beforeEach(async () => {
    shop = await at.shop();
    domain = (await shop.admin("GET", "")).body.domain;
  });

  async function opened(options: BrowserContextOptions = {}): Promise<Opened> {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const complaints: string[] = [];
    const asked = new Set<string>();
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    // What is refused is said by the page itself; a browser logs it besides.
    page.on("console", (message) => {
      if (!message.text().startsWith("Failed to load resource")) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== "blob:") asked.add(origin);
    });
    return { page, complaints, asked };
  }
  const link = async (token?: string) =>
    (await server.admin("POST", "/v1/admin/console-links", {}, token)).body.url as string;
  /** A link of the operator's token. As long as nobody is the operator, such links set up the first owner. */
  async function operatorLink() {
    const { db } = server.context;
    const operators = await db.all("SELECT 1 FROM person_access WHERE role = 'operator'");
    const oscar = { name: "Oscar", role: "operator" };
    if (operators.length === 0) await server.admin("POST", "/v1/admin/people", oscar);
    return link();
  }
  const tokenOf = async (role: string) => {
    const sites = [shop.site_key_hash];
    return (await server.admin("POST", "/v1/admin/tokens", { name: role, role, sites })).body.token;
  };
  /** Has somebody of this shop alone signed in, and opens one of its pages. */
  async function signedIn(page: Page, role = "owner", path = "") {
    const { headers } = await send(`${baseUrl()}/v1/console/session`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-gatehouse-console": "1" },
      body: JSON.stringify({ token: await tokenOf(role) }),
    });
    const [, name = "", value = ""] =
      /^([^=]+)=([^;]+)/.exec(headers.get("set-cookie") ?? "") ?? [];
    // Chromium takes what is for HTTPS alone only at an address of HTTPS, and sends it to this machine anyhow.
    const url = baseUrl().replace(/^http:/, "https:");
    const cookie = { name, value, url, secure: true, httpOnly: true, sameSite: "Strict" as const };
    await page.context().addCookies([cookie]);
    await page.goto(`${baseUrl()}/console/${domain}${path}`);
    await page.locator("main h1").waitFor();
  }
  /** Opens a link from the terminal, and says that it is wanted. */
  async function byLink(page: Page, url: string) {
    await page.goto(url);
    await page.getByRole("button", { name: "Sign in with this link" }).click();
  }
  const baseUrl = () => server.context.config.baseUrl;
  /** Somebody asks for something that a person has to decide. */
  async function asks(name = "A palm", buyer?: Awaited<ReturnType<typeof at.buyer>>) {
    await at.importLines(shop, [{ id: "palm", title: name, price: "600.00", currency: "EUR" }]);
    const items = [{ id: "palm", quantity: 1 }];
    const by = buyer ?? (await at.buyer(shop));
    const answer = await at.order(shop, by, { items, total: "600.00" });
    expect(answer.body.outcome).toBe("escalated");
    return answer.body.escalation_id as string;
  }
  /** A buyer's platform. Needs a desk with a platform. */
  function ucp() {
    if (platform === undefined) throw new Error("this desk has no platform");
    return buying(server, platform, server.context.clock);
  }
  /** A buyer checks out at a platform, and a person has to decide. */
  async function checksOut(image_url: string) {
    await shop.admin("PUT", "/policy", CHECKOUT_POLICY);
    await shop.admin("PUT", "/shop", SHOP);
    const palm = { id: "palm", title: "A palm", price: "600.00", currency: "EUR", image_url };
    await at.importLines(shop, [palm]);
    const { id } = await ucp().ready(shop, { ...ROSE, ...lines(["palm", 1]) });
    await ucp().complete(shop, id);
    const { items } = (await shop.admin("GET", "/escalations?status=pending")).body;
    return items[0].escalation_id as string;
  }
  /** A buyer's platform buys a rose that is to be sent. */
  async function buysAtPlatform() {
    await shop.admin("PUT", "/policy", CHECKOUT_POLICY);
    await shop.admin("PUT", "/shop", SHOP);
    const { orderId } = await ucp().bought(shop, ROSE);
    return orderId;
  }
  /** Asks with an action, and returns what the agent gets. The question is in the inbox then. */
  async function askQuestion(question: string) {
    const params = { name: "get_pricing", arguments: { question } };
    const { body } = await send(`${baseUrl()}/v1/mcp/${shop.site_key}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    await server.context.questions.drain();
    return body.result.structuredContent;
  }
  /** Leaves something on every page: an approved order, a rejected one, and one to review. */
  async function createActivity() {
    const buyer = await at.buyer(shop);
    await at.order(shop, buyer);
    await at.order(shop, buyer, { total: "1200.00", items: [{ id: "palm", quantity: 2 }] });
    await asks("A palm", buyer);
    return buyer;
  }
  /** Leaves something for every page to show, and returns its ids. */
  async function fillEveryPage() {
    await createActivity();
    await asks("A second palm");
    await askQuestion("Do you deliver to Malta?");
    const { db, clock } = server.context;
    const seen = "https://platform.example/.well-known/ucp";
    await db.transaction((tx) => noteSeen(tx, shop.site_key_hash, seen, clock.now()));
    return firstIds(async (path) => (await shop.admin("GET", path)).body);
  }

  return {
    opened,
    link,
    operatorLink,
    byLink,
    tokenOf,
    signedIn,
    asks,
    ucp,
    checksOut,
    buysAtPlatform,
    askQuestion,
    createActivity,
    fillEveryPage,
    baseUrl,
    get server() {
      return server;
    },
    get at() {
      return at;
    },
    get shop() {
      return shop;
    },
    get domain() {
      return domain;
    },
  };
}

/** The time in which a shipment can be undone is over. */
export async function shipmentsTakeEffect({ context }: TestServer): Promise<void> {
  const sql = "UPDATE planned_shipments SET due_at = 0";
  await context.db.transaction((tx) => tx.run(sql));
  await carryOutShipments(context, () => false);
}

/** Nothing was complained of, and nobody else was asked. */
export function expectQuiet({ complaints, asked }: Opened, baseUrl: string) {
  expect([complaints, [...asked]]).toEqual([[], [new URL(baseUrl).origin]]);
}
