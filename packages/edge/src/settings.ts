import { isSiteKeyHash, ok, parseUrl, type Result, refuse } from "@gatehouse/protocol";

/** What an owner says to the worker or the plugin. */
export interface EdgeOptions {
  /** Where Gatehouse runs, such as `https://gate.example.com`. */
  readonly gatehouse: string;
  readonly siteKeyHash: string;
  /** What visits are reported with; without one, none are. */
  readonly edgeToken?: string | undefined;
  /** Paths left to the site although Gatehouse has a document for them, such as `/agent`. */
  readonly except?: readonly string[] | string | undefined;
  /** `agents`: visits of people are not reported, as where pages carry the script. */
  readonly visits?: "all" | "agents" | undefined;
}

export interface Settings {
  /** Without a slash at its end. */
  readonly gatehouse: string;
  readonly siteKeyHash: string;
  readonly edgeToken: string | undefined;
  readonly except: readonly string[];
  readonly agentsOnly: boolean;
}

const EDGE_TOKEN = /^ghe_[\w-]{20,100}$/;
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether reports, and the token with them, may go there: over https, or not past this machine. */
function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
}

/** Paths as a list, or as one text with commas between them. */
function pathsOf(except: unknown): readonly string[] | undefined {
  const list = typeof except === "string" ? except.split(",") : except;
  if (!Array.isArray(list)) return undefined;
  const paths = list.map((path) => (typeof path === "string" ? path.trim() : ""));
  const named = typeof except === "string" ? paths.filter((path) => path !== "") : paths;
  return named.every((path) => path.startsWith("/")) ? named : undefined;
}

/** Checks what an owner wrote. What is wrong is said in words that name the option. */
export function readSettings(options: EdgeOptions): Result<Settings, "invalid"> {
  const { gatehouse, siteKeyHash, edgeToken = "", except = [], visits = "all" } = options;
  if (!gatehouse)
    return refuse("invalid", "`gatehouse` is missing; set it to the address of Gatehouse");
  const url = typeof gatehouse === "string" ? parseUrl(gatehouse) : undefined;
  if (url === undefined || !isSafeAddress(url)) {
    return refuse("invalid", "`gatehouse` must be the address of Gatehouse, with https://");
  }
  if (!siteKeyHash)
    return refuse("invalid", "`siteKeyHash` is missing; `gatehouse site show` prints it");
  if (typeof siteKeyHash !== "string" || !isSiteKeyHash(siteKeyHash)) {
    return refuse(
      "invalid",
      "`siteKeyHash` must be the 43 characters that `gatehouse site show` prints",
    );
  }
  if (edgeToken !== "" && !EDGE_TOKEN.test(edgeToken)) {
    return refuse(
      "invalid",
      "`edgeToken` must be a token from `gatehouse token create --role edge`",
    );
  }
  const paths = pathsOf(except);
  if (paths === undefined) {
    return refuse("invalid", "`except` must list paths that begin with a slash");
  }
  if (visits !== "all" && visits !== "agents") {
    return refuse("invalid", '`visits` must be "all" or "agents"');
  }
  const base = url.origin + url.pathname.replace(/\/+$/, "");
  return ok(
    Object.freeze({
      gatehouse: base,
      siteKeyHash,
      except: paths,
      agentsOnly: visits === "agents",
      edgeToken: edgeToken === "" ? undefined : edgeToken,
    }),
  );
}
