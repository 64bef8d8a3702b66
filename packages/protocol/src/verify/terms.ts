import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { TERMS_TYPE, verifyTerms } from "../ucp/terms.js";
import { Checklist, type Verdict } from "./checklist.js";
import { readDocument, text, type VerifyOptions } from "./document.js";

/**
 * The signed terms in a document: a cart or checkout that carries them, or the entry alone; undefined
 * where there are none.
 *
 * @example
 * termsIn({ policies: [{ type: "dev.gatehouse.policy.site_terms", version: "1" }] })?.version; //=> "1"
 * termsIn({ policies: [] }); //=> undefined
 */
export function termsIn(document: JsonObject): JsonObject | undefined {
  const { policies } = document;
  const all: readonly JsonValue[] = Array.isArray(policies) ? policies : [document];
  return all.filter(isJsonObject).find(({ type }) => type === TERMS_TYPE);
}

/**
 * Checks the terms of a shop: that the service of these keys signed them. They do not expire: what was
 * agreed to stays agreed. Whether a text is the one that was signed, its SHA-256 says.
 *
 * @example
 * const options = { findKey: async () => undefined, now: 0 };
 * (await verifySignedTerms(utf8("{}"), options)).ok; //=> false
 */
export async function verifySignedTerms(
  bytes: Uint8Array,
  { findKey, verify }: VerifyOptions,
): Promise<Verdict> {
  const list = new Checklist();
  const document = readDocument(list, bytes);
  if (document === undefined) return list.verdict("terms");
  const entry = termsIn(document);
  list.note(
    "terms",
    entry !== undefined,
    "it contains signed terms",
    "it contains no signed terms",
  );
  if (entry === undefined) return list.verdict("terms");
  const digest = text(entry, "sha256");
  const description = `the terms have version ${text(entry, "version")} and the SHA-256 ${digest}`;
  list.note("content", digest !== "", description, "the terms do not say which text was signed");
  const holds = await verifyTerms(entry, findKey, verify === undefined ? {} : { verify });
  const why = holds.ok ? "" : `the signature of the terms is not valid: ${holds.detail}`;
  list.note("signature", holds.ok, "the signature of the terms is valid", why);
  return list.verdict("terms");
}
