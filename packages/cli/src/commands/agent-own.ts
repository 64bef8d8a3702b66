import { agentStatus, generateAgentKey, register } from "@gatehouse/agent";
import { KEY_SOURCE_TYPES, type KeySource } from "@gatehouse/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import { asAgent, discovered, readKey, writeKey } from "../agent-key.js";
import { plainJson, type Terminal } from "../terminal.js";

interface Flags {
  readonly json?: boolean;
}

function readKeySource(text: string): KeySource {
  const [, named, url = ""] = /^(\w+):(https:.+)$/.exec(text) ?? [];
  const type = KEY_SOURCE_TYPES.find((one) => one === named);
  if (type !== undefined) return { type, url };
  throw new InvalidArgumentError(
    `Write one of ${KEY_SOURCE_TYPES.join(", ")}, a colon and an https address.`,
  );
}

const SITE_WORDS = "its address, or that of its card";

/** What an agent developer does: make a key, register it, and look what became of it. */
export function ownAgentCommands(agent: Command, terminal: Terminal): void {
  agent
    .command("keygen")
    .description("make a key for an agent of yours")
    .requiredOption("--out <file>", "where to keep it; whoever has it is the agent")
    .option("--json", "print JSON, as it does anyway")
    .action(async ({ out }: { out: string }) => {
      const key = await generateAgentKey();
      writeKey(out, key);
      const { kty, crv, x } = key;
      terminal.out(plainJson({ kty, crv, x, kid: key.kid }));
      terminal.err(`The private key is in ${out}. This is the public one.`);
    });

  agent
    .command("register")
    .argument("<address>", SITE_WORDS)
    .description("verify a site and make your agent's key known to it")
    .requiredOption("--key <file>", "the agent's key")
    .requiredOption("--name <name>", "what the owner will read")
    .option("--contact <contact>", "how the owner reaches you")
    .option("--operator-url <url>", "who you are")
    .option("--scope <scope...>", "what you will ask for, such as skill:place_order")
    .addOption(
      new Option(
        "--key-source <type:url>",
        "where you publish the key, such as directory:https://agent.example",
      ).argParser(readKeySource),
    )
    .option("--keys <service>", "whose keys must have signed the card, if not the site's own")
    .option("--json", "print JSON")
    .action(async (address: string, flags: Flags & Record<string, string | undefined>) => {
      const key = await readKey(flags.key as string);
      const registered = await asAgent(async () => {
        const site = await discovered(address, flags.keys);
        return register(site, key, {
          name: flags.name as string,
          contact: flags.contact,
          operatorUrl: flags.operatorUrl,
          scopes: flags.scope as unknown as string[] | undefined,
          keySource: flags.keySource as unknown as KeySource | undefined,
        });
      });
      const { agentId: agent_id, kid, status } = registered;
      terminal.out(flags.json ? plainJson({ agent_id, kid, status }) : `${agent_id}  ${status}`);
      if (status === "pending") terminal.err("The owner has to approve it.");
    });

  agent
    .command("status")
    .argument("<address>", SITE_WORDS)
    .argument("<agent_id>", "the id `agent register` printed")
    .description("ask a site what became of your agent")
    .option("--keys <service>", "whose keys must have signed the card, if not the site's own")
    .option("--json", "print JSON")
    .action(async (address: string, id: string, { keys, json }: Flags & { keys?: string }) => {
      const status = await asAgent(async () => agentStatus(await discovered(address, keys), id));
      terminal.out(json ? plainJson({ agent_id: id, status }) : status);
    });
}
