import type { Condition } from "./model.js";
import { variableOf, type World } from "./worlds.js";

/** How a condition should come out. */
export interface Goal {
  readonly condition: Condition;
  readonly want: "matched" | "not_matched";
  /** What is not known will do as well. */
  readonly orUnknown?: boolean;
}

/** Steps all questions about one policy may take together: past them nothing is claimed. */
export const STEPS_MAX = 200_000;

/** What is left of them. */
export interface Budget {
  steps: number;
}

/** The values that are left for each fact, and the sets of tags of each of which one is needed. */
interface Left {
  readonly masks: Map<string, bigint>;
  readonly tagSets: bigint[];
}

function lowest(mask: bigint): number {
  let at = 0;
  for (let rest = mask; (rest & 1n) === 0n; rest >>= 1n) at++;
  return at;
}

/** What was spent includes the cart, so that it is never less than the cart alone. */
function fitsCart(world: World, { masks }: Left): boolean {
  const totals = masks.get("total");
  if (totals === undefined) return true;
  const cheapest = Number(world.valuesOf("total")[lowest(totals)]);
  for (const [variable, mask] of masks) {
    if (!variable.startsWith("spend ")) continue;
    const most = Number(world.valuesOf(variable)[mask.toString(2).length - 1]);
    if (most < cheapest) return false;
  }
  return true;
}

/** An agent has any tags but those that are ruled out. */
function narrowTags(world: World, left: Left, mask: bigint, want: Goal["want"]): boolean {
  const allowed = left.masks.get("tags") ?? world.allOf("tags");
  if (want === "matched") left.tagSets.push(mask);
  else left.masks.set("tags", allowed & ~mask);
  const now = left.masks.get("tags") ?? allowed;
  return left.tagSets.every((set) => (set & now) !== 0n);
}

/** Takes a condition on one fact into account; false where nothing is left. */
function narrow(world: World, left: Left, { condition, want, orUnknown }: Goal): boolean {
  const result = world.resultOf(condition);
  if (typeof result === "string") {
    return result === want || (result === "unknown" && orUnknown === true);
  }
  const variable = variableOf(condition) as string;
  if (variable === "tags") return narrowTags(world, left, result, want);
  const mask = want === "matched" ? result : world.allOf(variable) & ~result;
  const now = (left.masks.get(variable) ?? world.allOf(variable)) & mask;
  left.masks.set(variable, now);
  return now !== 0n && fitsCart(world, left);
}

function search(
  world: World,
  budget: Budget,
  goals: readonly Goal[],
  choices: readonly (readonly Goal[])[],
  left: Left,
): boolean | undefined {
  const [open, waiting] = [[...goals], [...choices]];
  for (let goal = open.pop(); goal !== undefined; goal = open.pop()) {
    if (budget.steps-- <= 0) return undefined;
    const { condition, want, orUnknown = false } = goal;
    if (condition.kind === "not") {
      const opposite = want === "matched" ? "not_matched" : "matched";
      open.push({ condition: condition.condition, want: opposite, orUnknown });
    } else if (condition.kind === "all" || condition.kind === "any") {
      const inner = condition.conditions.map((one) => ({ condition: one, want, orUnknown }));
      if ((condition.kind === "all") === (want === "matched")) open.push(...inner);
      else waiting.push(inner);
    } else if (!narrow(world, left, goal)) return false;
  }
  // The shortest choice first: what has one way out only is settled before anything branches.
  const next = waiting.reduce<number>(
    (best, { length }, i) => (length < (waiting[best]?.length ?? length) ? i : best),
    0,
  );
  const [ways] = waiting.splice(next, 1);
  if (ways === undefined) return true;
  let unsure = false;
  for (const way of ways) {
    const copy = { masks: new Map(left.masks), tagSets: [...left.tagSets] };
    const isPossible = search(world, budget, [way], waiting, copy);
    if (isPossible === true) return true;
    if (isPossible === undefined) unsure = true;
  }
  return unsure ? undefined : false;
}

/** Whether some facts of a world meet all goals; undefined where that takes too long to say. */
export function possible(
  world: World,
  goals: readonly Goal[],
  budget: Budget,
): boolean | undefined {
  return search(world, budget, goals, [], { masks: new Map(), tagSets: [] });
}
