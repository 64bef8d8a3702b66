import { formatAmount, htmlText } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import {
  answerChallenge,
  type SandboxRow,
  sandboxChallenge,
} from "../../actions/payments/sandbox-challenge.js";
import type { Context } from "../../context.js";
import type { Caller } from "../server/admission/caller.js";
import { readBytes } from "../server/body.js";
import type { HonoGroup, HttpEnv } from "../server/hono-group.js";
import { htmlPage, PAGE_HEADERS } from "../server/html-page.js";
import { Problem, requireFound, requireNoWait } from "../server/problem.js";

const PATH = "/v1/sandbox/challenges/:reference";
const ANSWERS: ReadonlyMap<string, boolean> = new Map([
  ["confirm", true],
  ["refuse", false],
]);
const BODY_BYTES_MAX = 1024;

function challengePage({ amount, status, reference }: SandboxRow): string {
  const sum = htmlText(`${formatAmount(amount)} ${amount.currency}`);
  const button = (answer: string, text: string, kind = "") =>
    `<button${kind} name="answer" value="${answer}">${text}</button>`;
  const form = [
    `<form method="post" action="${htmlText(reference)}">`,
    button("confirm", "Confirm"),
    button("refuse", "Refuse", ' class="other"'),
    "</form>",
  ].join("\n");
  const open = status === "challenged";
  return htmlPage(
    { title: "Sandbox bank" },
    [
      '<p class="soft">The bank of the embedded processor. No money moves.</p>',
      `<h1>Pay ${sum}?</h1>`,
      open ? form : "<p>This was answered already.</p>",
    ].join("\n"),
  );
}

/** `/v1/sandbox`: the page on which the bank of a sandbox payment asks its buyer. */
export function sandboxRoutes(context: Context): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();
  const { admission, db } = context;

  async function challengeAt(reference: string, caller: Caller): Promise<SandboxRow> {
    requireNoWait(admission.takeCostly(caller));
    return requireFound(await sandboxChallenge(db, reference));
  }

  routes.get(PATH, async (c) => {
    const row = await challengeAt(c.req.param("reference"), c.get("caller"));
    return c.body(challengePage(row), 200, { ...PAGE_HEADERS });
  });

  routes.post(PATH, async (c) => {
    const row = await challengeAt(c.req.param("reference"), c.get("caller"));
    const body = await readBytes(context, c.env.incoming, BODY_BYTES_MAX);
    const answer = new URLSearchParams(Buffer.from(body).toString("utf8")).get("answer");
    const confirmed = ANSWERS.get(answer ?? "");
    if (confirmed === undefined || row.returnUrl === null) throw new Problem("invalid_request");
    await answerChallenge(db, row.reference, confirmed);
    // Banks add the result to the address. Nothing relies on it: the provider is asked instead.
    const location = `${row.returnUrl}?redirect_status=${confirmed ? "succeeded" : "failed"}`;
    return c.body(null, 303, { ...PAGE_HEADERS, location });
  });
  return { name: "sandbox", cors: "none", routes };
}
