import {
  BUILT_IN_SKILLS,
  builtInSkill,
  isShopSkill,
  PLACE_ORDER,
  RESERVED_SKILLS,
  type SkillSetting,
} from "@gatehouse/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { plainJson, type Terminal, table } from "../terminal.js";

interface SkillsBody {
  readonly skills: readonly SkillSetting[];
  readonly live: readonly string[];
  readonly built_in: readonly string[];
  readonly version: number;
}

interface Flags {
  readonly json?: boolean;
  readonly to?: string;
  readonly url?: string;
  readonly title?: string;
  readonly description?: string;
}

function stateOf({ id, enabled, url }: SkillSetting, live: readonly string[]): string {
  if (live.includes(id)) return "live";
  if (!enabled) return "off";
  if (id === PLACE_ORDER || isShopSkill(id)) return "on, not ready: see `site gates`";
  if (RESERVED_SKILLS.includes(id)) return "on, not served yet";
  return url === undefined ? "on, needs a URL" : "on";
}

function print(terminal: Terminal, { json }: Flags, body: SkillsBody): void {
  terminal.out(json ? plainJson(body) : describe(body));
}

function describe(body: SkillsBody): string {
  const rows = body.skills.map((skill) => ({
    id: skill.id,
    state: stateOf(skill, body.live),
    title: skill.title ?? builtInSkill(skill.id)?.title ?? "",
    url: skill.url ?? "",
  }));
  const unused = [...body.built_in, PLACE_ORDER].filter((id) =>
    body.skills.every((skill) => skill.id !== id),
  );
  const rest = unused.length === 0 ? [] : [`Not set up: ${unused.join(", ")}`];
  // Nobody switches these on: they come with the gates.
  const shop = body.live.filter((id) => body.skills.every((skill) => skill.id !== id));
  const sold = shop.length === 0 ? [] : [`Live while you sell: ${shop.join(", ")}`];
  const none = "No skills yet. Add one: gatehouse skill set <site> <id> --url <url>";
  return [table(rows, none), ...sold, ...rest].join("\n");
}

/** Reads, changes and writes the list; refused if somebody else changed the site in between. */
async function change(
  client: AdminClient,
  site: string,
  edit: (skills: readonly SkillSetting[]) => readonly SkillSetting[],
): Promise<SkillsBody> {
  const { site_key_hash } = await findSite(client, site);
  const path = `/v1/admin/sites/${site_key_hash}/skills`;
  const { skills, version } = await client.call<SkillsBody>("GET", path);
  try {
    return await client.call("PUT", path, { skills: edit(skills), version });
  } catch (error) {
    // The place in the list means nothing to somebody who changed one skill.
    if (!(error instanceof CommandError)) throw error;
    const message = error.message.replace(/^skills\.\d+\.(\w+): /, "$1: ");
    throw new CommandError(message, error.code, error.hint);
  }
}

/** The list with one skill changed in its place, or added at the end. */
function withSkill(
  skills: readonly SkillSetting[],
  id: string,
  fields: Partial<SkillSetting>,
): readonly SkillSetting[] {
  const old = skills.find((skill) => skill.id === id);
  const changed = { enabled: true, ...old, ...fields, id };
  return old === undefined
    ? [...skills, changed]
    : skills.map((skill) => (skill.id === id ? changed : skill));
}

function mustHave(skills: readonly SkillSetting[], id: string): void {
  if (skills.some((skill) => skill.id === id)) return;
  const hint = "`gatehouse skill list <site>` lists the skills.";
  throw new CommandError(`The site has no skill ${id}.`, EXIT.failed, hint);
}

const SITE = ["<site>", "domain, site key or site key hash"] as const;
const ID = ["<id>", "get_pricing, sign_up, … or your own name for a skill"] as const;

/** Words for a skill nobody has words for; a slip in a built-in name would go live as it is. */
function needTitle(skills: readonly SkillSetting[], id: string, { title }: Flags): void {
  const known = skills.some((skill) => skill.id === id) || builtInSkill(id) !== undefined;
  if (known || title !== undefined || RESERVED_SKILLS.includes(id)) return;
  const names = [...Object.keys(BUILT_IN_SKILLS), PLACE_ORDER].join(", ");
  throw new CommandError(
    `${id} is not built in, so it needs a --title.`,
    EXIT.usage,
    `Built-in skills: ${names}.`,
  );
}

type Edit = (skills: readonly SkillSetting[], id: string, flags: Flags) => readonly SkillSetting[];

/** A command that changes one skill of a site and shows the list as it is then. */
function edits(skill: Command, terminal: Terminal, name: string, text: string, edit: Edit) {
  return skill
    .command(name)
    .argument(...SITE)
    .argument(...ID)
    .description(text)
    .option("--json", "print JSON")
    .action(async (site: string, id: string, flags: Flags) => {
      const changed = await change(adminClient(terminal), site, (skills) =>
        edit(skills, id, flags),
      );
      print(terminal, flags, changed);
    });
}

function readPlace(text: string): string {
  if (/^[1-9]\d{0,3}$/.test(text)) return text;
  throw new InvalidArgumentError("Use its position in the list, 1 for the first.");
}

function switched(enabled: boolean): Edit {
  return (skills, id) => {
    mustHave(skills, id);
    return withSkill(skills, id, { enabled });
  };
}

function editCommands(skill: Command, terminal: Terminal): void {
  const set = "add or change a skill; a new skill is on, and live as soon as it has a URL";
  edits(skill, terminal, "set", set, (skills, id, flags) => {
    needTitle(skills, id, flags);
    const { url, title, description } = flags;
    const given = Object.entries({ url, title, description }).filter(
      ([, text]) => text !== undefined,
    );
    return withSkill(skills, id, Object.fromEntries(given));
  })
    .option("--url <url>", "https page that the skill links to")
    .option("--title <text>", "title for people and agents; built-in skills have a default")
    .option("--description <text>", "description in one sentence; built-in skills have a default");
  edits(skill, terminal, "enable", "turn a skill on", switched(true));
  const off = "turn a skill off; agents no longer see it, and its settings are kept";
  edits(skill, terminal, "disable", off, switched(false));
  edits(skill, terminal, "remove", "remove a skill and its settings", (skills, id) => {
    mustHave(skills, id);
    return skills.filter((one) => one.id !== id);
  });
  edits(
    skill,
    terminal,
    "move",
    "change the position of a skill in the list that agents see",
    (skills, id, { to = "1" }) => {
      mustHave(skills, id);
      const place = Number(to) - 1;
      return skills
        .filter((one) => one.id !== id)
        .toSpliced(place, 0, skills.find((one) => one.id === id) as SkillSetting);
    },
  ).addOption(
    new Option("--to <place>", "new position in the list").argParser(readPlace).default("1"),
  );
}

export function skillCommands(program: Command, terminal: Terminal): void {
  const skill = program.command("skill").description("skills that a site offers agents");
  skill
    .command("list")
    .argument(...SITE)
    .description("list the skills of a site, and which are live")
    .option("--json", "print JSON")
    .action(async (site: string, flags: Flags) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, site);
      print(terminal, flags, await client.call("GET", `/v1/admin/sites/${site_key_hash}/skills`));
    });
  editCommands(skill, terminal);
}
