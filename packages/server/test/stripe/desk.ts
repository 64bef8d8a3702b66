import type { Accounts } from "./accounts.ts";
import type { SimulatedCall } from "./calls.ts";
import type { Fault } from "./faults.ts";
import { textsOf } from "./form.ts";
import type { Answer } from "./idempotency.ts";
import { expanded, notAllowed, permissionsFor } from "./lists.ts";
import { newId } from "./objects.ts";
import { checkShape } from "./params.ts";
import { broken, keyInUse, Refusal, refuse, tooMany } from "./refusals.ts";
import { ROUTES, type Route } from "./routes.ts";
import { expireDue } from "./sessions.ts";

export interface Reply {
  readonly answer: Answer;
  readonly replayed: boolean;
  /** The request is over: its answer is what its key stands for. */
  settle(): void;
}

interface Terms {
  readonly fault: Fault | undefined;
  /** What happens to a request that expands what its key may not read. */
  readonly expandUnpermitted: "refuse" | "keep_id";
}

const NOTHING_TO_SETTLE = () => {};

function answerOf(status: number, body: object, requestId: string): Answer {
  return { status, body: JSON.stringify(body, null, 2), requestId };
}

function attempt(work: () => object, requestId: string): Answer {
  try {
    return answerOf(200, work(), requestId);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answerOf(error.status, { error: error.error }, requestId);
  }
}

function routeOf({ method, path }: SimulatedCall): readonly [route: Route, id: string] {
  for (const route of ROUTES) {
    const match = route.method === method ? route.path.exec(path) : null;
    if (match !== null) return [route, match[1] ?? ""];
  }
  throw refuse(404, `Unrecognized request URL (${method}: ${path}).`);
}

/** What is refused before a fault of the endpoint's can happen: nothing of it is ever kept. */
function turnAway(call: SimulatedCall, fault: Fault | undefined): void {
  if (fault === "rate_limited") throw tooMany();
  if (fault === "in_use") throw keyInUse(call.idempotencyKey ?? "");
}

function carryOut(accounts: Accounts, call: SimulatedCall, terms: Terms): Reply {
  const { fault } = terms;
  turnAway(call, fault);
  const { ledger, idempotency, lacks } = accounts.byKey(call.key);
  expireDue(ledger);
  const [route, id] = routeOf(call);
  const { params, apiVersion } = call;
  const forbid = (permission: string) => notAllowed(call.key ?? "", ledger.accountId, permission);
  if (lacks.includes(route.permission)) throw forbid(route.permission);
  const key = route.method === "POST" ? call.idempotencyKey : undefined;
  const before = key === undefined ? undefined : idempotency.find(key, call);
  if (before !== undefined) return { answer: before, replayed: true, settle: NOTHING_TO_SETTLE };

  checkShape(route.shape, params);
  route.check?.(params, apiVersion, ledger);
  const paths = textsOf(params, "expand");
  const needed = permissionsFor(paths, route.expandable);
  const unread = needed.find((permission) => lacks.includes(permission));
  if (unread !== undefined && terms.expandUnpermitted === "refuse") throw forbid(unread);
  const shown = paths.filter((_, i) => !lacks.includes(needed[i] ?? ""));

  if (key !== undefined) idempotency.hold(key, call);
  const requestId = newId("req");
  const request = { id: requestId, idempotency_key: key ?? null };
  const breaks = () => {
    throw broken();
  };
  const run = () => expanded(ledger, route.run(ledger, params, id), shown);
  const done =
    fault === "error_500"
      ? attempt(breaks, requestId)
      : ledger.during(request, () => attempt(run, requestId));
  const answer = fault === "error_500_after" ? attempt(breaks, requestId) : done;
  const settle = key === undefined ? NOTHING_TO_SETTLE : () => idempotency.save(key, answer);
  return { answer, replayed: false, settle };
}

/** What Stripe answers to a request, once it has done what it asks. */
export function reply(accounts: Accounts, call: SimulatedCall, terms: Terms): Reply {
  try {
    return carryOut(accounts, call, terms);
  } catch (error) {
    const refused = () => {
      throw error;
    };
    const answer = attempt(refused, newId("req"));
    return { answer, replayed: false, settle: NOTHING_TO_SETTLE };
  }
}
