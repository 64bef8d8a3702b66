import type { JsonObject } from "@gatehouse/protocol";
import { de } from "./de.js";
import { type BuyerWords, en } from "./en.js";
import { es } from "./es.js";
import { fr } from "./fr.js";
import { it } from "./it.js";
import { ja } from "./ja.js";
import { nl } from "./nl.js";
import { pt } from "./pt.js";

export type { BuyerWords };

const WORDS = { en, de, fr, es, it, nl, pt, ja } as const satisfies Record<string, BuyerWords>;

/** A language of the pages for buyers. */
export type Language = keyof typeof WORDS;

export const LANGUAGES = Object.keys(WORDS) as readonly Language[];

export const wordsIn = (language: Language): BuyerWords => WORDS[language];

/** Languages of an `Accept-Language` header that are looked at. */
const ACCEPTED_MAX = 20;

/** The tags of an `Accept-Language` header, the most wanted first. */
function acceptedTags(header: string): readonly string[] {
  const tags = header.split(",", ACCEPTED_MAX).map((part) => {
    const [tag = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith("q="))?.slice(2);
    return { tag, weight: weight === undefined ? 1 : Number(weight) };
  });
  const wanted = tags.filter(({ weight }) => weight > 0);
  return wanted.sort((a, b) => b.weight - a.weight).map(({ tag }) => tag);
}

/** The language of a tag such as `de-AT`; undefined if there are no words in it. */
function languageNamed(tag: string): Language | undefined {
  const primary = tag.toLowerCase().split("-")[0];
  return LANGUAGES.find((language) => language === primary);
}

/** The language that a platform named for its buyer; English if it named none of these. */
export function languageOf({ language }: JsonObject): Language {
  return (typeof language === "string" ? languageNamed(language) : undefined) ?? "en";
}

/** The language of a browser, or the one that its platform named if there are no words in that. */
export function languageFor(accepted: string | undefined, context: JsonObject): Language {
  const named = acceptedTags(accepted ?? "").map(languageNamed);
  return named.find((language) => language !== undefined) ?? languageOf(context);
}

/**
 * A text with its placeholders filled.
 *
 * @example
 * filled("Order {id}", { id: "ord_1" }); //=> "Order ord_1"
 */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}

/** The name of a country in a language; empty for a text that is no code. */
export function countryName(code: string, language: string): string {
  if (!/^[A-Za-z]{2}$/.test(code)) return "";
  return new Intl.DisplayNames(language, { type: "region" }).of(code.toUpperCase()) ?? "";
}
