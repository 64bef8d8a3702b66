import type { Language } from "../../../domain/buyer-words/words.js";

/** Regions that are no countries in which anything is delivered. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"]);

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** The codes that have a name: ISO 3166-1, as the runtime knows it. */
function allCountries(): readonly string[] {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return codes.filter((code) => !NO_COUNTRIES.has(code) && names.of(code) !== undefined);
}

/** Countries with their names in a language, in its alphabetical order. */
export function countryNames(
  language: Language,
  codes: readonly string[] | "all",
): readonly { readonly code: string; readonly name: string }[] {
  const names = new Intl.DisplayNames(language, { type: "region" });
  const { compare } = new Intl.Collator(language);
  const listed = codes === "all" ? allCountries() : codes;
  return listed
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => compare(a.name, b.name));
}
