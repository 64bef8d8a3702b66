import { toBase64url } from "../base64url.js";
import { utf8 } from "../bytes.js";
import { canonicalBytes, canonicalize } from "../json/canonicalize.js";
import type { JsonObject } from "../json/value.js";
import { signDetached } from "../jws/detached.js";
import type { Signer } from "../keys/signer.js";
import { protocolById } from "../protocols.js";
import { MINUTE_MS } from "../time.js";
import { siteOrigin } from "../url.js";
import { IDENTIFIERS } from "../wire.js";
import { didOf } from "./did.js";
import type { LiveSkill } from "./skills.js";
import type { SiteSnapshot } from "./snapshot.js";

/** From `signing.issued_at` to `signing.expires_at`. */
export const CARD_LIFE_MS = 15 * MINUTE_MS;

const MEDIA_TYPES = ["application/json"];
const ACP = protocolById("acp");
const PROTOCOL_VERSION = protocolById("a2a").version ?? "";

/** The members of a skill that A2A knows. */
function a2aSkill({ id, title, description, tags, question }: LiveSkill): JsonObject {
  return { description, examples: [question], id, name: title, tags };
}

/** A skill as card and catalog list it. */
export function cardSkill(skill: LiveSkill): JsonObject {
  const known = { ...a2aSkill(skill), requires_mandate: skill.requiresMandate };
  return skill.url === undefined ? known : { ...known, url: skill.url };
}

/** Repeats the site's addresses where A2A's own signature covers them; only strings, by A2A's rules. */
function extensions({ domain, addresses }: SiteSnapshot): JsonObject[] {
  return [
    {
      uri: IDENTIFIERS.siteExtension,
      description: "The site that this card describes, and its address for mandates.",
      params: {
        domain,
        did: didOf(domain),
        mandate_url: addresses.mandate,
        registration_url: addresses.registration,
        mcp_url: addresses.mcp,
        jwks_url: addresses.keySet,
      },
    },
    {
      uri: addresses.acp,
      description: `${ACP.name}: built, not enabled for this site.`,
      params: { version: ACP.version ?? "", status: "not_enabled" },
    },
  ];
}

/** The members A2A knows. Interfaces carry bindings of our own: nothing here speaks A2A tasks. */
function a2aFields(site: SiteSnapshot): JsonObject {
  const { mandate, mcp, agentPage } = site.addresses;
  return {
    name: site.name,
    description: site.summary,
    version: site.version,
    supportedInterfaces: [
      { url: mandate, protocolBinding: IDENTIFIERS.mandateBinding, protocolVersion: "1.0" },
      { url: mcp, protocolBinding: IDENTIFIERS.mcpBinding, protocolVersion: "1.0" },
    ],
    provider: { organization: site.name, url: siteOrigin(site.domain) },
    documentationUrl: agentPage,
    capabilities: { streaming: false, pushNotifications: false, extensions: extensions(site) },
    defaultInputModes: MEDIA_TYPES,
    defaultOutputModes: MEDIA_TYPES,
    skills: site.skills.map(a2aSkill),
  };
}

/** Everything of the card that is signed, but for the signatures and their dates. */
function cardFields(site: SiteSnapshot, a2a: JsonObject): JsonObject {
  const { domain, siteKey, addresses } = site;
  return {
    // The same bytes are the JSON-LD of the agent page: what schema.org has no word for is ours.
    "@context": ["https://schema.org", { "@vocab": `${addresses.verifyGuide}#` }],
    "@type": "WebAPI",
    protocol_version: PROTOCOL_VERSION,
    ...a2a,
    skills: site.skills.map(cardSkill),
    site: {
      domain,
      site_key: siteKey,
      service_endpoint: addresses.mandate,
      registration_url: addresses.registration,
      registration_guide_url: addresses.registrationGuide,
      mcp_endpoint: addresses.mcp,
      catalog_url: addresses.catalog,
      llms_url: addresses.llms,
      agent_page_url: addresses.agentPage,
      jwks_url: addresses.keySet,
      ...(site.sells ? { ucp_profile_url: addresses.ucpProfile } : {}),
    },
  };
}

/**
 * The card without its signatures, for an owner to look at before the domain is verified.
 *
 * @example
 * previewCard(EXAMPLE_SITE).protocol_version; //=> "a2a/1.2"
 */
export function previewCard(site: SiteSnapshot): JsonObject {
  return cardFields(site, a2aFields(site));
}

/** The dates of a JWS whose payload has none, in seconds; as long as a card lives. */
export function jwsDates(now: number): { readonly iat: number; readonly exp: number } {
  const iat = Math.floor(now / 1000);
  return { iat, exp: iat + CARD_LIFE_MS / 1000 };
}

/** A signed card in both forms. */
export interface SignedCard {
  /** JCS text of the whole card. */
  readonly card: string;
  /** A2A's own members and the same `signatures[]`, for readers that refuse what they do not know. */
  readonly a2a: JsonObject;
}

/**
 * Signs a site's card twice. First A2A's `signatures[]`, over the members A2A knows; then our
 * envelope, over everything: the other way round each would have to cover the other.
 *
 * @example
 * const { signer } = await generateEd25519("k1");
 * const { card } = await signCard(EXAMPLE_SITE, signer, Date.UTC(2030, 4, 17));
 * JSON.parse(card).signing.expires_at; //=> "2030-05-17T00:15:00.000Z"
 */
export async function signCard(
  site: SiteSnapshot,
  signer: Signer,
  now: number,
): Promise<SignedCard> {
  const a2a = a2aFields(site);
  const payload = canonicalBytes(withoutEmptySkills(a2a));
  // Dated in its header: A2A's own form of the card has no member for dates.
  const jws = await signDetached(payload, signer, jwsDates(now));
  const [header, , signature] = jws.split(".") as [string, string, string];
  const signatures = [{ protected: header, signature }];
  const unsealed = canonicalize({
    ...cardFields(site, a2a),
    signatures,
    signing: {
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + CARD_LIFE_MS).toISOString(),
      signing_key_id: signer.kid,
    },
  });
  const envelope = toBase64url(await signer.sign(utf8(unsealed)));
  return {
    card: insertEnvelope(unsealed, envelope),
    a2a: { ...a2a, signatures },
  };
}

/** A2A's readers drop empty members before they verify, required ones too. */
function withoutEmptySkills({ skills, ...rest }: JsonObject): JsonObject {
  return Array.isArray(skills) && skills.length === 0 ? rest : { ...rest, skills: skills ?? [] };
}

/**
 * Puts the envelope where JCS sorts it, before `expires_at`. Inside a JSON string the quotes of
 * this text would be escaped, so it stands in one place only.
 */
function insertEnvelope(unsealed: string, envelope: string): string {
  const before = '"signing":{';
  return unsealed.replace(
    `${before}"expires_at"`,
    () => `${before}"envelope_signature":"${envelope}","expires_at"`,
  );
}
