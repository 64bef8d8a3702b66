import { declaredAgent, type KnownAgent } from "./known-agents.js";

/** Who a visit is by, as far as it shows. */
export const CLASSIFICATIONS = Object.freeze([
  "verified_agent",
  "declared_agent",
  "suspected_automation",
  "person",
] as const);

export type Classification = (typeof CLASSIFICATIONS)[number];

/** What is known of a caller. */
export interface Caller {
  readonly userAgent: string;
  /** The browser says of itself that a program drives it. */
  readonly webdriver: boolean;
}

/** Programs that say what they are, and browsers without anybody before them. */
const AUTOMATED =
  /^node$|^deno\/|^bun\/|headless|phantomjs|selenium|puppeteer|playwright|python-|aiohttp|httpx|curl\/|wget|go-http-client|okhttp|node-fetch|undici|axios|java\/|libwww|scrapy|\bbot\b|crawler|spider/i;

export interface Classified {
  readonly classification: Classification;
  readonly agent?: Pick<KnownAgent, "name" | "operator">;
}

/**
 * Who a visit without a signature is by. Nothing here is proven: whoever declares to be an agent is
 * taken at their word, and nobody is ever `verified_agent` by it.
 *
 * @example
 * classifyCaller({ userAgent: "GPTBot/1.2", webdriver: false }).classification; //=> "declared_agent"
 * classifyCaller({ userAgent: "curl/8.5.0", webdriver: false }).classification; //=> "suspected_automation"
 */
export function classifyCaller({ userAgent, webdriver }: Caller): Classified {
  const known = declaredAgent(userAgent);
  if (known !== undefined) {
    return {
      classification: "declared_agent",
      agent: { name: known.name, operator: known.operator },
    };
  }
  const automated = webdriver || userAgent === "" || AUTOMATED.test(userAgent);
  return { classification: automated ? "suspected_automation" : "person" };
}
