import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The headless shell first: it has no window to draw, and takes two thirds of the processor time. */
const SYSTEM_BROWSERS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
/**
 * The pages that a full Chromium makes for its own address bar, in every window, cost more than what
 * a test does there. A second list replaces Playwright's own, so that one is repeated.
 */
const WITHOUT = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];
/** A test browser talks to the page under test and to nobody else. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${WITHOUT.join(",")}`,
];

/** The npm build of Chromium is for Linux on x64; elsewhere a browser of the system serves. */
async function executable(): Promise<string | undefined> {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined) return named;
  const system = SYSTEM_BROWSERS.find((path) => existsSync(path));
  if (system !== undefined) return system;
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const { default: packaged } = await import("@sparticuz/chromium");
  return packaged.executablePath();
}

const chromiumPath = await executable();

/** On CI a missing browser is a failure, not a skip. */
export const skipChromium = chromiumPath === undefined && process.env.CI === undefined;

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Error("no Chromium here: install one and set CHROMIUM_PATH to it");
  }
  return chromium.launch({ executablePath: chromiumPath, args: QUIET });
}
