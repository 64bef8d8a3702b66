import type { Page, Route } from "playwright-core";

// biome-ignore lint/suspicious/noExplicitAny: what the service answers, of any kind
type Body = any;

interface SeenDialog {
  /** What its picture is called. */
  readonly name: string;
  /** The file below `src` that has it. */
  readonly source: string;
  /** The page it is on, by its name in `EVERY_PAGE`. */
  readonly page: string;
  /** The windows that have it. */
  readonly only?: "phone" | "desk";
  /** What the service answers at the end of a path, where the shop of a demo or a test has nothing of the kind. */
  readonly answers?: readonly (readonly [path: RegExp, change: (body: Body) => unknown])[];
  open(page: Page): Promise<unknown>;
}

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const main = (page: Page) => page.getByRole("main");
const press = (name: string | RegExp) => (page: Page) =>
  main(page).getByRole("button", { name, exact: true }).first().click();
/** Something of the frame, of which each width has one. */
const shown = (page: Page, role: "button" | "link", name: string | RegExp) =>
  page.getByRole(role, { name, exact: true }).locator("visible=true").first();

/** An order whose items are not sent, and whose payment can be captured and refunded. */
const openOrder = (order: Body) => ({
  ...order,
  status: "open",
  is_test: false,
  payment: "authorized",
  planned_shipment: null,
  lines: order.lines.map((line: Body) => ({
    ...line,
    total: line.quantity,
    fulfilled: 0,
    delivered: 0,
  })),
  payment_facts: {
    changes: [],
    ...order.payment_facts,
    capture: { max_minor: order.amount.minor, owed_minor: order.amount.minor },
    refund: { max_minor: order.amount.minor },
  },
});
const ofOrder = {
  page: "order",
  answers: [[/\/orders\/ord_[\w-]+$/, openOrder]],
} as const;

const SHOP_SYSTEM = { name: "WooCommerce 10.2.4", sells: true };
const connected = (problem: string | null) => () => ({
  connection_id: "con_1",
  system: SHOP_SYSTEM.name,
  sells: SHOP_SYSTEM.sells,
  endpoint: "https://shop.example/wp-json/gatehouse/v1",
  cart_link: null,
  connected_at: ago(30),
  seen_at: ago(0),
  products: { listed: 12, paused: 0, problem, synced_at: ago(0) },
  messages: { waiting: 0, failed: 0 },
  unanswered: null,
});
const SOURCE = /\/products\/source$/;
const withShop = (problem: string | null): NonNullable<SeenDialog["answers"]> => [
  [SOURCE, (source) => ({ ...source, shop_system: SHOP_SYSTEM })],
  [/\/shop-connection$/, connected(problem)],
];
const UNLISTED = "Your shop no longer lists 8 of 12 products.";

const PEOPLE = (body: Body) => ({
  ...body,
  items: [
    ...body.items,
    {
      person_id: "per_ben",
      name: "Ben",
      email: "ben@example.com",
      status: "joined",
      role: "reviewer",
      created_at: ago(9),
      joined_at: ago(8),
    },
  ],
});
const session = (id: string, device: string) => ({
  session_id: id,
  device,
  created_at: ago(3),
  last_used_at: ago(1),
});
const ofBen = (name: string) => (page: Page) =>
  main(page).getByRole("button", { name, exact: true }).last().click();

const FEED = () => ({
  url: "https://shop.example/products.json",
  every_hours: 24,
  currency: "EUR",
  format: "shopify",
  next_fetch_at: new Date(Date.now() + DAY_MS).toISOString(),
  fetching_until: null,
  last_result: {
    fetched_at: ago(1),
    outcome: "not_applied",
    message: "It lists 3 products. It listed 12 before.",
    listed: 3,
    added: 0,
    changed: 0,
    paused: 0,
    removed: 0,
    refused: 0,
    problems: [],
  },
});
const WITH_FEED: NonNullable<SeenDialog["answers"]> = [
  [SOURCE, (source) => ({ ...source, product_feed: true })],
  [/\/product-feed$/, FEED],
];
const KEY = {
  credential_id: "crd_1",
  platform: "https://platform.example",
  kind: "api_key",
  token_url: null,
  created_by: "per_1",
  created_at: ago(4),
  expires_at: new Date(Date.now() + 300 * DAY_MS).toISOString(),
  last_used_at: ago(1),
  revoked_at: null,
};

