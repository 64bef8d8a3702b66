/** What readers check of documents, and by whose keys. */
export { cardInPage } from "./agent-page.js";
export { readAnswerReceipt, verifyAnswerReceipt } from "./answer-receipt.js";
export { SIGNATURES_MAX, verifyA2aCard, verifyCard } from "./card.js";
export { verifyCatalog } from "./catalog.js";
export type { Check, Verdict } from "./checklist.js";
export type { VerifyOptions } from "./document.js";
export { documentClaims, KEY_SET_PATH, trustedKeySet } from "./key-set.js";
export { type ShownRecord, verifyShownRecord } from "./shown-record.js";
export { termsIn, verifySignedTerms } from "./terms.js";
