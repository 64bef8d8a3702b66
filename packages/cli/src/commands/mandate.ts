import { type DiscoveredSite, mandateFor, mandateText, sendText, sign } from "@gatehouse/agent";
import {
  isJsonObject,
  type JsonObject,
  parseJson,
  sha256,
  taggedBytes,
  toHex,
} from "@gatehouse/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import { asAgent, discovered, readKey } from "../agent-key.js";
import { choice } from "../choice.js";
import { explainedAt } from "../error-page.js";
import { CommandError, EXIT } from "../exit.js";
import { describeDecisions, siteDecisions } from "../explain-decision.js";
import { bodyFileOf, keepFile, readMandateFile, refuseSameFile } from "../mandate-file.js";
import { plainJson, plainText, type Terminal, visible } from "../terminal.js";
import { mandateListCommand, mandateShowCommand } from "./mandate-owner.js";

interface Asked {
  readonly key?: string;
  readonly agent?: string;
  readonly skill?: string;
  readonly arguments?: JsonObject;
  readonly protocol: "a2a" | "ap2" | "mcp";
  readonly total?: string;
  readonly currency?: string;
  readonly pay?: string;
  readonly id?: string;
  readonly keys?: string;
}

function readObject(text: string): JsonObject {
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new InvalidArgumentError("Use a JSON object.");
}

/** What `sign` and `send` have in common: what is asked, and by whom. */
function asking(command: Command): Command {
  return command
    .option("--key <file>", "file with the agent's key")
    .option("--agent <agent_id>", "agent id from the site")
    .option("--skill <skill>", "skill to request")
    .addOption(new Option("--arguments <json>", "arguments of the skill").argParser(readObject))
    .addOption(
      choice("--protocol <protocol>", "protocol to use", ["a2a", "ap2", "mcp"]).default("a2a"),
    )
    .option("--total <amount>", "total price, such as 12.50")
    .option("--currency <code>", "currency of the total, such as EUR")
    .option("--pay <handler:token>", "payment method, such as sandbox:pm_card_visa")
    .option(
      "--id <mandate_id>",
      "id of the mandate (default: random); use each id for one mandate only",
    )
    .option("--keys <service>", "trust the keys of this service, instead of the site's own");
}

function paymentOf(text: string | undefined) {
  if (text === undefined) return undefined;
  const [, handler, token] = /^(\w+):(.+)$/.exec(text) ?? [];
  if (handler === undefined || token === undefined) {
    const hint = "Use <handler>:<token>, such as sandbox:pm_card_visa.";
    throw new CommandError("--pay is not a payment method.", EXIT.usage, hint);
  }
  return { handler, token };
}

interface Sent extends Asked {
  readonly file?: string;
  readonly out?: string;
  readonly receipt?: string;
}

/** What to sign must be said whole; where a signed one is in a file, nothing of it. */
function needed({ key, agent, skill }: Asked) {
  if (key !== undefined && agent !== undefined && skill !== undefined) return { key, agent, skill };
  const hint =
    "To send a mandate that is already signed: gatehouse mandate send --file mandate.json";
  throw new CommandError("--key, --agent and --skill are required.", EXIT.usage, hint);
}

async function signed(address: string, options: Asked) {
  const { key: keyFile, agent, skill } = needed(options);
  if ((options.total === undefined) !== (options.currency === undefined)) {
    const hint = "Use both, for example: --total 12.50 --currency EUR";
    throw new CommandError("--total and --currency go together.", EXIT.usage, hint);
  }
  const key = await readKey(keyFile);
  return asAgent(async () => {
    const site = await discovered(address, options.keys);
    const cart =
      options.total === undefined || options.currency === undefined
        ? undefined
        : { total: options.total, currency: options.currency };
    const { protocol, id: mandateId } = options;
    const payment = paymentOf(options.pay);
    const request = { skill, protocol, cart, payment, mandateId, arguments: options.arguments };
    return { site, mandate: await sign(mandateFor(site, agent, request), key) };
  });
}

/** The bytes a signature is over, as text, and their hash. */
async function signedBytes(message: JsonObject) {
  const bytes = taggedBytes("mandate", message);
  return { signed_bytes: new TextDecoder().decode(bytes), sha256: toHex(await sha256(bytes)) };
}

/** The same as people can compare it. */
async function explain(message: JsonObject): Promise<string> {
  const { signed_bytes, sha256: hash } = await signedBytes(message);
  return `signed bytes  ${visible(signed_bytes.replace("\0", "\\0"))}\nsha-256       ${hash}`;
}

/** A mandate from a file; other signed messages look much alike, but say in `type` what they are. */
function mandateIn(file: string) {
  const read = readMandateFile(file);
  const { type, mandate_id } = read.message;
  if (type === "receipt") {
    const hint = `Check what it proves: gatehouse verify ${file} --keys <service>`;
    throw new CommandError(`${file} is a receipt, not a mandate.`, EXIT.failed, hint);
  }
  if (type === undefined && typeof mandate_id === "string") return read;
  const hint = "Use a file from `gatehouse mandate sign` or `gatehouse mandate send --out`.";
  throw new CommandError(`${file} is not a mandate.`, EXIT.failed, hint);
}

