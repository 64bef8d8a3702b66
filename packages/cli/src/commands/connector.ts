import { parseUrl, signHmacWebhook } from "@gatehouse/protocol";
import { type Command, InvalidArgumentError } from "commander";
import type { ContractFinding } from "../connector-check/finding.js";
import { counted } from "../counted.js";
import { docsPage } from "../docs-page.js";
import { CommandError, EXIT } from "../exit.js";
import { readSecretFile } from "../secret-file.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";
import { isThisMachine } from "../this-machine.js";
import { siteConnectorCommands } from "./connector-site.js";

interface Flags {
  readonly secret: string;
  readonly product: string;
  readonly country: string;
  readonly currency: string;
  readonly json?: boolean;
}

const MARKS: Readonly<Record<ContractFinding["state"], string>> = {
  good: "✓",
  wrong: "✗",
  unchecked: "–",
};

const GUIDE = "guide/connector.md";
const anchorOf = (section: string) => section.toLowerCase().replaceAll(" ", "-");

function lines({ check, section, state, problem, exchange }: ContractFinding): string[] {
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

function endpointOf(text: string): URL {
  const url = parseUrl(text);
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  if (!isWeb || url.username !== "" || url.password !== "") {
    const hint = "Use an address such as https://shop.example.com/connector";
    throw new CommandError(`${text} is not the address of an endpoint.`, EXIT.usage, hint);
  }
  if (url.protocol === "https:" || isThisMachine(url.host)) return url;
  const hint = "Use an https:// address. Only an endpoint on this machine can use http://";
  throw new CommandError("The endpoint has no HTTPS.", EXIT.usage, hint);
}

/** The secret itself, or the file that it is in. */
async function secretOf(text: string): Promise<string> {
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

const code = (letters: number, example: string) => (text: string) => {
  if (new RegExp(`^[A-Za-z]{${letters}}$`).test(text)) return text.toUpperCase();
  throw new InvalidArgumentError(`Use ${letters} letters, such as ${example}.`);
};

function failIfBroken(findings: readonly ContractFinding[]): void {
  const count = (state: ContractFinding["state"]) =>
    findings.filter((finding) => finding.state === state).length;
  const [wrong, unchecked] = [count("wrong"), count("unchecked")];
  if (wrong + unchecked === 0) return;
  const all = counted(findings.length, "check");
  const says = [
    ...(wrong === 0 ? [] : [`${wrong} of ${all} failed.`]),
    ...(unchecked === 0 ? [] : [`${unchecked} of ${all} could not be made.`]),
  ];
  const mark = wrong === 0 ? "–" : "✗";
  throw new CommandError(says, EXIT.failed, `Fix the lines marked ${mark}, then check again.`);
}

async function check(terminal: Terminal, address: string, flags: Flags): Promise<void> {
  const { product: productId, country, currency, json } = flags;
  const endpoint = endpointOf(address);
  const secret = await secretOf(flags.secret);
  // Only here: the schemas would take every other command longer to start.
  const { checkConnector } = await import("../connector-check/check-connector.js");
  const { oneAtATime } = await import("../connector-check/one-at-a-time.js");
  if (!json) {
    terminal.err("Use a test shop: this reserves stock and leaves cancelled test orders behind.");
  }
  const show = (finding: ContractFinding) => {
    if (!json) for (const line of lines(finding)) terminal.out(line);
  };
  const shop = { endpoint, secret, productId, country, currency };
  const { findings, orders } = await oneAtATime(endpoint, () => checkConnector(shop, show));
  if (json) terminal.out(plainJson({ endpoint: endpoint.href, findings, orders }));
  else if (orders.length > 0) {
    terminal.err(`Cancelled test orders in the shop: ${orders.map(plainText).join(", ")}`);
  }
  failIfBroken(findings);
}

/** `connector`: for owners who connect a shop system, and for developers of one. */
export function connectorCommands(program: Command, terminal: Terminal): void {
  const connector = program.command("connector").description("connections of shop systems");
  siteConnectorCommands(connector, terminal);
  connector
    .command("check")
    .argument("<endpoint>", "https address that the shop system takes messages at")
    .description("check a shop system against the connector interface; only for a test shop")
    .requiredOption("--secret <secret>", "whsec_…, a file that contains it, or - to type it")
    .requiredOption("--product <id>", "id of a product with 5 to 10,000 in stock")
    .option("--country <code>", "country that the shop delivers to", code(2, "DE"), "DE")
    .option("--currency <code>", "currency of the shop", code(3, "EUR"), "EUR")
    .option("--json", "print JSON")
    .action((address: string, flags: Flags) => check(terminal, address, flags));
}
