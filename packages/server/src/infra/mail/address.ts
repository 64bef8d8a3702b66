const CHARS_MAX = 254;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LOCAL_CHARS_MAX = 64;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/i;

/**
 * Whether a text is one plain address, as people write it. Quoted names, comments, lists and
 * anything that could begin another header line are not.
 */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  if (at < 1 || text.length > CHARS_MAX || local.length > LOCAL_CHARS_MAX) return false;
  return LOCAL_PART.test(local) && DOMAIN.test(text.slice(at + 1));
}
