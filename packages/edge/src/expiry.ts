import { fromBase64url } from "@gatehouse/protocol";

interface Signed {
  readonly signing?: { readonly expires_at?: unknown };
  readonly trustManifest?: { readonly signature?: unknown };
  readonly host?: { readonly trustManifest?: { readonly signature?: unknown } };
}

const moment = (text: unknown) => (typeof text === "string" ? Date.parse(text) : Number.NaN);

/** When a card expires, in milliseconds; NaN if it does not say. */
export function cardExpiry(text: string): number {
  return moment((JSON.parse(text) as Signed).signing?.expires_at);
}

/** The same of a catalog: `exp` in the header of its manifest's JWS. */
export function catalogExpiry(text: string): number {
  const { trustManifest, host } = JSON.parse(text) as Signed;
  const signature = trustManifest?.signature ?? host?.trustManifest?.signature;
  const [header = ""] = typeof signature === "string" ? signature.split(".") : [];
  const bytes = fromBase64url(header);
  if (bytes === undefined) return Number.NaN;
  const { exp } = JSON.parse(new TextDecoder().decode(bytes)) as { readonly exp?: unknown };
  return typeof exp === "number" ? exp * 1000 : Number.NaN;
}

const CARD = /<script type="application\/ld\+json" id="agent-card">([^<]*)<\/script>\n?/;

/** The same of the card an agent page carries. */
export function pageExpiry(text: string): number {
  const [, card] = CARD.exec(text) ?? [];
  return card === undefined ? Number.NaN : cardExpiry(card);
}

/** An agent page without its card: what people read of it does not expire. */
export function withoutCard(text: string): string {
  return text.replace(CARD, "");
}