/** A mandate that was kept goes to the address it was signed for, and to no other. */
async function readyInFile(file: string, address: string | undefined, options: Sent) {
  const { keys, key, agent, skill, total, currency, pay, id } = options;
  const otherOptions = {
    key,
    agent,
    skill,
    arguments: options.arguments,
    total,
    currency,
    pay,
    id,
  };
  const { text, message } = mandateIn(file);
  if (Object.values(otherOptions).some((value) => value !== undefined)) {
    const hint = "Remove the other options, or sign a new mandate without --file.";
    const why = "--file sends a mandate unchanged, so its contents cannot be set.";
    throw new CommandError(why, EXIT.usage, hint);
  }
  const mandateUrl = String(message.audience ?? "");
  if (!/^https?:\/\//.test(mandateUrl)) {
    const why = `${file} has no audience, so it is not clear where to send it.`;
    throw new CommandError(why, EXIT.failed, "Sign a new mandate: gatehouse mandate sign");
  }
  if (address !== undefined) {
    const site = await asAgent(() => discovered(address, keys));
    if (site.mandateUrl !== mandateUrl) {
      const why = `${file} was signed for a different address: ${mandateUrl}`;
      throw new CommandError(
        why,
        EXIT.failed,
        "Send it there, or sign a mandate for this address.",
      );
    }
  }
  return { site: { mandateUrl }, text, message };
}

interface Ready {
  readonly site: Pick<DiscoveredSite, "mandateUrl">;
  /** Exactly what is sent. */
  readonly text: string;
  readonly message: JsonObject;
}

async function ready(address: string | undefined, options: Sent): Promise<Ready> {
  if (options.file !== undefined) return readyInFile(options.file, address, options);
  if (address === undefined) {
    const hint = "Specify the site's address, or use --file with a signed mandate.";
    throw new CommandError("There is no address to send the mandate to.", EXIT.usage, hint);
  }
  const { site, mandate } = await signed(address, options);
  return { site, text: mandateText(mandate), message: mandate.signed };
}

/** What to do when a site says no, or where it is explained. */
function whyNot({ docs_url, outcome }: JsonObject): string {
  if (outcome === "unavailable") {
    return "Send the same mandate again later (--out saves it, --file sends it). If it fails for long, ask the owner of the site.";
  }
  const page = explainedAt(docs_url);
  return page === undefined ? "Ask the owner of the site." : `See ${page}`;
}

async function sendMandate(terminal: Terminal, address: string | undefined, options: Sent) {
  const { key, file, out, receipt: kept } = options;
  refuseSameFile([key, file, out, kept, kept && bodyFileOf(kept)]);
  const { site, text, message } = await ready(address, options);
  // Before it is sent: an answer that is lost can be asked for again only with these bytes.
  if (options.out !== undefined) keepFile(options.out, text);
  const receipt = options.receipt !== undefined;
  const { status, body } = await asAgent(() => sendText(site, text, { receipt }));
  terminal.out(plainJson(body));
  if (options.receipt !== undefined) {
    keepFile(options.receipt, `${plainJson(body.receipt ?? {})}\n`);
    keepFile(bodyFileOf(options.receipt), text);
    terminal.err(
      `The sent mandate is in ${bodyFileOf(options.receipt)}. Keep it with the receipt.`,
    );
  }
  if (status < 300) return;
  if (body.reason === "signature_invalid") terminal.err(await explain(message));
  throw new CommandError(`The mandate was not approved (${status}).`, EXIT.failed, whyNot(body));
}

function sendCommand(mandate: Command, terminal: Terminal): void {
  const sending = mandate
    .command("send")
    .argument("[address]", "address of the site or of its agent card")
    .description("sign and send a mandate, or send one that is already signed")
    .option(
      "--file <file>",
      "send this signed mandate unchanged; sending it again repeats the same request",
    )
    .option("--out <file>", "save the sent mandate here, to send it again with --file")
    .option("--receipt <file>", "save the receipt here, and the sent mandate next to it");
  asking(sending)
    .option("--json", "print JSON (the output is always JSON)")
    .action((address: string | undefined, options: Sent) =>
      sendMandate(terminal, address, options),
    );
}

export function mandateCommands(program: Command, terminal: Terminal): void {
  const mandate = program.command("mandate").description("signed requests of agents");
  const signing = mandate
    .command("sign")
    .argument("<address>", "address of the site or of its agent card")
    .description("sign a mandate and print it; nothing is sent");
  asking(signing)
    .option("--json", "print JSON (the output is always JSON)")
    .action(async (address: string, options: Asked) => {
      const { mandate: signedMandate } = await signed(address, options);
      terminal.out(plainJson(signedMandate));
      terminal.err(await explain(signedMandate.signed));
    });
  sendCommand(mandate, terminal);

  mandate
    .command("explain")
    .argument("<file>", "file with a signed mandate")
    .description("show the signed bytes of a mandate, their hash, and how it was decided")
    .option("--site <site>", "as the owner: also show which rule decided it, and the result")
    .option("--json", "print JSON")
    .action(async (file: string, { site, json }: { site?: string; json?: boolean }) => {
      const { message } = mandateIn(file);
      const mandateId = String(message.mandate_id);
      const decisions =
        site === undefined ? undefined : await siteDecisions(terminal, site, mandateId);
      if (json) return terminal.out(plainJson({ ...(await signedBytes(message)), decisions }));
      terminal.out(await explain(message));
      if (decisions !== undefined) return terminal.out(describeDecisions(decisions));
      terminal.err(
        `As the owner, see how it was decided: gatehouse mandate show <site> ${plainText(mandateId)}`,
      );
    });
  mandateListCommand(mandate, terminal);
  mandateShowCommand(mandate, terminal);
}
