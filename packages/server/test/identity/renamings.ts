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
  { host: "platform.shop.ck", domain: "platform.shop.ck" },
  { host: "tenant.github.io", domain: "tenant.github.io" },
  { host: "tenant.pages.dev", domain: "tenant.pages.dev" },
  { host: "bücher.de", domain: "xn--bcher-kva.de" },
  { host: "食狮.公司.cn", domain: "xn--85x722f.xn--55qx5d.cn" },
  { host: "platform.test", domain: "platform.test" },
];

/** Labels that DNS allows, and others that `URL` lets through: a wildcard host answers to all of them. */
const LABEL = fc.oneof(
  fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,10}[a-z0-9])?$/),
  fc.constantFrom("*", "-a-", "_a", "a~b", "a'b", "a,b", "a=b", "(a)", "", "a".repeat(64)),
);
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
  subdomains: fc.array(LABEL, { maxLength: 3 }),
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

const SPELLED = ["plain", "padded", "upper", "zone", "bracketed"] as const;

/** An address of 2001:db8:a:b::/64, in one of the many ways to write it. */
function spelledAddress(tail: readonly number[], how: (typeof SPELLED)[number]): string {
  const groups = [0x2001, 0xdb8, 0xa, 0xb, ...tail].map((group) => group.toString(16));
  if (how === "padded") return groups.map((group) => group.padStart(4, "0")).join(":");
  const plain = groups.join(":");
  if (how === "upper") return plain.toUpperCase();
  if (how === "zone") return `${plain}%eth0`;
  return how === "bracketed" ? `[${plain}]:4711` : plain;
}

/** Any address of the caller's /64, in any spelling. */
export const ADDRESS_OF_64: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 }),
    fc.constantFrom(...SPELLED),
  )
  .map(([tail, how]) => spelledAddress(tail, how));
