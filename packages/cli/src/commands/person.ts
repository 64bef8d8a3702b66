import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { findSite, sitesNamed } from "../find-site.js";
import { plainJson, type Terminal, table } from "../terminal.js";

interface LinkBody {
  readonly expires_at: string;
  readonly url?: string;
  readonly mail_problem?: string;
}

interface PersonBody {
  readonly person_id: string;
  readonly name: string;
  readonly email: string | null;
  readonly status: string;
  /** In the list of one site. */
  readonly role?: string;
  /** In the list of all people. */
  readonly access?: readonly { readonly site_key_hash: string | null; readonly role: string }[];
}

interface Flags {
  readonly json?: boolean;
}

interface InviteFlags extends Flags {
  readonly name: string;
  readonly role: string;
  readonly email?: string;
  readonly site?: readonly string[];
}

/** Prints how somebody gets in. A link stands alone on standard output, so that it can be passed on. */
function showLink(terminal: Terminal, name: string, link: LinkBody | undefined): void {
  if (link === undefined) {
    terminal.out(`${name} can sign in as before, with the new role.`);
    return;
  }
  if (link.mail_problem !== undefined) {
    terminal.err(`The link could not be mailed: ${link.mail_problem}.`);
  }
  if (link.url === undefined) {
    if (link.mail_problem === undefined) terminal.out(`The link is on its way to ${name}.`);
    return;
  }
  terminal.out(link.url);
  terminal.err(`Give it to ${name}. It signs in once and expires at ${link.expires_at}.`);
}

async function invite(terminal: Terminal, flags: InviteFlags): Promise<void> {
  const { name, role, email, site = [], json } = flags;
  const client = adminClient(terminal);
  const sites = (await sitesNamed(client, site)).map(({ site_key_hash }) => site_key_hash);
  const person = { name, role, ...(email === undefined ? {} : { email }) };
  // Owners invite to one site of theirs; only operators invite to several or to all.
  const [path, body] =
    sites.length === 1 && role !== "operator"
      ? [`/v1/admin/sites/${sites[0]}/people`, person]
      : ["/v1/admin/people", { ...person, ...(sites.length === 0 ? {} : { sites }) }];
  const created = await client.call<PersonBody & { link?: LinkBody }>("POST", path, body);
  if (json) return terminal.out(plainJson(created));
  showLink(terminal, created.name, created.link);
}

function rolesOf({ role, access }: PersonBody): string {
  if (role !== undefined) return role;
  const all = access?.find(({ site_key_hash }) => site_key_hash === null);
  if (all !== undefined) return `${all.role} of all sites`;
  const roles = new Map<string, number>();
  for (const { role: one } of access ?? []) roles.set(one, (roles.get(one) ?? 0) + 1);
  return [...roles].map(([one, count]) => `${one} of ${count}`).join(", ") || "none";
}

async function list(terminal: Terminal, { site, json }: Flags & { site?: string }): Promise<void> {
  const client = adminClient(terminal);
  const of = site === undefined ? undefined : await findSite(client, site);
  const path = of === undefined ? "/v1/admin" : `/v1/admin/sites/${of.site_key_hash}`;
  const people: PersonBody[] = [];
  for await (const one of client.pages<PersonBody>(`${path}/people?limit=200`)) people.push(one);
  if (json) return terminal.out(plainJson({ items: people }));
  const rows = people.map((person) => ({
    person_id: person.person_id,
    name: person.name,
    email: person.email ?? "-",
    role: rolesOf(person),
    state: person.status,
  }));
  terminal.out(table(rows, "No people. Invite somebody: gatehouse person invite"));
}

const missing = (personId: string) => ({
  says: `There is no person ${personId}.`,
  hint: "`gatehouse person list` lists the people.",
});