/**
 * Every dialog and sheet of the console: photographed by `scripts/console-screens.mjs`, and examined for barriers.
 */
export const EVERY_DIALOG: readonly SeenDialog[] = [
  {
    name: "time-zone",
    source: "ui/time-zone-field.tsx",
    page: "settings-site",
    open: press(/^Time zone/),
  },
  {
    name: "decline-agents",
    source: "agents/reject-pending.tsx",
    page: "agents?status=pending",
    open: press("Decline all waiting"),
  },
  { name: "revoke-agent", source: "agents/agent-page.tsx", page: "agent", open: press("Revoke") },
  { name: "capture", source: "orders/change-payment.tsx", ...ofOrder, open: press("Capture") },
  { name: "refund", source: "orders/change-payment.tsx", ...ofOrder, open: press("Refund…") },
  {
    name: "cancel-items",
    source: "orders/order-actions.tsx",
    ...ofOrder,
    open: press("Cancel items"),
  },
  { name: "mark-as-sent", source: "orders/ship.tsx", ...ofOrder, open: press("Mark as sent") },
  {
    name: "replace-rules",
    source: "policy/presets.tsx",
    page: "setup-rules",
    open: press("Publish these rules"),
  },
  {
    name: "remove-passkey",
    source: "account/account-page.tsx",
    page: "account",
    answers: [
      [/\/console\/session$/, (own) => ({ ...own, kind: "person" })],
      [
        /\/console\/person$/,
        (account) => ({
          name: "Ann",
          email: null,
          sessions: [],
          ...account,
          passkeys: [
            {
              passkey_id: "pk_1",
              name: "Ann's phone",
              created_at: ago(9),
              last_used_at: ago(1),
              usable: true,
            },
          ],
        }),
      ],
    ],
    open: press("Remove"),
  },
  {
    name: "test-mode",
    source: "layout/test-mode.tsx",
    page: "home",
    open: (page) => page.getByRole("switch", { name: "Test mode" }).click(),
  },
  { name: "pause-sales", source: "layout/pause.tsx", page: "home", open: press("Pause sales") },
  {
    name: "all-pages",
    source: "layout/phone-bar.tsx",
    page: "home",
    only: "phone",
    open: (page) => shown(page, "button", "More").click(),
  },
  {
    name: "search",
    source: "layout/search.tsx",
    page: "home",
    async open(page) {
      await page.keyboard.press("/");
      await page.getByRole("combobox", { name: "Find anything" }).fill("ord");
    },
  },
  {
    name: "choose-site",
    source: "layout/site-switcher.tsx",
    page: "home",
    open: (page) => shown(page, "button", /^Site:/).click(),
  },
  {
    name: "unsaved",
    source: "layout/leave-guard.tsx",
    page: "settings-site",
    async open(page) {
      await main(page).getByRole("textbox").first().fill("Another name");
      await shown(page, "link", "Orders").click();
    },
  },
  {
    name: "keyboard",
    source: "layout/key-help.tsx",
    page: "home",
    open: (page) => page.keyboard.press("?"),
  },
  {
    name: "revoke-token",
    source: "settings/tokens.tsx",
    page: "settings-tokens",
    open: press("Revoke"),
  },
  {
    name: "change-domain",
    source: "settings/site.tsx",
    page: "settings-site",
    open: press("Change the domain…"),
  },
  {
    name: "delete-site",
    source: "settings/site.tsx",
    page: "settings-site",
    open: press("Delete…"),
  },
  {
    name: "erase-buyer",
    source: "settings/find-buyer.tsx",
    page: "settings-buyers",
    answers: [
      [
        /\/buyers\/find$/,
        () => ({
          items: [
            {
              kind: "order",
              id: "ord_1",
              created_at: ago(900),
              amount: { minor: 6730, currency: "EUR" },
              needed_for: null,
            },
          ],
        }),
      ],
    ],
    async open(page) {
      await page.getByLabel("Email address of the buyer").fill("rosa@example.com");
      await press("Find")(page);
      await press("Erase")(page);
    },
  },
  {
    name: "connect-shop-system",
    source: "settings/shop-system.tsx",
    page: "settings-shop",
    open: press("Connect a shop"),
  },
  {
    name: "pause-unlisted",
    source: "settings/shop-system.tsx",
    page: "settings-shop",
    answers: withShop(UNLISTED),
    open: press("Pause these products"),
  },
  {
    name: "disconnect-shop",
    source: "settings/shop-system.tsx",
    page: "settings-shop",
    answers: withShop(null),
    open: press("Disconnect"),
  },
  {
    name: "lost-device",
    source: "settings/person-actions.tsx",
    page: "settings-people",
    answers: [[/\/people$/, PEOPLE]],
    open: ofBen("Lost device"),
  },
  {
    name: "remove-person",
    source: "settings/person-actions.tsx",
    page: "settings-people",
    answers: [[/\/people$/, PEOPLE]],
    open: ofBen("Remove"),
  },
  {
    name: "person-sessions",
    source: "settings/person-sessions.tsx",
    page: "settings-people",
    answers: [
      [/\/people$/, PEOPLE],
      [
        /\/people\/per_ben\/sessions$/,
        () => ({
          items: [session("ses_1", "Firefox on Linux"), session("ses_2", "Safari on iOS")],
        }),
      ],
    ],
    open: ofBen("Sessions"),
  },
  {
    name: "disconnect-payments",
    source: "settings/payments.tsx",
    page: "settings-payments",
    open: press("Disconnect"),
  },
  { name: "rotate-key", source: "settings/keys.tsx", page: "settings-keys", open: press("Rotate") },
  {
    name: "remove-product",
    source: "products/product-form.tsx",
    page: "product",
    open: press("Remove"),
  },
  {
    name: "remove-products",
    source: "products/bulk.tsx",
    page: "products",
    async open(page) {
      await main(page).getByRole("checkbox", { name: "Select all shown" }).check();
      await press("Remove")(page);
    },
  },
  {
    name: "apply-feed",
    source: "products/feed-card.tsx",
    page: "products",
    answers: WITH_FEED,
    open: press("Apply anyway"),
  },
  {
    name: "remove-feed",
    source: "products/feed-card.tsx",
    page: "products",
    answers: WITH_FEED,
    open: press("Remove feed"),
  },
  {
    name: "undo-import",
    source: "products/undo-import.tsx",
    page: "products",
    answers: [
      [
        /\/products\/import$/,
        () => ({ import: { import_id: "imp_1", imported_at: ago(1), added: 3, replaced: 2 } }),
      ],
    ],
    open: press("Undo this import"),
  },
  {
    name: "delete-question",
    source: "questions/question-page.tsx",
    page: "question",
    open: press("Delete"),
  },
  {
    name: "revoke-key",
    source: "platforms/credentials.tsx",
    page: "platform",
    answers: [
      [/\/platforms\/[^/]+$/, (platform) => ({ ...platform, status: "admitted" })],
      [/\/credentials$/, () => ({ items: [KEY] })],
    ],
    open: press("Revoke"),
  },
];

async function answer(route: Route, change: (body: Body) => unknown): Promise<void> {
  const response = await route.fetch();
  const body = await response.json().catch(() => null);
  await route.fulfill({ status: 200, json: change(body) });
}

/** Goes to the page of a dialog and opens it. */
export async function openDialog(
  page: Page,
  url: string,
  { answers = [], open }: SeenDialog,
): Promise<void> {
  await page.unrouteAll();
  for (const [path, change] of answers) {
    await page.route(
      ({ pathname }) => pathname.startsWith("/v1/") && path.test(pathname),
      (route) => answer(route, change),
    );
  }
  await page.goto(url);
  await page.locator("main h1").waitFor();
  await open(page);
  await page.getByRole("dialog").waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
}

/** Whether a window of this width has a dialog. */
export const isIn = ({ only }: SeenDialog, width: number) =>
  only === undefined || (only === "phone") === width < 768;

/** The address of the page of a dialog, among those of all pages by their name. */
export function dialogUrl({ page }: SeenDialog, pages: Readonly<Record<string, string>>): string {
  const [name = "", search] = page.split("?");
  const url = pages[name];
  if (url === undefined) throw new Error(`there is no page ${name}`);
  return search === undefined ? url : `${url}?${search}`;
}
