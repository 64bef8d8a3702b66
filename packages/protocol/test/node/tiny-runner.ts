/** The few functions of the test runner that the portable tests use, for runtimes without it. */
type Body = (context: { task: { meta: Record<string, unknown> } }) => unknown;

interface Case {
  readonly name: string;
  readonly body: Body;
}

const cases: Case[] = [];
const path: string[] = [];

function add(name: string, body: Body): void {
  cases.push({ name: [...path, name].join(" > "), body });
}

export function describe(name: string, body: () => void): void {
  path.push(name);
  body();
  path.pop();
}

export const test = Object.assign(add, {
  skipIf: (skip: boolean) => (skip ? () => undefined : add),
  each: (rows: readonly unknown[]) => (name: string, body: (...row: unknown[]) => unknown) => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row];
      add(`${name} ${String(values[0])}`, () => body(...values));
    }
  },
});

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => same((a as Record<string, unknown>)[key], (b as typeof a)[key as never]))
  );
}

function check(holds: boolean, actual: unknown, expected: unknown): void {
  if (holds) return;
  throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}

export function expect(actual: unknown) {
  return {
    toBe: (expected: unknown) => check(Object.is(actual, expected), actual, expected),
    toEqual: (expected: unknown) => check(same(actual, expected), actual, expected),
    toThrow: (type: new (...args: never[]) => Error) => {
      try {
        (actual as () => unknown)();
      } catch (error) {
        return check(error instanceof type, String(error), type.name);
      }
      check(false, "no error", type.name);
    },
  };
}

export interface Report {
  readonly passed: number;
  readonly outside: number;
  readonly failures: readonly string[];
}

export async function run(): Promise<Report> {
  const failures: string[] = [];
  let outside = 0;
  for (const { name, body } of cases) {
    const meta: Record<string, unknown> = {};
    try {
      await body({ task: { meta } });
      outside += Number(meta.outside ?? 0);
    } catch (error) {
      failures.push(`${name}: ${String(error)}`);
    }
  }
  return { passed: cases.length - failures.length, outside, failures };
}
