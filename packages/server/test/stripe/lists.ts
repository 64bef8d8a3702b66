import { innerOf, numberOf, type Params, textOf } from "./form.ts";
import type { KeptAs, Kind, Ledger } from "./ledger.ts";
import { invalid, missing, refuse } from "./refusals.ts";

const LIMIT = 10;
const FILTERS = ["charge", "payment_intent", "status"] as const;

function within(created: number, range: Params): boolean {
  const { gt, gte, lt, lte } = Object.fromEntries(
    ["gt", "gte", "lt", "lte"].map((name) => [name, numberOf(range, name)]),
  );
  return (
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte)
  );
}

/** A page of an account's objects, the newest first. */
export function pageOf<K extends Kind>(
  ledger: Ledger,
  kind: K,
  params: Params,
): { readonly has_more: boolean; readonly data: readonly KeptAs<K>[] } {
  const after = textOf(params, "starting_after");
  const all = ledger.all(kind);
  const place = after === undefined ? -1 : all.findIndex(({ id }) => id === after);
  if (after !== undefined && place < 0) throw missing(kind, after, "starting_after", 400);
  const asked = all.slice(place + 1).filter((one) => {
    const links = one as Partial<Record<(typeof FILTERS)[number], unknown>>;
    return (
      FILTERS.every((name) => params[name] === undefined || params[name] === links[name]) &&
      within(one.created, innerOf(params, "created"))
    );
  });
  const limit = numberOf(params, "limit") ?? LIMIT;
  return { has_more: asked.length > limit, data: asked.slice(0, limit) };
}

const READ_FOR: Readonly<Record<string, string>> = {
  latest_charge: "charges_read",
  charge: "charges_read",
  payment_intent: "payment_intents_read",
};

/** Which permissions it takes to have these expanded; throws for what cannot be. */
export function permissionsFor(paths: readonly string[], expandable: readonly string[]): string[] {
  return paths.map((path) => {
    if (!expandable.includes(path)) throw invalid(`This property cannot be expanded (${path}).`);
    return READ_FOR[path.split(".").at(-1) ?? ""] ?? "";
  });
}

function expandAt(ledger: Ledger, object: unknown, [name = "", ...rest]: readonly string[]): void {
  if (Array.isArray(object)) {
    for (const one of object) expandAt(ledger, one, [name, ...rest]);
    return;
  }
  const holder = object as Record<string, unknown>;
  const value = holder[name];
  if (rest.length > 0) expandAt(ledger, value, rest);
  else if (typeof value === "string") holder[name] = structuredClone(ledger.any(value) ?? value);
}

/** A copy, with objects in place of the ids that were asked to be expanded. */
export function expanded<T extends object>(ledger: Ledger, said: T, paths: readonly string[]): T {
  const copy = structuredClone(said);
  for (const path of paths) expandAt(ledger, copy, path.split("."));
  return copy;
}

export const notAllowed = (key: string, accountId: string, permission: string) =>
  refuse(
    403,
    `The provided key '${key.slice(0, 8)}***' does not have the required permissions for this ` +
      `endpoint on account '${accountId}'. Having the 'rak_${permission}' permission would allow ` +
      "this request to continue.",
  );
