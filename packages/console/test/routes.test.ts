import { expect, test } from "vitest";
import { router } from "../src/routes.tsx";
import { SETTINGS_PARTS } from "../src/settings/parts.ts";
import { STEPS } from "../src/setup/steps.ts";
import { EVERY_PAGE } from "./every-page.ts";

/** They have nothing to show, and lead to another page. */
const LEADS_ON = ["/", "/$site/setup"];

test("every page, part of the settings and step of the setup is photographed and examined", () => {
  const seen = EVERY_PAGE.map(({ route }) => route);
  const pages = Object.values(router.routesByPath).map(({ fullPath }) => fullPath);
  const isThere = (page: string) => seen.includes(page) || seen.includes(`${page}/`);
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((page) => !LEADS_ON.includes(page) && !isThere(page))).toEqual([]);
  const parts = EVERY_PAGE.flatMap(({ route, part }) => (route.endsWith("$part") ? [part] : []));
  expect(parts).toEqual(Object.keys(SETTINGS_PARTS));
  const steps = EVERY_PAGE.flatMap(({ search = "" }) => /^\?step=(.*)/.exec(search)?.[1] ?? []);
  expect(steps).toEqual([...STEPS]);
});
