/** What is not run as it stands, and why. Nothing else may be left out or changed. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PICTURES = "../../packages/server/test/fixtures/";
const PICTURE = fileURLToPath(new URL(`${PICTURES}rose.jpg`, import.meta.url));

export interface NotRun {
  /** How the command begins. */
  readonly begins: string;
  readonly why: string;
}

export const NOT_RUN: readonly NotRun[] = [
  {
    begins: "npm install && npm ",
    why: "test/release/packages.test.ts installs and walks the demo",
  },
  {
    begins: "node receiver.mjs ",
    why: "it listens until it is ended; a test of notifications runs it",
  },
  {
    begins: "gatehouse audit tail installation",
    why: "the guide's reader has a site's token; a test of the installation's log runs it",
  },
  {
    begins: "gatehouse audit export installation",
    why: "the guide's reader has a site's token; a test of the installation's log runs it",
  },
  {
    begins: "gatehouse audit verify taken/*.json --key https://gate.example.com",
    why: "it verifies what the command before it took",
  },
  { begins: "wp gatehouse ", why: "the tests of the plugin run it in a WordPress" },
  {
    begins: "npx gatehouse site verify shop.example.com --method file",
    why: "the tests of the plugin verify a domain with its file",
  },
  { begins: "gatehouse connector listen ", why: "a test of the command sends it messages" },
  { begins: "gatehouse connector check ", why: "a test of the command runs it against a shop" },
  { begins: "npx wrangler@4 ", why: "it needs an account at Cloudflare" },
  ...(spawnSync("python3", ["-c", "import cryptography"]).status === 0
    ? []
    : [{ begins: "python3 ", why: "there is no Python with `cryptography` here" }]),
];

/** Addresses this run has. */
export interface Here {
  readonly service: string;
  readonly shop: string;
  readonly platformPort: number;
  readonly mail: string;
  readonly stripe: string;
  readonly stripeKey: string;
}

export interface Substitution {
  readonly from: RegExp;
  readonly to: (here: Here) => string;
  readonly why: string;
}

export const SUBSTITUTIONS: readonly Substitution[] = [
  {
    from: /(?<=gatehouse (?:agent register|agent status|mandate send) )https:\/\/shop\.example\.com(?= )/,
    to: ({ service }) => `${service}/v1/agent-card/us_….json`,
    why: "nobody serves the shop's domain: its card is at the service, as the guides say",
  },
  {
    from: /https:\/\/shop\.example\.com\/hooks\/gate/,
    to: ({ shop }) => `${shop}/hooks/gate`,
    why: "the shop of this run is on this machine",
  },
  {
    from: /https:\/\/shop\.example\.com\/products\.xml/,
    to: ({ shop }) => `${shop}/products.xml`,
    why: "the shop of this run is on this machine",
  },
  {
    from: /(?<= rose )rose\.jpg$/,
    to: () => PICTURE,
    why: "the reader's own picture",
  },
  {
    from: /127\.0\.0\.1:9000\b/,
    to: ({ shop }) => new URL(shop).host,
    why: "any port may be taken: the shop of this run stands in for the receiver",
  },
  {
    from: /(?<=gatehouse site check shop\.example\.com)/,
    to: ({ shop }) => ` --origin ${shop}`,
    why: "the shop of this run is on this machine",
  },
  {
    from: /^npx gatehouse site verify shop\.example\.com --method dns$/,
    to: () =>
      'GATEHOUSE_ADMIN_TOKEN= npx gatehouse site verify shop.example.com --method operator --reason "a try"',
    why: "nobody can publish a record for example.com: the operator vouches for it",
  },
  {
    from: /https:\/\/gate\.example\.com/g,
    to: ({ service }) => service,
    why: "the service of this run is on this machine",
  },
  {
    from: /(?<=127\.0\.0\.1:|--serve )4000\b/,
    to: ({ platformPort }) => String(platformPort),
    why: "any port may be taken",
  },
  {
    from: /\brk_test_…/,
    to: ({ stripeKey }) => stripeKey,
    why: "the account is a simulator's",
  },
  { from: /\bwhsec_…/, to: () => "whsec_0123456789abcdef", why: "the account is a simulator's" },
];

/** What the service is served with besides, where it is served in development. */
export const SERVED: readonly (readonly [name: string, to: (here: Here) => string, why: string])[] =
  [
    ["GATEHOUSE_SMTP_URL", ({ mail }) => mail, "the operator has set a mail server"],
    ["GATEHOUSE_MAIL_FROM", () => "gate@example.com", "the operator has set a mail server"],
    ["GATEHOUSE_STRIPE_API_BASE", ({ stripe }) => stripe, "the account is a simulator's"],
    [
      "GATEHOUSE_FETCH_ALLOW",
      ({ shop }) => new URL(shop).host,
      "the shop of this run is on this machine",
    ],
  ];

/** What a reader puts in from what was printed before. */
export const PLACEHOLDERS: readonly (readonly [text: string, printed: RegExp])[] = [
  ["agt_…", /\b(agt_[\w-]+)/],
  ["esc_…", /\b(esc_[\w-]+)/],
  ["ord_…", /\b(ord_[\w-]+)/],
  ["msg_…", /\b(msg_[\w-]+)/],
  ["adm_…", /\b(adm_[\w-]+)/],
  ["gha_…", /\b(gha_[\w-]+)/],
  ["us_…", /\b(us_[\w-]{43})/],
  ["<site_key_hash>", /\bsite_key_hash"?:? +"?([\w-]{43})/],
  ["<mandate_id>", /"mandate_id": "([\w-]+)"|\bagt_\S+ +([\w-]{16,64})$/m],
  ["<record_id>", /"record_id":"([\w-]+)"/],
];

/** What is typed where `init` asks, by words of the question. */
export const ANSWERS: readonly (readonly [words: string, answer: (here: Here) => string])[] = [
  ["The domain of your site", () => "shop.example.com"],
  ["The name of your site", () => "Fern & Petal"],
  // Passkeys need the name of a host.
  ["reach this service", ({ service }) => service.replace("127.0.0.1", "localhost")],
  ["buy without your approval", () => "50.00 EUR"],
  ["time zone", () => "Europe/Berlin"],
  ["moves no money", () => ""],
];
