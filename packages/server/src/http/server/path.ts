const PATH_CHARS_MAX = 2048;
const PATH = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|\/(?!\/)|%[0-9A-Fa-f]{2})*$/;
/** Encoded forms of slash, backslash, dot and control characters. */
const HIDDEN = /%(?:2f|5c|2e|[01][0-9a-f]|7f)/i;
const DOT_SEGMENT = /(?:^|\/)\.\.?(?:\/|$)/;

/** Most paths: no escapes, no queries, no segment that begins with a dot. */
const COMMON = /^(?:\/[\w~-][\w.~-]*)+$/;

/**
 * Whether a request target is a plain path. Targets that a URL parser would rewrite (dot segments,
 * doubled or encoded slashes, absolute forms) have no route, and are refused before a parser can turn them
 * into one.
 */
export function isPlainTarget(target: string): boolean {
  if (target.length <= PATH_CHARS_MAX && COMMON.test(target)) return true;
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

/**
 * The path of a request target. Escapes are decoded, except those that would change its segments or its
 * meaning: they stay as they are until a parameter is read.
 */
export function pathOf(target: string): string {
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path.replaceAll("%25", "%2525"));
  } catch {
    return path;
  }
}
