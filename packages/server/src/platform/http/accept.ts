/** Weight a client gives a media type it names; 0 when it does not (RFC 9110 section 12.5.1). */
function weight(accept: string, type: string): number {
  for (const range of accept.toLowerCase().split(",")) {
    const [name, ...parameters] = range.split(";").map((part) => part.trim());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    const value = q === undefined ? 1 : Number(q.slice(2));
    return Number.isFinite(value) ? value : 0;
  }
  return 0;
}

/** Whether the client asks for Markdown by name, and does not like HTML better. */
export function prefersMarkdown(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes("markdown")) return false;
  const markdown = weight(accept, "text/markdown");
  return markdown > 0 && markdown >= weight(accept, "text/html");
}
