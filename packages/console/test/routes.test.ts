import { expect, test } from "vitest";
import { sourcesIn } from "../../../test/source.ts";
import { router } from "../src/routes.tsx";
import { SETTINGS_PARTS } from "../src/settings/parts.ts";
import { STEPS } from "../src/setup/steps.ts";
import { EVERY_DIALOG } from "./every-dialog.ts";
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

test("every dialog and sheet is photographed and examined", () => {
  const DIALOG = /<(?:Dialog|Confirm|ConfirmDialog|Picker)(?=[\s>])/g;
  const counts = (files: readonly string[]) =>
    files.reduce<Record<string, number>>((all, file) => {
      all[file] = (all[file] ?? 0) + 1;
      return all;
    }, {});
  const seen = counts(EVERY_DIALOG.map(({ source }) => source));
  const sources = sourcesIn("packages/console/src", /\.tsx$/).flatMap(({ path, text }) => {
    const file = path.replace("packages/console/src/", "");
    // They are what dialogs are made of.
    if (["ui/dialog.tsx", "ui/confirm.tsx", "ui/picker.tsx"].includes(file)) return [];
    return (text.match(DIALOG) ?? []).map(() => file);
  });
  expect(sources.length).toBeGreaterThan(25);
  const missing = Object.entries(counts(sources)).filter(
    ([file, count]) => (seen[file] ?? 0) < count,
  );
  expect(missing).toEqual([]);
  expect(Object.keys(seen).filter((file) => !sources.includes(file))).toEqual([]);
  const names = EVERY_DIALOG.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  const pages = EVERY_PAGE.map(({ name }) => name);
  expect(EVERY_DIALOG.filter(({ page }) => !pages.includes(page.split("?")[0] ?? ""))).toEqual([]);
});
