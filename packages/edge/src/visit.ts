import {
  classifyCaller,
  type ReportedSignature,
  type ReportedVisit,
  readPage,
  type SignedRequest,
  type WebBotAuthVerdict,
} from "@gatehouse/protocol";

/** What of an answer tells whether its request was a visit. */
export interface Answered {
  readonly status: number;
  readonly contentType: string;
  /** One of Gatehouse's documents. */
  readonly ours: boolean;
}

const PAGE_TYPE = /^(?:text\/html|application\/xhtml\+xml|text\/markdown)\s*(?:;|$)/i;

export function headerOf({ fields }: SignedRequest, name: string): string {
  return fields.find((field) => field.name.toLowerCase() === name)?.value ?? "";
}

export function isSigned(request: SignedRequest): boolean {
  return headerOf(request, "signature-input") !== "";
}

/**
 * Whether somebody looked at something: a page, one of the documents, or anything with a signature.
 * Pictures, scripts, redirects and pages fetched in case they are wanted are none.
 */
export function isVisit(request: SignedRequest, { status, contentType, ours }: Answered): boolean {
  if (isSigned(request)) return true;
  if (request.method !== "GET" || headerOf(request, "sec-purpose").includes("prefetch"))
    return false;
  if (ours) return true;
  if (status === 304) return headerOf(request, "accept").includes("text/html");
  return status >= 200 && status < 300 && PAGE_TYPE.test(contentType);
}

/** Whether it is by a person, as far as it shows. */
export function isPersons(request: SignedRequest): boolean {
  const caller = { userAgent: headerOf(request, "user-agent"), webdriver: false };
  return !isSigned(request) && classifyCaller(caller).classification === "person";
}

function signatureOf(verdict: WebBotAuthVerdict): ReportedSignature | undefined {
  const { outcome, reason = null, keyId = null, agentUrl = null } = verdict;
  return outcome === "unsigned" ? undefined : { outcome, reason, keyId, agentUrl };
}

export function visitOf(
  request: SignedRequest,
  observedAt: number,
  verdict: WebBotAuthVerdict,
): ReportedVisit {
  // A long query is none of the page's length.
  const page = readPage(request.url.split(/[?#]/)[0], "url");
  return {
    observedAt,
    userAgent: headerOf(request, "user-agent"),
    page: page.ok ? page.value : undefined,
    signature: signatureOf(verdict),
  };
}
