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
  throw new InvalidArgumentError("Write a JSON object.");
}

/** What `sign` and `send` have in common: what is asked, and by whom. */
function asking(command: Command): Command {
  return command
    .option("--key <file>", "the agent's key")
    .option("--agent <agent_id>", "the id the site gave it")
    .option("--skill <skill>", "what to ask for")
    .addOption(new Option("--arguments <json>", "with what").argParser(readObject))
    .addOption(
      choice("--protocol <protocol>", "by which protocol", ["a2a", "ap2", "mcp"]).default("a2a"),
    )
    .option("--total <amount>", "what is to pay, such as 12.50")
    .option("--currency <code>", "in which currency, such as EUR")
    .option("--pay <handler:token>", "how it is paid, such as sandbox:pm_card_visa")
    .option("--id <mandate_id>", "its id, by chance unless said; an id is good for one mandate")
    .option("--keys <service>", "whose keys must have signed the card, if not the site's own");
}

function paymentOf(text: string | undefined) {
  if (text === undefined) return undefined;
  const [, handler, token] = /^(\w+):(.+)$/.exec(text) ?? [];
  if (handler === undefined || token === undefined) {
    const hint = "Write <handler>:<token>, such as sandbox:pm_card_visa.";
    throw new CommandError("--pay does not say how to pay.", EXIT.usage, hint);
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
  const hint = "To send one that is signed already: gatehouse mandate send --file mandate.json";
  throw new CommandError("Say --key, --agent and --skill.", EXIT.usage, hint);
}

async function signed(address: string, asked: Asked) {
  const { key: keyFile, agent, skill } = needed(asked);
  if ((asked.total === undefined) !== (asked.currency === undefined)) {
    const hint = "Say both, such as: --total 12.50 --currency EUR";
    throw new CommandError("--total and --currency go together.", EXIT.usage, hint);
  }
  const key = await readKey(keyFile);
  return asAgent(async () => {
    const site = await discovered(address, asked.keys);
    const cart =
      asked.total === undefined || asked.currency === undefined
        ? undefined
        : { total: asked.total, currency: asked.currency };
    const { protocol, id: mandateId } = asked;
    const payment = paymentOf(asked.pay);
    const request = { skill, protocol, cart, payment, mandateId, arguments: asked.arguments };
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
    throw new CommandError(`${file} is a receipt, no mandate.`, EXIT.failed, hint);
  }
  if (type === undefined && typeof mandate_id === "string") return read;
  const hint = "Name one that `gatehouse mandate sign` printed, or `mandate send --out` kept.";
  throw new CommandError(`${file} is no mandate.`, EXIT.failed, hint);
}

/** A mandate that was kept goes to the address it was signed for, and to no other. */
async function readyInFile(file: string, address: string | undefined, asked: Sent) {
  const { keys, key, agent, skill, total, currency, pay, id } = asked;
  const said = { key, agent, skill, arguments: asked.arguments, total, currency, pay, id };
  const { text, message } = mandateIn(file);
  if (Object.values(said).some((value) => value !== undefined)) {
    const hint = "Take the other options away, or sign a new mandate without --file.";
    const why = "--file is sent as it is: nothing else can be asked.";
    throw new CommandError(why, EXIT.usage, hint);
  }
  const mandateUrl = String(message.audience ?? "");
  if (!/^https?:\/\//.test(mandateUrl)) {
    const why = `${file} does not say where it goes: it has no audience.`;
    throw new CommandError(why, EXIT.failed, "Sign it anew: gatehouse mandate sign");
  }
  if (address !== undefined) {
    const site = await asAgent(() => discovered(address, keys));
    if (site.mandateUrl !== mandateUrl) {
      const why = `${file} was signed for another address: ${mandateUrl}`;
      throw new CommandError(why, EXIT.failed, "Send it there, or sign one for this address.");
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

async function ready(address: string | undefined, asked: Sent): Promise<Ready> {
  if (asked.file !== undefined) return readyInFile(asked.file, address, asked);
  if (address === undefined) {
    const hint = "Say the site's address, or --file with a mandate that is signed already.";
    throw new CommandError("It is not clear where to send it.", EXIT.usage, hint);
  }
  const { site, mandate } = await signed(address, asked);
  return { site, text: mandateText(mandate), message: mandate.signed };
}

/** Where it is explained why a site says no. */
function whyNot({ docs_url }: JsonObject): string {
  const page = explainedAt(docs_url);
  return page === undefined ? "Ask the owner of the site." : `See ${page}`;
}

async function sendMandate(terminal: Terminal, address: string | undefined, asked: Sent) {
  const { key, file, out, receipt: kept } = asked;
  refuseSameFile([key, file, out, kept, kept && bodyFileOf(kept)]);
  const { site, text, message } = await ready(address, asked);
  // Before it is sent: an answer that is lost can be asked for again only with these bytes.
  if (asked.out !== undefined) keepFile(asked.out, text);
  const receipt = asked.receipt !== undefined;
  const { status, body } = await asAgent(() => sendText(site, text, { receipt }));
  terminal.out(plainJson(body));
  if (asked.receipt !== undefined) {
    keepFile(asked.receipt, `${plainJson(body.receipt ?? {})}\n`);
    keepFile(bodyFileOf(asked.receipt), text);
    terminal.err(`What was sent is in ${bodyFileOf(asked.receipt)}: keep it with the receipt.`);
  }
  if (status < 300) return;
  if (body.reason === "signature_invalid") terminal.err(await explain(message));
  throw new CommandError(`It was not approved (${status}).`, EXIT.failed, whyNot(body));
}

function sendCommand(mandate: Command, terminal: Terminal): void {
  const sending = mandate
    .command("send")
    .argument("[address]", "the site's address, or that of its card")
    .description("sign a mandate and send it, or send one that is signed already")
    .option("--file <file>", "send this signed mandate as it is: again, it is the same request")
    .option("--out <file>", "keep what is sent here, to send it again with --file")
    .option("--receipt <file>", "keep proof of the answer here, and what was sent beside it");
  asking(sending)
    .option("--json", "print JSON, as it does anyway")
    .action((address: string | undefined, asked: Sent) => sendMandate(terminal, address, asked));
}

export function mandateCommands(program: Command, terminal: Terminal): void {
  const mandate = program.command("mandate").description("what agents ask sites for");
  const signing = mandate
    .command("sign")
    .argument("<address>", "the site's address, or that of its card")
    .description("sign a mandate and print it; nothing is sent");
  asking(signing)
    .option("--json", "print JSON, as it does anyway")
    .action(async (address: string, asked: Asked) => {
      const { mandate: made } = await signed(address, asked);
      terminal.out(plainJson(made));
      terminal.err(await explain(made.signed));
    });
  sendCommand(mandate, terminal);

  mandate
    .command("explain")
    .argument("<file>", "a signed mandate")
    .description("show the bytes a mandate's signature is over, their hash, and what decided it")
    .option("--site <site>", "as the owner: also which rule decided, and what came of it")
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
        `As the owner, what decided it: gatehouse mandate show <site> ${plainText(mandateId)}`,
      );
    });
  mandateListCommand(mandate, terminal);
  mandateShowCommand(mandate, terminal);
}
