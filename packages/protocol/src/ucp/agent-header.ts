import { parseDictionary } from "structured-headers";
import { ok, type Result, refuse } from "../result.js";
import { parseUrl } from "../url.js";

/** Longest `UCP-Agent` that is read. */
const HEADER_CHARS_MAX = 4096;
const URL_CHARS_MAX = 2048;

function profileOf(header: string): unknown {
  try {
    return parseDictionary(header).get("profile")?.[0];
  } catch {
    return undefined;
  }
}

/**
 * The profile a caller names in `UCP-Agent`, an RFC 8941 dictionary. Whether it may be asked for is
 * for whoever asks.
 *
 * @example
 * readUcpAgent('profile="https://platform.example/profile"').value; //=> "https://platform.example/profile"
 * readUcpAgent("profile=platform").reason; //=> "invalid_profile_url"
 */
export function readUcpAgent(header: string | undefined): Result<string, "invalid_profile_url"> {
  const bad = (detail: string) => refuse("invalid_profile_url", detail);
  if (header === undefined) return bad('Send `UCP-Agent: profile="https://…"`.');
  const named = header.length > HEADER_CHARS_MAX ? undefined : profileOf(header);
  if (typeof named !== "string" || named.length > URL_CHARS_MAX) {
    return bad('`UCP-Agent` must be a dictionary with a quoted `profile="https://…"`.');
  }
  const url = parseUrl(named);
  const web = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === undefined || !web || url.username !== "" || url.password !== "" || url.hash !== "") {
    return bad("The profile of `UCP-Agent` must be an https address.");
  }
  // One profile under many addresses would be many platforms to rules and budgets.
  if (url.search !== "") return bad("The profile of `UCP-Agent` must have no query.");
  return ok(url.href);
}
