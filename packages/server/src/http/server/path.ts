const PATH_CHARS_MAX = 2048;
const PATH = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|\/(?!\/)|%[0-9A-Fa-f]{2})*$/;
/** Encoded forms of slash, backslash, dot and control characters. */
const HIDDEN = /%(?:2f|5c|2e|[01][0-9a-f]|7f)/i;
const DOT_SEGMENT = /(?:^|\/)\.\.?(?:\/|$)/;

/**
 * Whether a request target is a plain path. Everything a URL parser would rewrite (dot segments,
 * doubled or encoded slashes, absolute forms) has no route here, and is refused before any parser
 * can make it look like one.
 */
export function isPlainTarget(target: string): boolean {
  const path = target.split("?", 1)[0] as string;
  return (
    target.length <= PATH_CHARS_MAX &&
    PATH.test(path) &&
    !path.startsWith("//") &&
    !HIDDEN.test(path) &&
    !DOT_SEGMENT.test(path) &&
    isUtf8(path)
  );
}

function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
