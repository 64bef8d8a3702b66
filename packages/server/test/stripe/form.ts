/** What a form says, nested as its brackets say. Values stay text: only a parameter has a type. */
export type Param = string | Params | readonly Param[];
export interface Params {
  readonly [name: string]: Param;
}

type Open = { [name: string]: string | Open };

/** `a[b][0]` as `a`, `b`, `0`. */
function segmentsOf(name: string): readonly string[] {
  const [, head = "", rest = ""] = /^([^[]*)((?:\[[^\]]*\])*)$/.exec(name) ?? ["", name, ""];
  return [head, ...[...rest.matchAll(/\[([^\]]*)\]/g)].map(([, inner = ""]) => inner)];
}

function put(into: Open, segments: readonly string[], value: string): void {
  const [head = "", ...rest] = segments;
  // `list[]` names no place: the next one is meant.
  const name = head === "" ? String(Object.keys(into).length) : head;
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = Object.hasOwn(into, name) ? into[name] : undefined;
  const open: Open = typeof inner === "object" ? inner : {};
  into[name] = open;
  put(open, rest, value);
}

/** Names that count from zero make a list. */
function closed(value: string | Open): Param {
  if (typeof value === "string") return value;
  const names = Object.keys(value);
  const counts = names.length > 0 && names.every((name, i) => name === String(i));
  if (counts) return names.map((name) => closed(value[name] ?? ""));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
}

export function decodeForm(text: string): Params {
  const open: Open = {};
  for (const [name, value] of new URLSearchParams(text)) put(open, segmentsOf(name), value);
  return Object.fromEntries(Object.entries(open).map(([name, inner]) => [name, closed(inner)]));
}

export function textOf(params: Params, name: string): string | undefined {
  const value = params[name];
  return typeof value === "string" ? value : undefined;
}

export function numberOf(params: Params, name: string): number | undefined {
  const text = textOf(params, name);
  return text === undefined ? undefined : Number(text);
}

export function isOn(params: Params, name: string): boolean {
  return params[name] === "true";
}

export function innerOf(params: Params, name: string): Params {
  const value = params[name];
  return typeof value === "object" && !Array.isArray(value) ? (value as Params) : {};
}

export function textsOf(params: Params, name: string): readonly string[] {
  const value = params[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** The objects of a list. */
export function listOf(params: Params, name: string): readonly Params[] {
  const value = params[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "object") : [];
}
