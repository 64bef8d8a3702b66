import { htmlText } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import {
  answerChallenge,
  isPayable,
  type SandboxRow,
  sandboxChallenge,
} from "../../actions/payments/sandbox-challenge.js";
import type { Context } from "../../context.js";
import { filled, languageFor } from "../../domain/buyer-words/words.js";
import type { Caller } from "../server/admission/caller.js";
import { readBytes } from "../server/body.js";
import type { HonoGroup, HttpEnv } from "../server/hono-group.js";
import { htmlPage, PAGE_HEADERS } from "../server/html-page.js";
import { Problem, requireFound, requireNoWait } from "../server/problem.js";
import { type Voice, voiceOf } from "../server/voice.js";

const CHALLENGE = "/v1/sandbox/challenges/:reference";
const PAYMENT = "/v1/sandbox/payments/:reference";
const BODY_BYTES_MAX = 1024;

const button = (answer: string, text: string, kind = "") =>
  `<button${kind} name="answer" value="${answer}">${htmlText(text)}</button>`;
const OTHER = ' class="other"';

function page(
  { language }: Voice,
  heading: string,
  text: string,
  parts: readonly string[],
): string {
  const intro = `<p class="soft">${htmlText(text)}</p>`;
  const body = [intro, `<h1>${htmlText(heading)}</h1>`, ...parts].join("\n");
  return htmlPage({ title: heading, language }, body);
}

const form = (buttons: readonly string[]) =>
  ['<form method="post">', `<p class="acts">${buttons.join("\n")}</p>`, "</form>"].join("\n");

const amountOf = ({ money }: Voice, { amount }: SandboxRow) => money(amount.minor, amount.currency);

/** The bank that asks a buyer to confirm a payment. */
function challengePage(voice: Voice, row: SandboxRow): string {
  const { sandbox } = voice.words;
  const heading = filled(sandbox.bankHeading, { amount: amountOf(voice, row) });
  const buttons = [button("confirm", sandbox.confirm), button("refuse", sandbox.refuse, OTHER)];
  const body = row.status === "challenged" ? form(buttons) : `<p>${htmlText(sandbox.answered)}</p>`;
  return page(voice, heading, sandbox.bankText, [body]);
}

/** The payment page of the sandbox, in place of a provider's. A payment by token has ended there. */
function paymentPage(voice: Voice, row: SandboxRow, now: number, isDeclined: boolean): string {
  const { sandbox } = voice.words;
  const back = `<p><a href="${htmlText(row.returnUrl ?? "")}?paid=0">${htmlText(sandbox.back)}</a></p>`;
  if (!isPayable(row, now)) {
    return page(voice, sandbox.heading, sandbox.text, [`<p>${htmlText(sandbox.ended)}</p>`, back]);
  }
  const buttons = [
    button("confirm", filled(sandbox.pay, { amount: amountOf(voice, row) })),
    button("decline", sandbox.decline, OTHER),
    button("challenge", sandbox.challenge, OTHER),
  ];
  const declined = `<p class="notice" role="alert">${htmlText(sandbox.declined)}</p>`;
  const parts = [...(isDeclined ? [declined] : []), form(buttons), back];
  return page(voice, sandbox.heading, sandbox.text, parts);
}

/**
 * `/v1/sandbox`: the pages on which a buyer pays a sandbox payment, and confirms it to the bank. Like a
 * provider's page, that of a payment stays open after a declined card.
 */
export function sandboxRoutes(context: Context): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();
  const { admission, clock, config, db } = context;

  async function paymentAt(reference: string, caller: Caller): Promise<SandboxRow> {
    requireNoWait(admission.takeCostly(caller));
    return requireFound(await sandboxChallenge(db, reference));
  }
  const voiceFor = (header: string | undefined) => voiceOf(languageFor(header, {}), config);

  async function answerIn(request: HttpEnv["Bindings"]["incoming"]): Promise<string | null> {
    const body = await readBytes(context, request, BODY_BYTES_MAX);
    return new URLSearchParams(Buffer.from(body).toString("utf8")).get("answer");
  }

  /** Banks and providers add the result to the address. Nothing relies on it: the provider is asked. */
  const seeOther = (location: string) => ({ ...PAGE_HEADERS, location });

  routes.get(CHALLENGE, async (c) => {
    const row = await paymentAt(c.req.param("reference"), c.get("caller"));
    const voice = voiceFor(c.req.header("accept-language"));
    return c.body(challengePage(voice, row), 200, { ...PAGE_HEADERS });
  });

  routes.get(PAYMENT, async (c) => {
    const row = await paymentAt(c.req.param("reference"), c.get("caller"));
    const voice = voiceFor(c.req.header("accept-language"));
    const isDeclined = c.req.query("declined") !== undefined;
    const body = paymentPage(voice, row, clock.now(), isDeclined);
    return c.body(body, 200, { ...PAGE_HEADERS });
  });

  routes.post(CHALLENGE, async (c) => {
    const row = await paymentAt(c.req.param("reference"), c.get("caller"));
    const answer = await answerIn(c.env.incoming);
    if ((answer !== "confirm" && answer !== "refuse") || row.returnUrl === null) {
      throw new Problem("invalid_request");
    }
    if (answer === "refuse" && row.closesAt !== null) {
      return c.body(null, 303, seeOther(`/v1/sandbox/payments/${row.reference}?declined=1`));
    }
    await answerChallenge(context, row.reference, answer === "confirm");
    const status = answer === "confirm" ? "succeeded" : "failed";
    return c.body(null, 303, seeOther(`${row.returnUrl}?redirect_status=${status}`));
  });

  routes.post(PAYMENT, async (c) => {
    const row = await paymentAt(c.req.param("reference"), c.get("caller"));
    const answer = await answerIn(c.env.incoming);
    if (row.closesAt === null || row.returnUrl === null) throw new Problem("invalid_request");
    const own = `/v1/sandbox/payments/${row.reference}`;
    if (!isPayable(row, clock.now())) return c.body(null, 303, seeOther(own));
    if (answer === "decline") return c.body(null, 303, seeOther(`${own}?declined=1`));
    if (answer === "challenge") {
      return c.body(null, 303, seeOther(`/v1/sandbox/challenges/${row.reference}`));
    }
    if (answer !== "confirm") throw new Problem("invalid_request");
    await answerChallenge(context, row.reference, true);
    return c.body(null, 303, seeOther(`${row.returnUrl}?paid=1`));
  });
  return { name: "sandbox", cors: "none", routes };
}
