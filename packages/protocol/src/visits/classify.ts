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
interface Caller {
  readonly userAgent: string;
  /** The browser says of itself that a program drives it. */
  readonly webdriver: boolean;
}

/** Every browser that people use begins so. */
const BROWSER = /^(?:Mozilla|Opera)\//;
/** Browsers without anybody before them, and programs that dress as one. (Cubot makes telephones.) */
const AUTOMATED =
  /headless|phantomjs|selenium|puppeteer|playwright|python|scrapy|(?<!cu)bot\b|crawl|spider/i;
/** What a program calls itself: its first word. */
const PRODUCT = /^[A-Za-z][\w.+-]{0,39}(?=[/ ]|$)/;

export interface Classified {
  readonly classification: Classification;
  /** Of a program that is not known, what it calls itself; its operator is then unknown. */
  readonly agent?: Pick<KnownAgent, "name" | "operator">;
}

/**
 * Who a visit without a signature is by. Nothing here is proven: whoever declares to be an agent is
 * taken at their word, and nobody is ever `verified_agent` by it.
 *
 * @example
 * classifyCaller({ userAgent: "GPTBot/1.2", webdriver: false }).classification; //=> "declared_agent"
 * classifyCaller({ userAgent: "curl/8.5.0", webdriver: false }).agent.name; //=> "curl"
 */
export function classifyCaller({ userAgent, webdriver }: Caller): Classified {
  const known = declaredAgent(userAgent);
  if (known !== undefined) {
    return {
      classification: "declared_agent",
      agent: { name: known.name, operator: known.operator },
    };
  }
  if (BROWSER.test(userAgent)) {
    const automated = webdriver || AUTOMATED.test(userAgent);
    return { classification: automated ? "suspected_automation" : "person" };
  }
  const [name] = PRODUCT.exec(userAgent) ?? [];
  if (name === undefined) return { classification: "suspected_automation" };
  return { classification: "suspected_automation", agent: { name, operator: "unknown" } };
}
