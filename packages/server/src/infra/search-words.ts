/** Letters that Unicode does not decompose, with the plain letters that people type instead. */
const LETTERS: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l" };
const OWN_LETTERS = /[ßæœøł]/g;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const MARKS = /\p{M}+/gu;
const UMLAUT = /[aou]\u0308/;
/** Words of other scripts, and those with digits, have no stem. */
const LATIN = /^[a-z]{4,}$/;

/** What is left of a word without an ending, in the order in which endings are removed. */
const ENDINGS: readonly (readonly [ending: RegExp, left: string])[] = [
  // Chevaux, bateaux, jeux, bijoux.
  [/(?<=..[^e])aux$/, "al"],
  [/(?<=..[aeo]u)x$/, ""],
  // Cans, roses, flores; not glass, cactus, iris.
  [/(?<=..[^isu])s$/, ""],
  // Blumen; Kugeln, Federn.
  [/(?<=...e)n$/, ""],
  [/(?<=...e[lr])n$/, ""],
  // Blume, flore; box, where roses is rose.
  [/(?<=....|.ox)e$/, ""],
  // Berry and berrie, leave and leaf, glass and glas.
  [/(?<=..[^aeiouy])y$/, "i"],
  [/(?<=...)v$/, "f"],
  [/(?<=...s)s$/, ""],
];

/** The same for the singular and the plural of most English, German, French and Spanish words. */
function stemOf(word: string, hasUmlaut: boolean): string {
  if (!LATIN.test(word)) return word;
  // Gläser, Bücher: a change of the vowel tells a plural from words such as letter.
  const start = hasUmlaut ? word.replace(/(?<=...)ern?$/, "") : word;
  return ENDINGS.reduce((stem, [ending, left]) => stem.replace(ending, left), start);
}

/**
 * The words of a text for search, without accents and case. Each has one or more forms: itself, then without letters
 * such as ß, then its stem. Stored texts have all forms, and a search looks for any of them. So texts that an earlier
 * version stored without the other forms are found by their words too.
 *
 * @example
 * searchWords("Rote Rosen"); //=> [["rote"], ["rosen", "rose"]]
 */
export function searchWords(text: string): readonly (readonly string[])[] {
  const tokens = text.normalize("NFKD").toLowerCase().match(WORDS) ?? [];
  return tokens.flatMap((token) => {
    const word = token.replaceAll(MARKS, "");
    if (word === "") return [];
    const plain = word.replaceAll(OWN_LETTERS, (letter) => LETTERS[letter] as string);
    return [[...new Set([word, plain, stemOf(plain, UMLAUT.test(token))])]];
  });
}

/** The words of a text as they are stored, each once. */
function storedWords(text: string): string {
  return [...new Set(searchWords(text).flat())].join(" ");
}

interface SearchedProduct {
  readonly title: string;
  readonly description: string;
  readonly sku: string | null;
}

/** What a search finds a product by: the words of its title, and those of its description and its SKU. */
export function productWords({ title, description, sku }: SearchedProduct) {
  const body = sku === null ? description : `${description} ${sku}`;
  return { title_words: storedWords(title), body_words: storedWords(body) };
}
