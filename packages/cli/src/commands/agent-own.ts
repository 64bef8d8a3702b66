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
    `Use ${KEY_SOURCE_TYPES.join(" or ")}, a colon and an https address.`,
  );
}

const SITE_WORDS = "address of the site or of its agent card";

/** What an agent developer does: make a key, register it, and look what became of it. */
export function ownAgentCommands(agent: Command, terminal: Terminal): void {
  agent
    .command("keygen")
    .description("create a key for your agent")
    .requiredOption(
      "--out <file>",
      "file for the private key; anyone who has it can act as the agent",
    )
    .option("--json", "print JSON (the output is always JSON)")
    .action(async ({ out }: { out: string }) => {
      const key = await generateAgentKey();
      writeKey(out, key);
      const { kty, crv, x } = key;
      terminal.out(plainJson({ kty, crv, x, kid: key.kid }));
      terminal.err(`The private key is in ${out}. The output above is the public key.`);
    });

  agent
    .command("register")
    .argument("<address>", SITE_WORDS)
    .description("verify a site and register your agent's key there")
    .requiredOption("--key <file>", "file with the agent's key")
    .requiredOption("--name <name>", "name that the owner sees")
    .option("--contact <contact>", "how the owner can reach you")
    .option("--operator-url <url>", "your website")
    .option("--scope <scope...>", "what the agent needs, such as skill:place_order")
    .addOption(
      new Option(
        "--key-source <type:url>",
        "where you publish the key, such as directory:https://agent.example",
      ).argParser(readKeySource),
    )
    .option("--keys <service>", "trust the keys of this service, instead of the site's own")
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
      if (status === "pending") terminal.err("The agent can act after the owner approves it.");
    });

  agent
    .command("status")
    .argument("<address>", SITE_WORDS)
    .argument("<agent_id>", "id from `agent register`")
    .description("show the status of your agent at a site")
    .option("--keys <service>", "trust the keys of this service, instead of the site's own")
    .option("--json", "print JSON")
    .action(async (address: string, id: string, { keys, json }: Flags & { keys?: string }) => {
      const status = await asAgent(async () => agentStatus(await discovered(address, keys), id));
      terminal.out(json ? plainJson({ agent_id: id, status }) : status);
    });
}
