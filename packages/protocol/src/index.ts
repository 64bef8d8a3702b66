/** The bytes Gatehouse and its agents agree on. Everything here runs in Node, Workers and browsers. */
export {
  KEY_SOURCE_TYPES,
  type KeySource,
  type Registration,
  readRegistration,
} from "./agents/registration.js";
export { OVERLAP_S_MAX, type Rotation, readRotation } from "./agents/rotation.js";
export { type Asked, isScope, SCOPES_MAX, scopesAllow } from "./agents/scopes.js";
export * from "./audit/index.js";
export { fromBase64url, toBase64url } from "./base64url.js";
export { concatBytes, fromHex, sha256, toHex, utf8 } from "./bytes.js";
export { DESIGN_TOKENS, LIGHT_COLORS, PLAIN_SHAPES } from "./design-tokens.js";
export { a2aProjection } from "./discovery/a2a.js";
export { namedType, prefersMarkdown } from "./discovery/accept.js";
export { acpDocument } from "./discovery/acp.js";
export {
  PICTURES_PATH,
  pictureUrl,
  SITE_PATHS,
  type SiteAddresses,
  type SiteNames,
  showsPicture,
  siteAddresses,
} from "./discovery/addresses.js";
export { agentPage, agentPagePolicy } from "./discovery/agent-page/html.js";
export { headLinks, linkHeader } from "./discovery/agent-page/links.js";
export { agentMarkdown } from "./discovery/agent-page/markdown.js";
export { agentsMd, type OfferedProduct } from "./discovery/agents-md.js";
export {
  BUILT_IN_SKILLS,
  builtInSkill,
  movesMoney,
  PLACE_ORDER,
  RESERVED_SKILLS,
} from "./discovery/built-in-skills.js";
export { CARD_LIFE_MS, previewCard, type SignedCard, signCard } from "./discovery/card.js";
export { previewCatalog, type SignedCatalog, signCatalog } from "./discovery/catalog.js";
export { didDocument, didOf, type PublishedKey } from "./discovery/did.js";
export { apiCatalog, securityTxt } from "./discovery/installation.js";
export { llmsTxt } from "./discovery/llms-txt.js";
export { buyingText, FULL_OFFER, isOffered, NO_OFFER, type Offer } from "./discovery/offer.js";
export { OWN_DOMAIN_PATHS } from "./discovery/own-domain.js";
export { ANSWER_CHARS_MAX, type PublishedAnswer } from "./discovery/published-answer.js";
export { PUBLISHED_FEEDS, type PublishedFeed } from "./discovery/published-feed.js";
export { robotsBlock } from "./discovery/robots.js";
export { COMPLETE_CHECKOUT, GET_ORDER, isShopSkill, OPEN_SKILLS } from "./discovery/shop-skills.js";
export {
  isSkillId,
  type LiveSkill,
  liveSkills,
  readSkillUrl,
  SKILL_DESCRIPTION_CHARS_MAX,
  SKILL_TITLE_CHARS_MAX,
  SKILL_URL_CHARS_MAX,
  SKILLS_MAX,
  type SkillSetting,
} from "./discovery/skills.js";
export {
  EXAMPLE_SITE,
  type SiteProfile,
  type SiteSnapshot,
  siteSnapshot,
} from "./discovery/snapshot.js";
export { htmlText } from "./discovery/text.js";
export { canonicalBytes, canonicalize } from "./json/canonicalize.js";
export { JSON_DEPTH_MAX, type JsonFault, parseJson } from "./json/parse.js";
export { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from "./json/value.js";
export {
  type FindKey,
  JWS_HEADER_CHARS_MAX,
  type JwsFault,
  type JwsHeaderExtras,
  signDetached,
  verifyDetached,
} from "./jws/detached.js";
export {
  checkEd25519PublicKey,
  ED25519_KEY_BYTES,
  ED25519_SIGNATURE_BYTES,
  type Ed25519KeyFault,
  ed25519Bytes,
  ed25519Jwk,
  glanceAtEd25519PublicKey,
  serviceKeyId,
  verifyEd25519,
} from "./keys/ed25519.js";
export { ES256_SIGNATURE_BYTES, importEs256, verifyEs256 } from "./keys/es256.js";
export {
  type Ed25519Jwk,
  type Es256Jwk,
  type JwkFault,
  jwkThumbprint,
  type PublicJwk,
  readPublicJwk,
} from "./keys/jwk.js";
export {
  algOf,
  type Ed25519KeyPair,
  ed25519Signer,
  generateEd25519,
  type SignatureAlg,
  type Signer,
  type Verify,
  verifyWithWebCrypto,
} from "./keys/signer.js";
export {
  isAgentId,
  MANDATE_BYTES_MAX,
  type Mandate,
  type MandateFault,
  type MandatePayment,
  mandateDigest,
  type PaymentHandler,
  readMandate,
  signMandate,
} from "./mandate/mandate.js";
export { readWithdrawal, type Withdrawal } from "./mandate/withdrawal.js";
export { MARK_PATH, markSvg } from "./mark.js";
export { MCP_REVISIONS, MCP_STATELESS_REVISION } from "./mcp/revisions.js";
export { mcpServerCard, mcpServerInfo } from "./mcp/server-card.js";
export { linkResult, mcpInstructions, mcpTools, readLinkArguments } from "./mcp/tools.js";
export { type AmountFault, formatAmount, type Money, parseAmount } from "./money/amount.js";
export { currencyCodes, minorUnitDigits } from "./money/iso4217.js";
export * from "./policy/index.js";
export {
  acceptsMandates,
  PROTOCOLS,
  type Protocol,
  type ProtocolStatus,
  protocolById,
} from "./protocols.js";
export { REASONS, type Reason, type ReasonCode, reasonDocsSlug } from "./reasons.js";
export { ok, type Refusal, type Result, refuse } from "./result.js";
export {
  type Envelope,
  readEnvelope,
  readSignedMessage,
  readWireTime,
  type SignedMessage,
} from "./signed-message.js";
export { isLegacySiteKey, isSiteKey, isSiteKeyHash, siteKeyFrom, siteKeyHash } from "./site-key.js";
export { signTagged, taggedBytes, verifyTagged } from "./tagged.js";
export { CLOCK_SKEW_MS } from "./time.js";
export { readUcpAgent } from "./ucp/agent-header.js";
export { signUcpAnswer, type UcpAnswer } from "./ucp/answer-signature.js";
export { UCP_CAPABILITIES, type UcpCapability } from "./ucp/capabilities.js";
export { paymentToken, readCompletion, type UcpCompletion } from "./ucp/completion.js";
export { contentDigest, digestMatches } from "./ucp/content-digest.js";
export { type PaymentSetup, paymentHandlers } from "./ucp/handlers.js";
export { lineIdAt, totalEntries, type UcpTotals } from "./ucp/lines.js";
export { negotiate, orderWebhookUrl } from "./ucp/negotiate.js";
export { lineStatus, ORDER_CAPABILITY, orderDocument, type UcpOrderLine } from "./ucp/order.js";
export { signOrderWebhook } from "./ucp/order-webhook.js";
export {
  type PlatformProfile,
  type ProfileFault,
  readPlatformProfile,
} from "./ucp/platform-profile.js";
export { type UcpKey, ucpProfile } from "./ucp/profile.js";
export { renderUcp } from "./ucp/render.js";
export { type SignatureFault, type UcpRequest, verifyUcpRequest } from "./ucp/request-signature.js";
export { type SiteTerms, signTerms, siteTerms, TERMS_TYPE, verifyTerms } from "./ucp/terms.js";
export { UCP_VERSION, UCP_VERSIONS, type UcpVersion } from "./ucp/versions.js";
export { isSecureUrl, parseUrl, siteOrigin, strictHref } from "./url.js";
export * from "./verify/index.js";
export { BEACON_VERSION, type Beacon, readBeacon } from "./visits/beacon.js";
export {
  CLASSIFICATIONS,
  type Classification,
  type Classified,
  classifyCaller,
} from "./visits/classify.js";
export { readPage, type VisitedPage } from "./visits/fields.js";
export {
  declaredAgent,
  isKnownAgent,
  KNOWN_AGENTS,
  KNOWN_AGENTS_DATE,
  type KnownAgent,
  knownAgentName,
  signingAgent,
} from "./visits/known-agents.js";
export {
  REPORT_VISITS_MAX,
  type ReportedSignature,
  type ReportedVisit,
  readVisitReport,
  SIGNATURE_OUTCOMES,
  visitReport,
} from "./visits/report.js";
export { type AgentKey, readAgentKey } from "./web-bot-auth/key.js";
export {
  type KeySourceType,
  keySourceUrl,
  readSignatureAgent,
  type SignatureAgent,
} from "./web-bot-auth/signature-agent.js";
export {
  type FoundKey,
  type SignedRequest,
  verifyWebBotAuth,
  type WebBotAuthOptions,
  type WebBotAuthVerdict,
} from "./web-bot-auth/verify.js";
export * from "./webhooks/index.js";
export {
  IDENTIFIERS,
  KEY_ID_PREFIXES,
  type KeyPurpose,
  type MessageType,
  REQUEST_ID_HEADER,
  SITE_KEY_PREFIXES,
  SITE_VERIFICATION,
  TAGS,
  WEBHOOK_TAG,
} from "./wire.js";
export { dayInZone, endOfDay, startOfDay } from "./zone-days.js";
