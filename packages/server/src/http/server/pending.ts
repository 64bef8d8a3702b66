import { REASONS } from "@gatehouse/protocol";
import { type Answer, json } from "./exchange.js";
import { htmlPage, own, PAGE_HEADERS } from "./html-page.js";
import { docsUrl } from "./problem.js";

/** The site is known, and nothing is said in its name before its domain is proven. */
export function pendingBody(baseUrl: string, domain: string) {
  const { message } = REASONS.pending_verification;
  const docs_url = docsUrl(baseUrl, "pending_verification");
  return { status: "pending_verification", domain, message, docs_url };
}

/** The answer to programs that ask for something of such a site. */
export function pendingAnswer(baseUrl: string, domain: string): Answer {
  return json(REASONS.pending_verification.status, pendingBody(baseUrl, domain));
}

/** The page for a person who opens the agent page of such a site. */
export function pendingPage(domain: string): Answer {
  const { status } = REASONS.pending_verification;
  const page = htmlPage(
    { title: `${domain} is not verified yet · Gatehouse` },
    `<h1>${own(domain)} is not verified yet</h1>
<p>This page will show what AI agents can do at ${own(domain)}. It opens once the owner has verified the domain.</p>
<p>Is this your site? <a href="/docs/errors/pending-verification.md">How to verify a domain</a></p>`,
  );
  return { status, body: page, headers: { ...PAGE_HEADERS, vary: "Accept" } };
}
