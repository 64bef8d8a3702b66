import { fromBase64url } from "../base64url.js";
import { a2aProjection } from "../discovery/a2a.js";
import { CARD_LIFE_MS } from "../discovery/card.js";
import { canonicalBytes, canonicalize } from "../json/canonicalize.js";
import type { JsonObject } from "../json/value.js";
import { verifyDetached } from "../jws/detached.js";
import { algOf, verifyWithWebCrypto } from "../keys/signer.js";
import { protocolById } from "../protocols.js";
import { Checklist, type Verdict } from "./checklist.js";
import {
  checkDates,
  checkHeaderDates,
  readDocument,
  text,
  utcTime,
  type VerifyOptions,
} from "./document.js";

function checkShape(list: Checklist, card: JsonObject): boolean {
  const held =
    card.protocol_version === protocolById("a2a").version &&
    Array.isArray(card.skills) &&
    text(card, "site", "service_endpoint") !== "" &&
    ["issued_at", "expires_at", "signing_key_id", "envelope_signature"].every(
      (name) => text(card, "signing", name) !== "",
    );
  return list.note(
    "shape",
    held,
    "it is an agent card",
    "it does not have all members of an agent card",
  );
}

/** The contract's recipe: remove one member, canonicalize, verify. */
async function checkEnvelope(list: Checklist, card: JsonObject, options: VerifyOptions) {
  const kid = text(card, "signing", "signing_key_id");
  const key = await options.findKey(kid);
  const hasKey = key !== undefined && algOf(key) === "EdDSA";
  if (
    !list.note("key", hasKey, `the key set has its key ${kid}`, "its key is not in the key set")
  ) {
    return;
  }
  const { envelope_signature: _removed, ...signing } = card.signing as JsonObject;
  const signature = fromBase64url(text(card, "signing", "envelope_signature"));
  const verify = options.verify ?? verifyWithWebCrypto;
  const held =
    key !== undefined &&
    signature !== undefined &&
    (await verify(key, canonicalBytes({ ...card, signing }), signature));
  const bad = "the envelope signature does not verify: the card was changed";
  list.note("envelope", held, "the envelope signature covers the whole card", bad);
}

function cardDates(list: Checklist, card: JsonObject, now: number): void {
  const issued = utcTime(text(card, "signing", "issued_at"));
  const expires = utcTime(text(card, "signing", "expires_at"));
  const life = expires - issued === CARD_LIFE_MS;
  const bad = "signing.expires_at is not 15 minutes after signing.issued_at";
  list.note("life", life, "it is valid for 15 minutes in total", bad);
  checkDates(list, issued, expires, now);
}

/** Signatures of a document that are looked at: each costs its reader a verification. */
export const SIGNATURES_MAX = 16;

/** The header of the first signature that holds: one valid one is enough (A2A 1.0 section 8.4). */
async function checkA2a(
  list: Checklist,
  card: JsonObject,
  options: VerifyOptions,
): Promise<JsonObject | undefined> {
  const entries = Array.isArray(card.signatures) ? card.signatures : [];
  if (entries.length > SIGNATURES_MAX) {
    const many = `it has ${entries.length} A2A signatures: more than ${SIGNATURES_MAX} are not checked`;
    list.note("a2a", false, "", many);
    return undefined;
  }
  const payload = canonicalBytes(a2aProjection(card));
  let header: JsonObject | undefined;
  for (const entry of entries) {
    const jws = `${text(entry, "protected")}..${text(entry, "signature")}`;
    const checked = await verifyDetached(jws, payload, options.findKey, options.verify);
    if (checked.ok) header ??= checked.value;
  }
  const bad = "no A2A signature verifies";
  list.note("a2a", header !== undefined, "the A2A signature verifies", bad);
  return header;
}

/**
 * A card without an envelope may hold nothing that A2A's signature does not cover: otherwise
 * cutting the envelope off a card would free the rest of it.
 */
function checkCovered(list: Checklist, card: JsonObject): void {
  const { signatures: _signatures, skills, ...rest } = card;
  const none = Array.isArray(skills) && skills.length === 0;
  const members = none || skills === undefined ? rest : { ...rest, skills };
  const held = canonicalize(a2aProjection(card)) === canonicalize(members);
  const bad = "it has members that no signature covers";
  list.note("covered", held, "the A2A signature covers every member", bad);
}

/** Readers that check only the A2A signature must be led to the same place as everybody else. */
function checkAgreement(list: Checklist, card: JsonObject): void {
  const interfaces = Array.isArray(card.supportedInterfaces) ? card.supportedInterfaces : [];
  const endpoint = text(card, "site", "service_endpoint");
  const held = interfaces.some((one) => text(one, "url") === endpoint);
  const bad = "its A2A interfaces and site.service_endpoint have different addresses";
  list.note(
    "agreement",
    held,
    "its A2A interfaces and site.service_endpoint have the same address",
    bad,
  );
}

/**
 * Verifies an agent card, step by step, by the envelope that covers all of it.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const now = Date.UTC(2030, 4, 17);
 * const { card } = await signCard(EXAMPLE_SITE, signer, now);
 * (await verifyCard(utf8(card), { findKey: () => jwk, now })).ok; //=> true
 * (await verifyCard(utf8(card.replace("Fern", "Ferm")), { findKey: () => jwk, now })).ok; //=> false
 */
export async function verifyCard(bytes: Uint8Array, options: VerifyOptions): Promise<Verdict> {
  const list = new Checklist();
  const card = readDocument(list, bytes);
  if (card !== undefined && checkShape(list, card)) {
    await checkEnvelope(list, card, options);
    cardDates(list, card, options.now);
    await checkA2a(list, card, options);
    checkAgreement(list, card);
  }
  return list.verdict("card");
}

/**
 * Verifies A2A's own form of a card, which has no envelope: by `signatures[]`, dated in their
 * header.
 *
 * @example
 * const { signer, jwk } = await generateEd25519("k1");
 * const now = Date.UTC(2030, 4, 17);
 * const { a2a } = await signCard(EXAMPLE_SITE, signer, now);
 * (await verifyA2aCard(canonicalBytes(a2a), { findKey: () => jwk, now })).ok; //=> true
 */
export async function verifyA2aCard(bytes: Uint8Array, options: VerifyOptions): Promise<Verdict> {
  const list = new Checklist();
  const card = readDocument(list, bytes);
  if (card !== undefined) {
    const header = await checkA2a(list, card, options);
    if (header !== undefined) checkHeaderDates(list, header, options.now);
    checkCovered(list, card);
  }
  return list.verdict("a2a-card");
}
