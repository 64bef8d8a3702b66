import axe from "axe-core";
import type { Page } from "playwright-core";

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { html: string }[];
  }[];
}

/**
 * Colours and widths a page is examined in: each once. A rule on colour does not look at the
 * width, nor one on the layout at colours, so the other two pairs would only cost time.
 */
export const VIEWS = [
  { colorScheme: "light", width: 1000 },
  { colorScheme: "dark", width: 360 },
] as const;

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
