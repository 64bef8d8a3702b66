import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { readPublicKey } from "../agent-key.js";
import { choice } from "../choice.js";
import { findSite } from "../find-site.js";
import { listQuery } from "../list-query.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";
import { ownAgentCommands } from "./agent-own.js";

const STATUSES = ["pending", "active", "suspended", "revoked", "rejected"];

interface AgentBody {
  readonly agent_id: string;
  readonly name: string;
  readonly source: "admin" | "self";
  readonly status: string;
  readonly contact: string | null;
  readonly operator_url: string | null;
  readonly key_source: { readonly type: string; readonly url: string } | null;
  readonly scopes: readonly string[] | null;
  readonly requested_scopes: readonly string[];
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly keys?: readonly { readonly kid: string; readonly status: string }[];
}

const noAgent = (site: string) => ({
  says: "There is no such agent.",
  hint: `\`gatehouse agent list ${site}\` lists the agents.`,
});

interface Flags {
  readonly json?: boolean;
}

interface ListFlags extends Flags {
  readonly status?: string;
  readonly search?: string;
}

/** What an agent says of itself is marked as that. */
const nameOf = ({ name, source }: AgentBody) => (source === "self" ? `${name} (claimed)` : name);
const listOf = (items: readonly string[] | null) => (items === null ? "all" : items.join(", "));

const row = (agent: AgentBody) => ({
  agent_id: agent.agent_id,
  name: nameOf(agent),
  status: agent.status,
  scopes: listOf(agent.scopes),
  tags: agent.tags.join(", "),
  since: agent.created_at,
});

function describe(agent: AgentBody): string {
  const { contact, operator_url, key_source, expires_at, keys = [] } = agent;
  return card({
    name: nameOf(agent),
    status: agent.status,
    ...(contact === null ? {} : { contact }),
    ...(operator_url === null ? {} : { operator: operator_url }),
    ...(key_source === null ? {} : { key_found_at: `${key_source.url} (${key_source.type})` }),
    scopes: listOf(agent.scopes),
    ...(agent.requested_scopes.length === 0 ? {} : { asks_for: listOf(agent.requested_scopes) }),
    ...(agent.tags.length === 0 ? {} : { tags: agent.tags.join(", ") }),
    agent_id: agent.agent_id,
    ...(keys.length === 0
      ? {}
      : { keys: keys.map(({ kid, status }) => `${kid} (${status})`).join("\n") }),
    since: agent.created_at,
    ...(expires_at === null ? {} : { expires_at }),
  });
}

function print(terminal: Terminal, { json }: Flags, agent: AgentBody): void {
  terminal.out(json ? plainJson(agent) : describe(agent));
}

async function pathTo(terminal: Terminal, site: string, rest: string) {
  const client = adminClient(terminal);
  const { site_key_hash } = await findSite(client, site);
  return { client, path: `/v1/admin/sites/${site_key_hash}/agents${rest}` };
}

