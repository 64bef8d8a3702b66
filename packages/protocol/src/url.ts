/**
 * A whole address, or nothing. `URL.canParse` would say the same without an exception, but on
 * Node 20 it reads any address with a letter outside ASCII as malformed once it has been called
 * often enough to be compiled.
 *
 * @example
 * parseUrl("https://bücher.example.com/")?.hostname; //=> "xn--bcher-kva.example.com"
 * parseUrl("bücher"); //=> undefined
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

const NOT_IN_A_URI = /[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/g;

/**
 * An address as RFC 3986 has it. A browser leaves letters such as `|` as they are, which stricter
 * readers take for no address at all.
 *
 * @example
 * strictHref(new URL("https://shop.example.com/a|b?c[]=ü")); //=> "https://shop.example.com/a%7Cb?c%5B%5D=%C3%BC"
 */
export function strictHref({ origin, href }: URL): string {
  const rest = href.slice(origin.length);
  return origin + rest.replace(NOT_IN_A_URI, (character) => encodeURIComponent(character));
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether nobody on the way can read or change what goes there: by https, or on this machine.
 *
 * @example
 * isSecureUrl(new URL("https://shop.example.com/")); //=> true
 * isSecureUrl(new URL("http://shop.localhost:8080/")); //=> true
 * isSecureUrl(new URL("http://shop.example.com/")); //=> false
 */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
}

/**
 * The address of a site's own pages: https, except on this machine.
 *
 * @example
 * siteOrigin("shop.example.com"); //=> "https://shop.example.com"
 * siteOrigin("shop.localhost:8080"); //=> "http://shop.localhost:8080"
 */
export function siteOrigin(domain: string): string {
  const plain = parseUrl(`http://${domain}`);
  return `${plain !== undefined && isSecureUrl(plain) ? "http" : "https"}://${domain}`;
}
