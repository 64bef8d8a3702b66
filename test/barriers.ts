import axe from "axe-core";
import type { Page } from "playwright-core";

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { html: string }[];
  }[];
}

/** A phone and a desk, each in both colours. */
const EVERY_VIEW = [
  { colorScheme: "light", width: 1440 },
  { colorScheme: "dark", width: 390 },
  { colorScheme: "dark", width: 1440 },
  { colorScheme: "light", width: 390 },
] as const;

/**
 * The views a page is examined in. `npm test` takes the first two: a rule on colour does not look at the width, nor
 * one on the layout at colours. Every other run takes all four.
 */
export const VIEWS = EVERY_VIEW.slice(0, Number(process.env.TIER_VIEWS ?? EVERY_VIEW.length));

/** How a page of one view is opened. Its own policy lets no script in: axe comes in past it. */
export function viewOptions({ colorScheme, width }: (typeof VIEWS)[number]) {
  return { colorScheme, viewport: { width, height: 800 }, bypassCSP: true };
}

/** What axe complains of, and how far the page is wider than its window. */
export async function barriersOf(page: Page): Promise<{ found: unknown[]; overflow: number }> {
  const loaded = await page.evaluate(() => "axe" in globalThis);
  if (!loaded) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as Found;
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  return {
    found: violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    overflow,
  };
}

export const NO_BARRIERS = { found: [], overflow: 0 };
