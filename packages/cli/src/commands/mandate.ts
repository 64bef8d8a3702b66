import { readFileSync, writeFileSync } from "node:fs";
import { mandateFor, type SignedMandate, send, sign } from "@gatehouse/agent";
import {
  isJsonObject,
  type JsonObject,
  parseJson,
  sha256,
  taggedBytes,
  toHex,
} from "@gatehouse/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import { adminClient } from "../admin-client.js";
import { asAgent, discovered, readKey } from "../agent-key.js";
import { CommandError, EXIT } from "../exit.js";
import { explainDecision } from "../explain-decision.js";
import { findSite } from "../find-site.js";
import { plainJson, type Terminal, table } from "../terminal.js";

interface Asked {
  readonly key: string;
  readonly agent: string;
  readonly skill: string;
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
    .argument("<address>", "the site's address, or that of its card")
    .requiredOption("--key <file>", "the agent's key")
    .requiredOption("--agent <agent_id>", "the id the site gave it")
    .requiredOption("--skill <skill>", "what to ask for")
    .addOption(new Option("--arguments <json>", "with what").argParser(readObject))
    .addOption(
      new Option("--protocol <protocol>", "by which protocol")
        .choices(["a2a", "ap2", "mcp"])
        .default("a2a"),
    )
    .option("--total <amount>", "what is to pay, such as 12.50")
    .option("--currency <code>", "in which currency, such as EUR")
    .option("--pay <handler:token>", "how it is paid, such as sandbox:pm_card_visa")
    .option("--id <mandate_id>", "to send the same request again; chance unless said")
    .option("--keys <service>", "whose keys must have signed the card, if not the site's own");
}

function paymentOf(text: string | undefined) {
  if (text === undefined) return undefined;
  const [, handler, token] = /^(\w+):(.+)$/.exec(text) ?? [];
  if (handler === undefined || token === undefined) {
    throw new CommandError("--pay is <handler>:<token>, such as sandbox:pm_card_visa.", EXIT.usage);
  }
  return { handler, token };
}

async function signed(address: string, asked: Asked) {
  if ((asked.total === undefined) !== (asked.currency === undefined)) {
    throw new CommandError("--total and --currency go together.", EXIT.usage);
  }
  const key = await readKey(asked.key);
  return asAgent(async () => {
    const site = await discovered(address, asked.keys);
    const cart =
      asked.total === undefined || asked.currency === undefined
        ? undefined
        : { total: asked.total, currency: asked.currency };
    const { skill, protocol, id: mandateId } = asked;
    const payment = paymentOf(asked.pay);
    const request = { skill, protocol, cart, payment, mandateId, arguments: asked.arguments };
    return { site, mandate: await sign(mandateFor(site, asked.agent, request), key) };
  });
}

async function explain({ signed: message }: SignedMandate): Promise<string> {
  const bytes = taggedBytes("mandate", message);
  const text = new TextDecoder().decode(bytes).replace("\0", "\\0");
  return `signed bytes  ${text}\nsha-256       ${toHex(await sha256(bytes))}`;
}

export function mandateCommands(program: Command, terminal: Terminal): void {
  const mandate = program.command("mandate").description("what agents ask sites for");
  asking(
    mandate.command("sign").description("sign a mandate and print it; nothing is sent"),
  ).action(async (address: string, asked: Asked) => {
    const made = await signed(address, asked);
    terminal.out(plainJson(made.mandate));
    terminal.err(await explain(made.mandate));
  });

  const sending = mandate
    .command("send")
    .description("sign a mandate and send it")
    .option("--receipt <file>", "keep proof of the answer here; `verify` checks it");
  asking(sending).action(async (address: string, asked: Asked & { readonly receipt?: string }) => {
    const { site, mandate: made } = await signed(address, asked);
    const receipt = asked.receipt !== undefined;
    const { status, body } = await asAgent(() => send(site, made, { receipt }));
    if (asked.receipt !== undefined) writeFileSync(asked.receipt, plainJson(body.receipt ?? {}));
    terminal.out(plainJson(body));
    if (status >= 300) {
      throw new CommandError(`It was not approved (${status}).`, EXIT.failed, await explain(made));
    }
  });

  mandate
    .command("explain")
    .argument("<file>", "a signed mandate")
    .description("show the bytes a mandate's signature is over, their hash, and what decided it")
    .option("--site <site>", "as the owner: also which rule decided, and what came of it")
    .action(async (file: string, { site }: { site?: string }) => {
      const parsed = parseJson(readFileSync(file));
      const message = parsed.ok && isJsonObject(parsed.value) ? parsed.value.signed : undefined;
      if (!isJsonObject(message)) throw new CommandError(`${file} is no mandate.`, EXIT.failed);
      terminal.out(await explain({ signed: message } as SignedMandate));
      if (site === undefined) return;
      terminal.out(await explainDecision(terminal, site, String(message.mandate_id)));
    });

  mandate
    .command("list")
    .argument("<site>", "its domain, key or hash")
    .description("as the owner: what was decided, the newest first")
    .addOption(
      new Option("--outcome <outcome>", "only these").choices([
        "approved",
        "escalated",
        "rejected",
        "paying",
      ]),
    )
    .option("--json", "print JSON")
    .action(async (text: string, { outcome, json }: { outcome?: string; json?: boolean }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const query = outcome === undefined ? "" : `&outcome=${outcome}`;
      const path = `/v1/admin/sites/${site_key_hash}/decisions?limit=50${query}`;
      const { items } = await client.call<{ items: Record<string, string | null>[] }>("GET", path);
      if (json) return terminal.out(plainJson({ items }));
      if (items.length === 0) return terminal.out("Nothing was decided yet.");
      const row = (one: Record<string, string | null>) => ({
        evaluated_at: one.evaluated_at ?? "",
        outcome: one.outcome ?? "",
        skill: one.skill ?? "",
        rule: one.rule_id ?? "",
        reason: one.reason ?? "",
        agent_id: one.agent_id ?? "",
        mandate_id: one.mandate_id ?? "",
      });
      terminal.out(table(items.map(row)));
    });
}
