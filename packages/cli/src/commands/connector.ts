import { parseUrl } from "@gatehouse/protocol";
import { type Command, InvalidArgumentError } from "commander";
import type { ContractFinding } from "../connector-check/finding.js";
import { failIfBroken, findingLines, secretOf } from "../connector-check/show.js";
import { CommandError, EXIT } from "../exit.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";
import { isThisMachine } from "../this-machine.js";
import { listenCommand } from "./connector-listen.js";
import { siteConnectorCommands } from "./connector-site.js";

interface Flags {
  readonly secret: string;
  readonly product: string;
  readonly country: string;
  readonly currency: string;
  readonly json?: boolean;
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

const code = (letters: number, example: string) => (text: string) => {
  if (new RegExp(`^[A-Za-z]{${letters}}$`).test(text)) return text.toUpperCase();
  throw new InvalidArgumentError(`Use ${letters} letters, such as ${example}.`);
};

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
    if (!json) for (const line of findingLines(finding)) terminal.out(line);
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
  listenCommand(connector, terminal);
}
