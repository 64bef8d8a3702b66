import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { EXPORT_ELEMENT } from "@gatehouse/protocol";
import { AUDIT_PAGE_FILE } from "../../../infra/assets.js";
import type { ExportTools } from "./parts.js";
import { EXPORT_STYLE } from "./style.js";

/** The script reads the claimed keys from this element. */
const KEYS_ELEMENT = '<script type="application/json" id="audit-keys">';

function pageScript(): Promise<string> {
  return readFile(AUDIT_PAGE_FILE, "utf8").catch((cause) => {
    const why = "The script of HTML exports is missing: assets/audit-page.js. Run `npm run build`.";
    throw new Error(why, { cause });
  });
}

const sourceHash = (text: string) =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Allows only the page's own script and style sheet, so that it cannot send anything. */
const policy = (code: string) =>
  `default-src 'none'; script-src ${sourceHash(code)}; style-src ${sourceHash(EXPORT_STYLE)}; base-uri 'none'; form-action 'none'`;

/**
 * JSON in which no HTML element can begin or end. The escape is valid JSON, so signatures still
 * hold.
 */
const inElement = (json: string) => json.replaceAll("<", "\\u003c");

const OTHERWISE =
  "<code>gatehouse audit verify FILE --key KEYS</code>, where KEYS is the service's <code>/.well-known/audit-jwks.json</code>";

function opening(code: string, version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(code)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Gatehouse ${version.replace(/[^\w.+-]/g, "")}">
<title>Audit export</title>
<style>${EXPORT_STYLE}</style>
</head>
<body>
<main>
<h1>Audit export</h1>
<noscript><p>Not verified. This file contains signed records of an audit log, and a script that verifies and shows them. The script does not run here. Open the file in a browser that runs scripts, or verify it with ${OTHERWISE}.</p></noscript>
<div id="audit-result"><p class="banner">Not verified: the script of this page did not run.</p></div>
<h2>What this page cannot prove</h2>
<p>A page that verifies itself proves nothing if its script was replaced. To be sure, use one of two ways. The signed note next to this file covers the whole file with its script. And ${OTHERWISE}, checks the records with its own code.</p>
<div id="audit-records"></div>
</main>
`;
}

/**
 * One part of an export as a page that verifies and shows it. The same part and the same keys give
 * the same bytes, because the note beside the file is made by writing it again.
 */
export async function* htmlPage(
  signed: AsyncIterable<string>,
  { publicKeys, version }: Pick<ExportTools, "publicKeys" | "version">,
): AsyncGenerator<string> {
  const code = await pageScript();
  const keys = (await publicKeys()).map(({ kid, jwk }) => ({ kid, ...jwk }));
  yield opening(code, version) + EXPORT_ELEMENT;
  for await (const chunk of signed) yield inElement(chunk);
  yield `</script>\n${KEYS_ELEMENT}${inElement(JSON.stringify({ keys }))}</script>\n`;
  yield `<script>${code}</script>\n</body>\n</html>\n`;
}
