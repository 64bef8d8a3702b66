import { parseDictionary, parseItem, Token } from "structured-headers";
import { ok, type Result, refuse } from "../result.js";
import { parseUrl } from "../url.js";

const HEADER_CHARS_MAX = 4096;
const MEMBERS_MAX = 8;
const URL_CHARS_MAX = 2048;
/** Where a host publishes the keys of its agents. */
export const DIRECTORY_PATH = "/.well-known/http-message-signatures-directory";

/** How the keys of an agent are published (draft-meunier-webbotauth-httpsig-protocol-02). */
export type KeySourceType = "directory" | "jwks_uri" | "cimd";

/** Where a signed request says its keys are. */
export interface SignatureAgent {
  /** Member of the dictionary; null for the older form, which is one string. */
  readonly label: string | null;
  readonly uri: string;
  readonly type: KeySourceType;
}

const TYPES: readonly string[] = ["directory", "jwks_uri", "cimd"];

function typeOf(parameter: unknown): KeySourceType | undefined {
  if (parameter === undefined) return "directory";
  const text = parameter instanceof Token ? parameter.toString() : parameter;
  return TYPES.includes(text as string) ? (text as KeySourceType) : undefined;
}

/**
 * Reads a `Signature-Agent` header in either of its forms. Members of an unknown type are left out,
 * as the draft says; what is no such header at all is refused.
 *
 * @example
 * readSignatureAgent('sig1="https://agent.example"').value[0].label; //=> "sig1"
 * readSignatureAgent('"https://agent.example"').value[0].label; //=> null
 */
export function readSignatureAgent(header: string): Result<readonly SignatureAgent[], "malformed"> {
  const malformed = refuse("malformed", "Signature-Agent has neither of its two valid forms");
  if (header.length > HEADER_CHARS_MAX) return malformed;
  try {
    if (header.trimStart().startsWith('"')) {
      const [uri] = parseItem(header);
      return typeof uri === "string" ? ok([{ label: null, uri, type: "directory" }]) : malformed;
    }
    const agents: SignatureAgent[] = [];
    const members = [...parseDictionary(header)];
    if (members.length > MEMBERS_MAX) return malformed;
    for (const [label, [value, parameters]] of members) {
      const type = typeOf(parameters.get("type"));
      if (typeof value !== "string") return malformed;
      if (type !== undefined) agents.push({ label, uri: value, type });
    }
    return ok(agents);
  } catch {
    return malformed;
  }
}

/**
 * The address an agent's keys are fetched from, which is also who the agent is: without query and
 * fragment, and https only. A directory is named by its origin alone.
 *
 * @example
 * keySourceUrl({ label: "a", uri: "https://agent.example/", type: "directory" }).value; //=> "https://agent.example/.well-known/http-message-signatures-directory"
 * keySourceUrl({ label: "a", uri: "http://agent.example", type: "directory" }).ok; //=> false
 */
export function keySourceUrl({ uri, type }: SignatureAgent): Result<string, "malformed"> {
  const url = parseUrl(uri);
  const long = url !== undefined && url.href.length > URL_CHARS_MAX;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "" || long) {
    return refuse("malformed", "Signature-Agent does not name an https address");
  }
  if (type !== "directory") return ok(url.origin + url.pathname);
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return refuse("malformed", "a directory must be named by its origin only");
  }
  return ok(url.origin + DIRECTORY_PATH);
}
