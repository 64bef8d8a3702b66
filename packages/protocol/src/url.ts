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