interface SessionBody {
  readonly session_id: string;
  readonly device: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

const sessionsOf = (personId: string) =>
  `/v1/admin/people/${encodeURIComponent(personId)}/sessions`;

async function listSessions(terminal: Terminal, personId: string, { json }: Flags): Promise<void> {
  const client = adminClient(terminal);
  const { items } = await client.callAbout<{ items: readonly SessionBody[] }>(
    missing(personId),
    "GET",
    sessionsOf(personId),
  );
  if (json) return terminal.out(plainJson({ items }));
  const rows = items.map(({ session_id, device, created_at, last_used_at }) => ({
    session_id,
    device,
    signed_in: created_at,
    last_used: last_used_at ?? "never",
  }));
  terminal.out(table(rows, "This person is not signed in anywhere."));
}

async function remove(
  client: AdminClient,
  personId: string,
  site: string | undefined,
): Promise<void> {
  const of = site === undefined ? undefined : await findSite(client, site);
  const path = of === undefined ? "/v1/admin" : `/v1/admin/sites/${of.site_key_hash}`;
  const person = `${path}/people/${encodeURIComponent(personId)}`;
  await client.callAbout(missing(personId), "DELETE", person);
}

export function personCommands(program: Command, terminal: Terminal): void {
  const person = program.command("person").description("people who sign in to the console");
  person
    .command("invite")
    .description("invite a person by email, or by a link that you give them")
    .requiredOption("--name <name>", "how colleagues see them")
    .addOption(
      choice("--role <role>", "what they can do", [
        "operator",
        "owner",
        "reviewer",
        "auditor",
      ]).makeOptionMandatory(),
    )
    .option("--email <address>", "send the invitation by email, if a mail server is configured")
    .option("--site <site...>", "the sites (domain, key or hash); not for operators")
    .option("--json", "print JSON")
    .action((flags: InviteFlags) => invite(terminal, flags));

  person
    .command("list")
    .description("list people and their roles")
    .option("--site <site>", "only people of this site")
    .option("--json", "print JSON")
    .action((flags: Flags & { site?: string }) => list(terminal, flags));

  person
    .command("link")
    .argument("<person_id>", "id from `person list`")
    .description("create a new sign-in link for somebody who lost theirs")
    .option("--reset", "also sign them out everywhere and delete their passkeys")
    .option("--json", "print JSON")
    .action(async (personId: string, { reset = false, json }: Flags & { reset?: boolean }) => {
      const client = adminClient(terminal);
      const path = `/v1/admin/people/${encodeURIComponent(personId)}/links`;
      const problem = missing(personId);
      const link = await client.callAbout<LinkBody>(problem, "POST", path, { reset });
      if (json) return terminal.out(plainJson(link));
      showLink(terminal, personId, link);
    });

  person
    .command("sessions")
    .argument("<person_id>", "id from `person list`")
    .description("list where a person is signed in")
    .option("--json", "print JSON")
    .action((personId: string, flags: Flags) => listSessions(terminal, personId, flags));

  person
    .command("sign-out")
    .argument("<person_id>", "id from `person list`")
    .argument("<session_id>", "id from `person sessions`")
    .description("sign a person out of one browser immediately, on every node")
    .option("--json", "print JSON")
    .action(async (personId: string, sessionId: string, { json }: Flags) => {
      const path = `${sessionsOf(personId)}/${encodeURIComponent(sessionId)}`;
      const problem = {
        says: `There is no session ${sessionId} of ${personId}.`,
        hint: `\`gatehouse person sessions ${personId}\` lists the sessions.`,
      };
      await adminClient(terminal).callAbout(problem, "DELETE", path);
      if (json) return terminal.out(plainJson({ session_id: sessionId, ended: true }));
      terminal.out(`Ended ${sessionId}.`);
    });

  person
    .command("remove")
    .argument("<person_id>", "id from `person list`")
    .description("remove a person and sign them out immediately, on every node")
    .option("--site <site>", "only from this site")
    .option("--json", "print JSON")
    .action(async (personId: string, { site, json }: Flags & { site?: string }) => {
      await remove(adminClient(terminal), personId, site);
      if (json) return terminal.out(plainJson({ person_id: personId, removed: true }));
      terminal.out(`Removed ${personId}.`);
    });
}
