import { isSkillId } from "../discovery/skills.js";
import { minorUnitDigits } from "../money/iso4217.js";
import { acceptsMandates } from "../protocols.js";

/** Scopes one agent may have. */
export const SCOPES_MAX = 50;

/** What a mandate asks for, as far as scopes go. */
export interface Asked {
  readonly skill: string;
  readonly protocol: string;
  readonly currency: string | undefined;
}

const KINDS: Readonly<
  Record<string, { holds(value: string): boolean; requested(request: Asked): string | undefined }>
> = {
  skill: { holds: isSkillId, requested: ({ skill }) => skill },
  mandate: { holds: acceptsMandates, requested: ({ protocol }) => protocol },
  currency: {
    holds: (code) => minorUnitDigits(code) !== undefined,
    requested: ({ currency }) => currency,
  },
};

/** A bare name is a skill. */
function partsOf(scope: string): readonly [kind: string, value: string] {
  const at = scope.indexOf(":");
  return at === -1 ? ["skill", scope] : [scope.slice(0, at), scope.slice(at + 1)];
}

/**
 * Whether a text is a scope: `skill:place_order` (or `place_order`), `mandate:ap2`, `currency:EUR`.
 *
 * @example
 * isScope("currency:EUR"); //=> true
 * isScope("currency:XXQ"); //=> false
 */
export function isScope(scope: string): boolean {
  const [kind, value] = partsOf(scope);
  return Object.hasOwn(KINDS, kind) && KINDS[kind]?.holds(value) === true;
}

/**
 * Whether scopes allow what is asked. Of each kind that is among them one must fit; without any
 * scope everything may be asked.
 *
 * @example
 * scopesAllow(["skill:place_order", "currency:EUR"], { skill: "place_order", protocol: "ap2", currency: "EUR" }); //=> true
 * scopesAllow(["skill:place_order", "currency:EUR"], { skill: "place_order", protocol: "ap2", currency: "USD" }); //=> false
 */
export function scopesAllow(scopes: readonly string[] | null, request: Asked): boolean {
  if (scopes === null) return true;
  const parts = scopes.map(partsOf);
  return Object.entries(KINDS).every(([kind, { requested: of }]) => {
    const granted = parts.filter(([name]) => name === kind).map(([, value]) => value);
    const wanted = of(request);
    return granted.length === 0 || wanted === undefined || granted.includes(wanted);
  });
}
