import { describe, expect, test } from "vitest";
import { History } from "../src/audit/history/history.ts";
import type { Piece } from "../src/audit/history/piece.ts";
import { readStep } from "../src/audit/history/read-step.ts";
import type { Step } from "../src/audit/history/step.ts";
import { Stretches } from "../src/audit/history/stretches.ts";
import { Tally } from "../src/audit/history/tally.ts";
import type { AuditRecord, JsonObject } from "../src/index.ts";
import { decided, declined, paid, published, rules } from "./written-decisions.ts";

/** Numbers that are the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe("a tally", () => {
  test("adds up only what came after the start of the window", () => {
    const tally = new Tally();
    tally.add(1000, 1);
    tally.add(2000, 2);
    const third = tally.add(3000, 4);
    expect([tally.sum(1000, 3000), tally.sum(1001, 3000), tally.sum(9000, 3000)]).toEqual([
      4, 6, 7,
    ]);
    tally.takeBack(third);
    expect([tally.sum(1000, 3000), tally.sum(1001, 3000), tally.sum(9000, 3000)]).toEqual([
      0, 2, 3,
    ]);
    tally.takeBack(third);
    expect([tally.dropUntil(1000), tally.sum(9000, 3000), tally.dropUntil(9000)]).toEqual([
      1, 2, 2,
    ]);
    expect(tally.sum(9000, 3000)).toBe(0);
  });

  test.each([[1], [2], [3], [4]])(
    "never exceeds the true sum, whatever the clocks do, in run %i",
    (seed) => {
      const random = seeded(seed);
      const tally = new Tally();
      const entries: { at: number; value: number; number: number }[] = [];
      let clock = 0;
      let exact = 0;
      for (let n = 0; n < 600; n++) {
        clock += random(20);
        const at = clock - (random(5) === 0 ? random(60) : 0);
        entries.push({ at, value: 1 + random(9), number: 0 });
        const last = entries.at(-1) as (typeof entries)[number];
        last.number = tally.add(at, last.value);
        const back = entries[random(entries.length)] as (typeof entries)[number];
        if (random(7) === 0) {
          tally.takeBack(back.number);
          back.value = 0;
        }
        const length = [50, 400, 5000][random(3)] as number;
        const now = clock - random(30);
        const there = entries.filter((one) => one.at > now - length);
        const sum = there.reduce((total, { value }) => total + value, 0);
        expect(tally.sum(length, now) <= sum).toBe(true);
        if (tally.sum(length, now) === sum) exact++;
      }
      expect(exact > 200).toBe(true);
    },
  );

  test("starts again instead of counting beyond exact integers", () => {
    const tally = new Tally();
    tally.add(1, Number.MAX_SAFE_INTEGER);
    tally.add(2, 5);
    expect(tally.sum(10, 2)).toBe(5);
  });
});

/** Records as a log has them, one a second. */
function stepsOf(contents: readonly JsonObject[], first = 0): Step[] {
  return contents.flatMap((content, i) => {
    const seq = first + i;
    const occurred_at = new Date(Date.UTC(2030, 4, 17, 12, 0, seq)).toISOString();
    const record = { record_id: `r${seq}`, occurred_at, ...content, seq };
    return readStep(record as unknown as AuditRecord) ?? [];
  });
}

const orders = ["m-1", "m-2", "m-3"].map((mandate, i) =>
  decided({ mandate, spent: i * 10_000, count: i }),
);
const [one, two, three] = orders as [(typeof orders)[0], (typeof orders)[0], (typeof orders)[0]];
const begun = { whole: true, at: Date.UTC(2030, 4, 17, 12) };

describe("a history that remembers two decisions", () => {
  const faultsOf = (...contents: readonly JsonObject[]) => {
    const history = new History(begun, 2);
    const faults = stepsOf([published(rules), ...contents]).map((step) => history.take(step));
    return { faults: faults.filter((fault) => fault !== undefined), history };
  };

  test("reports no fault for naming a forgotten decision, and counts it as not compared", () => {
    const { faults, history } = faultsOf(one, two, three, paid(one, 1));
    expect([faults, history.before, history.forgotten]).toEqual([[], 1, 1]);
  });

  test("does not count money if it can no longer know whether it was returned", () => {
    const after = decided({ mandate: "m-4", spent: 20_000, count: 3 });
    expect(faultsOf(one, two, three, paid(one, 1, declined), after).faults).toEqual([]);
    const less = decided({ mandate: "m-4", spent: 10_000, count: 3 });
    expect(faultsOf(one, two, three, less).faults.length).toBe(1);
  });
});

test("decisions that name no agent are not counted as one agent's", () => {
  const history = new History(begun);
  const some = [
    decided({ mandate: "m-1", spent: 0 }),
    decided({ mandate: "m-2", spent: 0, count: 1 }),
  ];
  const checkouts = some.map(({ agent, mandate, ...rest }) => rest);
  const faults = stepsOf([published(rules), ...checkouts]).map((step) => history.take(step));
  expect(faults).toEqual([undefined, undefined, undefined]);
});

describe("parts of a log", () => {
  const piece = (firstSeq: number, contents: readonly JsonObject[], whole = true): Piece => ({
    firstSeq,
    nextSeq: firstSeq + contents.length,
    whole,
    beginning: { ...begun, whole: firstSeq === 0 },
    steps: stepsOf(contents, firstSeq),
  });
  const [first, second, third] = [
    piece(0, [published(rules), one]),
    piece(2, [two, paid(one, 1)]),
    piece(4, [paid(one, 1), three]),
  ];
  const result = (pieces: readonly Piece[], waitingMax?: number) => {
    const stretches = new Stretches("shop.example.com/audit/1", waitingMax);
    for (const one of pieces) stretches.take(one);
    const { findings, before } = stretches.result();
    return { seqs: findings.list.map(({ seq }) => seq), before };
  };

  test.each([
    ["in order", [first, second, third]],
    ["in reverse order", [third, second, first]],
    ["with one repeated", [first, second, second, third, first]],
    ["with the beginning last", [second, third, first]],
  ])("are compared as one log when they are given %s", (_, pieces) => {
    expect(result(pieces)).toEqual({ seqs: [4], before: 0 });
  });

  test("are compared as far as they follow each other", () => {
    expect(result([first, third])).toEqual({ seqs: [], before: 1 });
    expect(result([second, third])).toEqual({ seqs: [4], before: 2 });
    const broken = { ...second, whole: false };
    expect(result([first, broken, third])).toEqual({ seqs: [], before: 1 });
  });

  test("are compared without the one before if they wait for it too long", () => {
    expect(result([third, first, second], 1)).toEqual({ seqs: [], before: 1 });
    expect(result([first, third, second], 1)).toEqual({ seqs: [], before: 2 });
    expect(result([second, third, first], 1)).toEqual({ seqs: [4], before: 2 });
  });

  test("give a correct result again after more of them arrive", () => {
    const stretches = new Stretches("shop.example.com/audit/1");
    stretches.take(third);
    expect(stretches.result().before).toBe(1);
    for (const one of [second, first]) stretches.take(one);
    expect(stretches.result().findings.list.length).toBe(1);
    expect(stretches.result().findings.list.length).toBe(1);
  });
});
