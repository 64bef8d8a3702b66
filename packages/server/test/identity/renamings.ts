import fc from "fast-check";

/** A platform as it would write its address, and the domain it has registered. */
interface Base {
  readonly host: string;
  readonly domain: string;
}

/** Domains below suffixes of every kind: plain, of two labels, wildcard, private, international. */
export const BASES: readonly Base[] = [
  { host: "platform.com", domain: "platform.com" },
  { host: "platform.co.uk", domain: "platform.co.uk" },
  { host: "platform.city.kawasaki.jp", domain: "city.kawasaki.jp" },
  { host: "tenant.github.io", domain: "tenant.github.io" },
  { host: "tenant.pages.dev", domain: "tenant.pages.dev" },
  { host: "bücher.de", domain: "xn--bcher-kva.de" },
  { host: "食狮.公司.cn", domain: "xn--85x722f.xn--55qx5d.cn" },
  { host: "platform.test", domain: "platform.test" },
];

const LABEL = fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,10}[a-z0-9])?$/);
const encode = (letter: string) =>
  [...new TextEncoder().encode(letter)]
    .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("");

/** Ways to write one letter of a host; which of them is taken is drawn for each letter. */
const SPELLINGS: readonly ((letter: string) => string)[] = [
  (letter) => letter,
  (letter) => letter.toUpperCase(),
  encode,
  // Full-width forms are the same letters to IDNA.
  (letter) =>
    /[a-z0-9]/.test(letter) ? String.fromCodePoint(letter.charCodeAt(0) + 0xfee0) : letter,
  (letter) => (letter === "." ? "。" : letter),
];

/** What a caller can change of its own address without registering another domain. */
export interface Renaming {
  readonly subdomains: readonly string[];
  readonly spelling: readonly number[];
  readonly ascii: boolean;
  readonly dots: number;
  readonly port: string;
  readonly path: string;
}

export const RENAMING: fc.Arbitrary<Renaming> = fc.record({
  subdomains: fc.array(LABEL, { maxLength: 4 }),
  spelling: fc.array(fc.nat(SPELLINGS.length - 1), { minLength: 7, maxLength: 7 }),
  ascii: fc.boolean(),
  dots: fc.nat(1),
  port: fc.constantFrom("", ":443", ":0443", ":8443"),
  path: fc
    .stringMatching(/^\/[A-Za-z0-9/;.%_~-]{0,12}$/)
    .map((path) => path.replaceAll("%", "%25")),
});

const asciiOf = (host: string) => new URL(`https://${host}/`).hostname;

/** The address of a platform under another name. */
export function renamed({ host }: Base, renaming: Renaming): string {
  const { subdomains, spelling, ascii, dots, port, path } = renaming;
  const whole = [...subdomains, ascii ? asciiOf(host) : host].join(".");
  const spelt = [...whole].map((letter, i) =>
    (SPELLINGS[spelling[i % spelling.length] as number] as (typeof SPELLINGS)[number])(letter),
  );
  return `https://${spelt.join("")}${".".repeat(dots)}${port}${path}`;
}
