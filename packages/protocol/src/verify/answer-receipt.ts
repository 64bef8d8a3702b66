import { isJsonObject, type JsonObject } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { verifyTagged } from "../tagged.js";
import { Checklist, type Verdict } from "./checklist.js";
import { readDocument, text, utcTime, type VerifyOptions } from "./document.js";

/** What a receipt says: what was sent, what was answered, and when. */
interface AnswerReceipt {
  readonly signed: JsonObject;
  readonly kid: string;
  readonly signature: string;
}

/**
 * The receipt in a document: an answer that carries one, or the receipt alone.
 *
 * @example
 * readAnswerReceipt({ outcome: "approved" }).reason; //=> "no_receipt"
 */
export function readAnswerReceipt(document: JsonObject): Result<AnswerReceipt, "no_receipt"> {
  const whole = isJsonObject(document.receipt) ? document.receipt : document;
  const { signed, envelope } = whole;
  const isReceipt = isJsonObject(signed) && signed.type === "receipt" && isJsonObject(envelope);
  if (!isReceipt) return refuse("no_receipt", "it contains no receipt");
  return ok({ signed, kid: text(envelope, "kid"), signature: text(envelope, "signature") });
}

/**
 * Checks a receipt: that the service of these keys gave this answer to that request. Receipts do not
 * expire: what was answered stays answered.
 *
 * @example
 * const options = { findKey: async () => undefined, now: 0 };
 * (await verifyAnswerReceipt(utf8("{}"), options)).ok; //=> false
 */
export async function verifyAnswerReceipt(
  bytes: Uint8Array,
  { findKey, verify }: VerifyOptions,
): Promise<Verdict> {
  const list = new Checklist();
  const document = readDocument(list, bytes);
  if (document === undefined) return list.verdict("receipt");
  const read = readAnswerReceipt(document);
  if (
    !list.note("receipt", read.ok, "it contains a receipt", "it contains no receipt") ||
    !read.ok
  ) {
    return list.verdict("receipt");
  }
  const { signed, kid, signature } = read.value;
  const { answer, status, request_sha256: request } = signed;
  const outcome = isJsonObject(answer) ? text(answer, "outcome") : "";
  const at = text(signed, "issued_at");
  const whole = outcome !== "" && typeof status === "number" && !Number.isNaN(utcTime(at));
  const description = `the answer was ${status} ${outcome}, at ${at}`;
  list.note("content", whole, description, "it does not say what the answer was, or when");
  const named = typeof request === "string" ? `the request body has the SHA-256 ${request}` : "";
  list.note("request", named !== "", named, "it does not name the request");
  const key = await findKey(kid);
  const known = key?.kty === "OKP";
  list.note("key", known, `its key ${kid} is in the key set`, "its key is not in the key set");
  if (key?.kty !== "OKP") return list.verdict("receipt");
  const holds = await verifyTagged("receipt", signed, signature, key, verify);
  list.note("signature", holds, "its signature is valid", "its signature is not valid");
  return list.verdict("receipt");
}
