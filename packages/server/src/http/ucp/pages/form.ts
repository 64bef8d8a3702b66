import type { IncomingMessage } from "node:http";
import type { JsonObject } from "@gatehouse/protocol";
import { type BodyTools, readBytes } from "../../server/body.js";
import { Problem } from "../../server/problem.js";
import { TEXT_CHARS_MAX } from "../fields.js";
import { ADDRESS_FIELDS } from "../fulfillment.js";

const BODY_BYTES_MAX = 16_384;
const DIGEST = /^[0-9a-f]{64}$/;
const EMAIL_CHARS_MAX = 254;
/** Nobody types these, and not every database accepts them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** What a buyer sends. `pay_now` pays for the checkout as it is stored. */
export interface PageForm {
  readonly act: "update" | "pay" | "pay_now" | "cancel";
  readonly email: string;
  readonly address: JsonObject;
  readonly optionId: string | null;
  /** The digest of the quote that was shown. */
  readonly quote: string;
}

const ACTS: readonly PageForm["act"][] = ["update", "pay", "pay_now", "cancel"];

/** Reads the form of a page. The form of a cart has no fields. */
export async function readPageForm(tools: BodyTools, request: IncomingMessage): Promise<PageForm> {
  const bytes = await readBytes(tools, request, BODY_BYTES_MAX);
  const fields = new URLSearchParams(Buffer.from(bytes).toString("utf8"));
  const text = (name: string, charsMax = TEXT_CHARS_MAX) => {
    const value = (fields.get(name) ?? "").trim();
    if (value.length > charsMax || CONTROL.test(value)) throw new Problem("invalid_request");
    return value;
  };
  const act = ACTS.find((one) => one === fields.get("do")) ?? "update";
  const quote = text("quote");
  const address = ADDRESS_FIELDS.map((name) => [name, text(name)] as const);
  return Object.freeze({
    act,
    email: text("email", EMAIL_CHARS_MAX),
    address: Object.fromEntries(address.filter(([, value]) => value !== "")),
    optionId: text("option") || null,
    quote: DIGEST.test(quote) ? quote : "",
  });
}
