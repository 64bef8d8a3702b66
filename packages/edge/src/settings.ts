import { isSiteKeyHash, ok, parseUrl, type Result, refuse } from "@gatehouse/protocol";

/** What an owner says to the worker or the plugin. */
export interface EdgeOptions {
  /** Where Gatehouse runs, such as `https://gate.example.com`. */
  readonly gatehouse: string;
  readonly siteKeyHash: string;
  /** What visits are reported with; without one, none are. */
  readonly edgeToken?: string | undefined;
  /** Paths left to the site although Gatehouse has a document for them, such as `/agent`. */
  readonly except?: readonly string[] | undefined;
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

/** Checks what an owner wrote. What is wrong is said in words that name the option. */
export function readSettings(options: EdgeOptions): Result<Settings, "invalid"> {
  const { gatehouse, siteKeyHash, edgeToken, except = [], visits = "all" } = options;
  const url = typeof gatehouse === "string" ? parseUrl(gatehouse) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") {
    return refuse("invalid", "`gatehouse` must be the address of Gatehouse, with https://");
  }
  if (typeof siteKeyHash !== "string" || !isSiteKeyHash(siteKeyHash)) {
    return refuse(
      "invalid",
      "`siteKeyHash` must be the 43 characters `gatehouse site show` prints",
    );
  }
  if (edgeToken !== undefined && !EDGE_TOKEN.test(edgeToken)) {
    return refuse("invalid", "`edgeToken` must be a token of `gatehouse token create --role edge`");
  }
  if (!except.every((path) => typeof path === "string" && path.startsWith("/"))) {
    return refuse("invalid", "`except` must list paths that begin with a slash");
  }
  if (visits !== "all" && visits !== "agents") {
    return refuse("invalid", '`visits` must be "all" or "agents"');
  }
  const base = url.origin + url.pathname.replace(/\/+$/, "");
  const agentsOnly = visits === "agents";
  return ok(Object.freeze({ gatehouse: base, siteKeyHash, edgeToken, except, agentsOnly }));
}
