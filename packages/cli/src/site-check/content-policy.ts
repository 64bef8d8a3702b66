/** The sources a policy allows for one thing; undefined where it says nothing of it. */
function allowedBy(policy: string, ...directives: string[]): readonly string[] | undefined {
  const listed = policy.split(";").map((text) => text.trim().split(/\s+/));
  for (const directive of [...directives, "default-src"]) {
    const match = listed.find(([first]) => first?.toLowerCase() === directive);
    if (match !== undefined) return match.slice(1);
  }
  return undefined;
}

/** Whether sources name an address: by itself, its host, its scheme, or everything. */
function names(sources: readonly string[], { origin, host, protocol }: URL): boolean {
  return [origin, host, protocol, "*"].some((source) => sources.includes(source));
}

/** What of a page's policy keeps its script from loading, or from telling; undefined for nothing. */
export function blockedBy(
  policy: string,
  service: URL,
  nonce: string | undefined,
): { readonly directive: string; readonly advice: string } | undefined {
  const scripts = allowedBy(policy, "script-src-elem", "script-src");
  const byNonce = nonce !== undefined && scripts?.includes(`'nonce-${nonce}'`);
  // With 'strict-dynamic' addresses count for nothing.
  const byName =
    scripts !== undefined && names(scripts, service) && !scripts.includes("'strict-dynamic'");
  if (scripts !== undefined && !byNonce && !byName) {
    const advice = `Add the page's nonce to the tag, or add ${service.origin} to \`script-src\`.`;
    return { directive: "script-src", advice };
  }
  const connects = allowedBy(policy, "connect-src");
  if (connects === undefined || names(connects, service)) return undefined;
  return { directive: "connect-src", advice: `Add ${service.origin} to \`connect-src\`.` };
}
