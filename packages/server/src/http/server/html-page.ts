import { createHash } from "node:crypto";
import { DESIGN_TOKENS, htmlText, markSvg, namedType } from "@gatehouse/protocol";

/** One column, readable at any width, in light and dark. Pages have no script. */
const STYLE = `
${DESIGN_TOKENS}
*{box-sizing:border-box}
body{margin:0;background:var(--color-back);color:var(--color-ink);font:var(--text-base)/var(--leading) var(--font-sans)}
main{max-width:34rem;margin:0 auto;padding:2.5rem 1.25rem}
footer{display:flex;align-items:center;gap:.4rem;max-width:34rem;margin:0 auto;padding:0 1.25rem 2.5rem;color:var(--color-soft);font-size:var(--text-sm)}
h1{font-size:var(--text-xl);line-height:1.3;margin:0 0 1rem}
h2{font-size:var(--text-base);margin:1.5rem 0 .5rem}
p{margin:0 0 1rem}
ul{margin:0 0 1rem;padding-left:1.25rem;overflow-wrap:anywhere}
.soft{color:var(--color-soft)}
a{color:var(--color-act)}
code{overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;margin:1.5rem 0}
td,th{padding:.5rem 0;border-top:1px solid var(--color-line);text-align:left;font-weight:400;vertical-align:top}
td{text-align:right;white-space:nowrap;padding-left:1rem}
tr.total td,tr.total th{font-weight:600}
a.act,button{display:inline-block;padding:.6rem 1.1rem;border-radius:var(--radius);border:1px solid var(--color-act);background:var(--color-act);color:var(--color-act-ink);font:inherit;text-decoration:none;cursor:pointer}
button.other{background:transparent;color:var(--color-act)}
form p.acts{display:flex;flex-wrap:wrap;gap:.75rem}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible{outline:3px solid var(--color-act);outline-offset:2px}
label{display:block;margin:0 0 .75rem}
input,select{display:block;width:100%;margin-top:.25rem;padding:.55rem .7rem;border:1px solid var(--color-soft);border-radius:var(--radius);background:var(--color-back);color:var(--color-ink);font:inherit}
input[type=radio]{display:inline-block;width:auto;margin:0 .6rem 0 0}
fieldset{border:0;margin:1.5rem 0 0;padding:0}
legend{font-size:var(--text-base);font-weight:600;padding:0;margin-bottom:.5rem}
label.choice{display:flex;align-items:baseline;padding:.5rem 0;border-top:1px solid var(--color-line);margin:0}
label.choice span{flex:1}
.notice{border-left:4px solid var(--color-act);padding:.25rem 0 .25rem .9rem}
.test{padding:.5rem .9rem;border-radius:var(--radius);background:var(--color-test-soft);color:var(--color-test);font-weight:600}
.text{margin:0 0 1rem;white-space:pre-wrap;overflow-wrap:anywhere}
form>div{margin-top:1.5rem}
[tabindex]:focus{outline:0}
th img{width:3.5rem;height:3.5rem;object-fit:cover;border-radius:var(--radius);float:left;margin-right:.8rem}
@media (min-width:30rem){.pair{display:grid;grid-template-columns:1fr 1fr;gap:0 1rem}}
`;

const DIGEST = createHash("sha256").update(STYLE).digest("base64");
const policyOf = (more: readonly string[]) =>
  [
    "default-src 'none'",
    `style-src 'sha256-${DIGEST}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join("; ");

const headersWith = (policy: string): Readonly<Record<string, string>> =>
  Object.freeze({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
  });

/** An address may be secret, so pages are not cached, not indexed, and not named to other sites. */
export const PAGE_HEADERS = headersWith(policyOf(["form-action 'self'"]));

/** The same for a page with pictures of goods, whose form may lead to these origins. */
export const shopPageHeaders = (origins: readonly string[]) =>
  headersWith(policyOf(["img-src 'self' https:", ["form-action 'self'", ...origins].join(" ")]));

interface PageSettings {
  readonly title: string;
  /** A browser loads the page again after this time. */
  readonly refreshS?: number | undefined;
  readonly language?: string;
}

/** A whole page. `body` is HTML. */
export function htmlPage({ title, refreshS, language = "en" }: PageSettings, body: string): string {
  const refresh =
    refreshS === undefined ? "" : `\n<meta http-equiv="refresh" content="${refreshS}">`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">${refresh}
<title>${htmlText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
<footer>${markSvg(16)} Gatehouse</footer>
</body>
</html>
`;
}

/** Text of a stranger. Its writing direction does not affect the text around it. */
export const isolated = (text: string) => `<bdi>${htmlText(text)}</bdi>`;

/** Whether an `Accept` header prefers pages to JSON, as browsers do. */
export function isBrowser(accept: string | undefined): boolean {
  return namedType(accept, ["application/json", "text/html"]) === "text/html";
}
