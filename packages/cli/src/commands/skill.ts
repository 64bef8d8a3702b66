import { BUILT_IN_SKILLS, RESERVED_SKILLS } from "@gatehouse/protocol";
import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { type Terminal, table } from "../terminal.js";

interface Skill {
  readonly id: string;
  readonly enabled: boolean;
  readonly url?: string;
  readonly title?: string;
  readonly description?: string;
}

interface SkillsBody {
  readonly skills: readonly Skill[];
  readonly live: readonly string[];
  readonly built_in: readonly string[];
  readonly version: number;
}

interface Flags {
  readonly json?: boolean;
  readonly url?: string;
  readonly title?: string;
  readonly description?: string;
}

function stateOf({ id, enabled, url }: Skill, live: readonly string[]): string {
  if (live.includes(id)) return "live";
  if (!enabled) return "off";
  if (RESERVED_SKILLS.includes(id)) return "on, waits for checkout";
  return url === undefined ? "on, needs a URL" : "on";
}

function print(terminal: Terminal, { json }: Flags, body: SkillsBody): void {
  terminal.out(json ? JSON.stringify(body, null, 2) : describe(body));
}

function describe(body: SkillsBody): string {
  const rows = body.skills.map((skill) => ({
    id: skill.id,
    state: stateOf(skill, body.live),
    title: skill.title ?? BUILT_IN_SKILLS[skill.id]?.title ?? "",
    url: skill.url ?? "",
  }));
  const unused = body.built_in.filter((id) => body.skills.every((skill) => skill.id !== id));
  const rest = unused.length === 0 ? [] : [`Not set up: ${unused.join(", ")}`];
  return [...(rows.length === 0 ? [] : [table(rows)]), ...rest].join("\n");
}

/** Reads, changes and writes the list; refused if somebody else changed the site in between. */
async function change(
  client: AdminClient,
  site: string,
  edit: (skills: readonly Skill[]) => readonly Skill[],
): Promise<SkillsBody> {
  const { site_key_hash } = await findSite(client, site);
  const path = `/v1/admin/sites/${site_key_hash}/skills`;
  const { skills, version } = await client.call<SkillsBody>("GET", path);
  return client.call("PUT", path, { skills: edit(skills), version });
}

/** The list with one skill changed in its place, or added at the end. */
function withSkill(skills: readonly Skill[], id: string, fields: Partial<Skill>): readonly Skill[] {
  const old = skills.find((skill) => skill.id === id);
  const changed = { enabled: true, ...old, ...fields, id };
  return old === undefined
    ? [...skills, changed]
    : skills.map((skill) => (skill.id === id ? changed : skill));
}

function mustHave(skills: readonly Skill[], id: string): void {
  if (skills.some((skill) => skill.id === id)) return;
  const hint = "`gatehouse skill list <site>` shows what there is.";
  throw new CommandError(`The site has no skill ${id}.`, EXIT.failed, hint);
}

const SITE = ["<site>", "domain, site key or site key hash"] as const;
const ID = ["<id>", "get_pricing, sign_up, … or a name of your own"] as const;

function editCommands(skill: Command, terminal: Terminal): void {
  skill
    .command("set")
    .argument(...SITE)
    .argument(...ID)
    .description("add or change a skill, and switch it on; it is live once it has a URL")
    .option("--url <url>", "the https page it leads to")
    .option("--title <text>", "what people and agents read; built-in skills have one")
    .option("--description <text>", "one sentence; built-in skills have one")
    .option("--json", "print JSON")
    .action(async (site: string, id: string, { json, ...fields }: Flags) => {
      const edit = (skills: readonly Skill[]) =>
        withSkill(skills, id, { ...fields, enabled: true });
      print(terminal, { json: json === true }, await change(adminClient(terminal), site, edit));
    });

  skill
    .command("disable")
    .argument(...SITE)
    .argument(...ID)
    .description("switch a skill off; agents no longer see it, what you set is kept")
    .option("--json", "print JSON")
    .action(async (site: string, id: string, flags: Flags) => {
      const edit = (skills: readonly Skill[]) => {
        mustHave(skills, id);
        return withSkill(skills, id, { enabled: false });
      };
      print(terminal, flags, await change(adminClient(terminal), site, edit));
    });

  skill
    .command("remove")
    .argument(...SITE)
    .argument(...ID)
    .description("forget a skill")
    .option("--json", "print JSON")
    .action(async (site: string, id: string, flags: Flags) => {
      const edit = (skills: readonly Skill[]) => {
        mustHave(skills, id);
        return skills.filter((one) => one.id !== id);
      };
      print(terminal, flags, await change(adminClient(terminal), site, edit));
    });
}

export function skillCommands(program: Command, terminal: Terminal): void {
  const skill = program.command("skill").description("what a site offers to agents");
  skill
    .command("list")
    .argument(...SITE)
    .description("list a site's skills and which are live")
    .option("--json", "print JSON")
    .action(async (site: string, flags: Flags) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, site);
      print(terminal, flags, await client.call("GET", `/v1/admin/sites/${site_key_hash}/skills`));
    });
  editCommands(skill, terminal);
}
