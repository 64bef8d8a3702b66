import type { OutgoingHttpHeader, ServerResponse } from "node:http";

/** The type among the headers given to `writeHead`, in either of its forms. */
function typeAmong(headers: unknown): string | undefined {
  if (Array.isArray(headers)) {
    const flat = headers.flat() as OutgoingHttpHeader[];
    const at = flat.findIndex(
      (name, index) => index % 2 === 0 && /^content-type$/i.test(`${name}`),
    );
    return at === -1 ? undefined : String(flat[at + 1]);
  }
  if (typeof headers !== "object" || headers === null) return undefined;
  const header = Object.entries(headers).find(([name]) => /^content-type$/i.test(name));
  return header === undefined ? undefined : String(header[1]);
}

/**
 * Tells, once an answer is sent, what type it had. Headers given to `writeHead` at the last moment are
 * kept nowhere that Node lets one read, so they are looked at on their way through.
 */
export function contentTypeOf(response: ServerResponse): () => string {
  let written: string | undefined;
  const writeHead = response.writeHead;
  response.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    written = typeAmong(args[2]) ?? typeAmong(args[1]) ?? written;
    return writeHead.apply(this, args as never);
  } as typeof writeHead;
  return () => written ?? String(response.getHeader("content-type") ?? "");
}
