import { signHmacWebhook } from "@gatehouse/protocol";
import { counted } from "../counted.js";
import { docsPage } from "../docs-page.js";
import { CommandError, EXIT } from "../exit.js";
import { readSecretFile } from "../secret-file.js";
import { plainText } from "../terminal.js";
import type { ContractFinding } from "./finding.js";

const MARKS: Readonly<Record<ContractFinding["state"], string>> = {
  good: "✓",
  wrong: "✗",
  unchecked: "–",
};

const GUIDE = "guide/connector.md";
const anchorOf = (section: string) => section.toLowerCase().replaceAll(" ", "-");

/** A finding for a person. */
export function findingLines({
  check,
  section,
  state,
  problem,
  exchange,
}: ContractFinding): string[] {
  const detail = (name: string, text: string) => `    ${name.padEnd(9)} ${plainText(text)}`;
  return [
    `${MARKS[state]} ${check}`,
    ...(problem === undefined ? [] : [`    ${plainText(problem)}`]),
    ...(exchange === undefined
      ? []
      : [detail("Sent:", exchange.sent), detail("Received:", exchange.received)]),
    ...(state === "wrong" ? [detail("Contract:", docsPage(`${GUIDE}#${anchorOf(section)}`))] : []),
  ];
}

/** The secret itself, or the file that it is in. */
export async function secretOf(text: string): Promise<string> {
  const secret = text.startsWith("whsec_") ? text : (readSecretFile(text) ?? "");
  try {
    await signHmacWebhook({ id: "", body: new Uint8Array() }, { secret, sentAt: 0 });
    return secret;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const hint = "Use the secret of a connection: whsec_ and the base64 of 24 bytes or more.";
    throw new CommandError("--secret is not a secret of a connection.", EXIT.usage, hint);
  }
}

/** Ends the command with an error, unless every rule is kept. */
export function failIfBroken(findings: readonly ContractFinding[]): void {
  const count = (state: ContractFinding["state"]) =>
    findings.filter((finding) => finding.state === state).length;
  const [wrong, unchecked] = [count("wrong"), count("unchecked")];
  if (wrong + unchecked === 0) return;
  const all = counted(findings.length, "check");
  const says = [
    ...(wrong === 0 ? [] : [`${wrong} of ${all} failed.`]),
    ...(unchecked === 0 ? [] : [`${unchecked} of ${all} could not be run.`]),
  ];
  const next = wrong === 0 ? "Do what the lines marked – say" : "Fix the lines marked ✗";
  throw new CommandError(says, EXIT.failed, `${next}, then check again.`);
}