/** What an owner reads of agents. */
function readCommands(agent: Command, terminal: Terminal): void {
  agent
    .command("list")
    .argument("<site>", "domain, site key or site key hash")
    .description("list the agents of a site")
    .addOption(choice("--status <status>", "only agents with this status", STATUSES))
    .option("--search <text>", "only agents whose name or id contains this text")
    .option("--json", "print JSON")
    .action(async (site: string, { status, search, json }: ListFlags) => {
      const query = listQuery({ status, q: search });
      const { client, path } = await pathTo(terminal, site, query);
      const items: AgentBody[] = [];
      for await (const one of client.pages<AgentBody>(path)) items.push(one);
      if (json) return terminal.out(plainJson({ items }));
      const none =
        search === undefined && status === undefined
          ? `No agents yet. Add one: gatehouse agent add ${site} --key <file> --name <name>`
          : `No agents match. List all: gatehouse agent list ${site}`;
      terminal.out(table(items.map(row), none));
    });

  agent
    .command("show")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<agent_id>", "id from `agent list`")
    .description("show an agent and its keys")
    .option("--json", "print JSON")
    .action(async (site: string, id: string, flags: Flags) => {
      const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}`);
      print(terminal, flags, await client.callAbout(noAgent(site), "GET", path));
    });
}

const STEPS: readonly (readonly [string, string])[] = [
  ["approve", "approve an agent that is pending, declined or suspended"],
  ["reject", "decline a pending agent"],
  ["suspend", "suspend an agent until you approve it again"],
  ["revoke", "revoke an agent and its keys permanently"],
];

/** What an owner does with agents. */
function changeCommands(agent: Command, terminal: Terminal): void {
  for (const [step, description] of STEPS) {
    const command = agent
      .command(step)
      .argument("<site>", "domain, site key or site key hash")
      .argument("<agent_id>", "id from `agent list`")
      .description(description)
      .option("--json", "print JSON");
    if (step === "approve") {
      command.option(
        "--scope <scope...>",
        "what it may request, such as skill:place_order (default: everything)",
      );
    }
    command.action(async (site: string, id: string, flags: Flags & { scope?: string[] }) => {
      const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}/${step}`);
      const body = flags.scope === undefined ? {} : { scopes: flags.scope };
      const stepped = await client.callAbout<AgentBody>(noAgent(site), "POST", path, body);
      print(terminal, flags, stepped);
      if (step !== "approve" || stepped.scopes !== null) return;
      const narrow = `gatehouse agent change ${site} ${id} --scope skill:get_pricing`;
      terminal.err(`It may request every skill. To allow only some: ${narrow}`);
    });
  }

  agent
    .command("reject-pending")
    .argument("<site>", "domain, site key or site key hash")
    .description("decline all pending agents")
    .option("--without-key-source", "only agents whose key is not published on a domain")
    .option("--json", "print JSON")
    .action(async (site: string, flags: Flags & { withoutKeySource?: boolean }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, site);
      const path = `/v1/admin/sites/${site_key_hash}/pending-agents/reject`;
      const body = { unanchored_only: flags.withoutKeySource === true };
      const result = await client.call<{ rejected: number }>("POST", path, body);
      if (flags.json) return terminal.out(plainJson(result));
      const { rejected } = result;
      terminal.out(rejected === 1 ? "Declined 1 agent." : `Declined ${rejected} agents.`);
    });

  agent
    .command("change")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<agent_id>", "id from `agent list`")
    .description("change an agent's name, scopes or tags")
    .option("--name <name>", "name for the agent")
    .option("--scope <scope...>", "what it may request")
    .option("--all-scopes", "allow it to request everything")
    .option("--tag <tag...>", "tags that your policy can refer to")
    .option("--json", "print JSON")
    .action(
      async (
        site: string,
        id: string,
        flags: Flags & { name?: string; scope?: string[]; allScopes?: boolean; tag?: string[] },
      ) => {
        const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}`);
        const scopes = flags.allScopes === true ? null : flags.scope;
        const changes = { name: flags.name, scopes, tags: flags.tag };
        print(terminal, flags, await client.callAbout(noAgent(site), "PATCH", path, changes));
      },
    );
}

/** One the owner knows, by its public key. */
function addCommand(agent: Command, terminal: Terminal): void {
  agent
    .command("add")
    .argument("<site>", "domain, site key or site key hash")
    .description("add an agent by its public key; it is active immediately")
    .requiredOption(
      "--key <file>",
      "file with its public JWK, or its key file; the private part is not sent",
    )
    .requiredOption("--name <name>", "name for the agent")
    .option("--scope <scope...>", "what it may request (default: everything)")
    .option("--tag <tag...>", "tags that your policy can refer to")
    .option("--json", "print JSON")
    .action(
      async (
        text: string,
        flags: Flags & { key: string; name: string; scope?: string[]; tag?: string[] },
      ) => {
        const jwk = readPublicKey(flags.key);
        const client = adminClient(terminal);
        const { site_key_hash } = await findSite(client, text);
        const path = `/v1/admin/sites/${site_key_hash}/agents`;
        const body = {
          name: flags.name,
          jwk,
          scopes: flags.scope,
          tags: flags.tag,
        };
        type Added = { agent_id: string; kid: string; status: string };
        const added = await client.call<Added>("POST", path, body);
        if (flags.json) return terminal.out(plainJson(added));
        terminal.out(`${added.agent_id}  ${added.status}`);
      },
    );
}

export function agentCommands(program: Command, terminal: Terminal): void {
  const agent = program.command("agent").description("agents of a site, and your own agent");
  readCommands(agent, terminal);
  changeCommands(agent, terminal);
  addCommand(agent, terminal);
  ownAgentCommands(agent, terminal);
}
