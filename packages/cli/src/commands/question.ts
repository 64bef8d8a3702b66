import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { findSite } from "../find-site.js";
import { plainJson, type Terminal, table } from "../terminal.js";

const STATES = ["new", "answered", "dismissed"];

interface QuestionBody {
  readonly question_id: string;
  readonly skill: string;
  readonly question: string;
  readonly times_asked: number;
  readonly last_asked_at: string;
  readonly state: string;
  readonly answer: string | null;
  readonly published: boolean;
}

const noQuestion = (site: string) => ({
  says: "There is no such question.",
  hint: `\`gatehouse question list ${site} --state answered\` lists the answered questions.`,
});

async function pathTo(terminal: Terminal, site: string, rest: string) {
  const client = adminClient(terminal);
  const { site_key_hash } = await findSite(client, site);
  return { client, path: `/v1/admin/sites/${site_key_hash}/questions${rest}` };
}

interface ListFlags {
  readonly state: string;
  readonly json?: boolean;
}

async function list(terminal: Terminal, site: string, { state, json }: ListFlags) {
  const { client, path } = await pathTo(terminal, site, `?limit=200&state=${state}`);
  const items: QuestionBody[] = [];
  for await (const one of client.pages<QuestionBody>(path)) items.push(one);
  if (json) return terminal.out(plainJson({ items }));
  const rows = items.map((one) => ({
    question_id: one.question_id,
    skill: one.skill,
    asked: `${one.times_asked} ×`,
    last: one.last_asked_at,
    question: one.question,
    ...(one.answer === null ? {} : { answer: one.answer, published: one.published ? "yes" : "no" }),
  }));
  terminal.out(table(rows, `There are no questions with the state ${state}.`));
}

interface Change {
  readonly site: string;
  readonly id: string;
  readonly verb: "answer" | "dismiss";
  readonly body: object;
}

async function change(terminal: Terminal, { site, id, verb, body }: Change, asJson = false) {
  const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}/${verb}`);
  const changed = await client.callAbout<QuestionBody>(noQuestion(site), "POST", path, body);
  const says = changed.published ? "answered and published" : changed.state;
  terminal.out(asJson ? plainJson(changed) : says);
}

interface AnswerFlags {
  readonly publish?: boolean;
  readonly json?: boolean;
}

export function questionCommands(program: Command, terminal: Terminal): void {
  const question = program.command("question").description("questions from agents");
  question
    .command("list")
    .argument("<site>", "domain, site key or site key hash")
    .description("list questions that agents asked through actions")
    .addOption(choice("--state <state>", "list questions with this state", STATES).default("new"))
    .option("--json", "print JSON")
    .action((site: string, flags: ListFlags) => list(terminal, site, flags));

  question
    .command("answer")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<question_id>", "id from `question list`")
    .argument("<answer>", "your answer, at most 1,000 characters")
    .description("answer a question, or replace your answer")
    .option(
      "--publish",
      "give the answer to agents that ask the same, and show both on the agent page",
    )
    .option("--json", "print JSON")
    .action((site: string, id: string, answer: string, { publish, json }: AnswerFlags) =>
      change(terminal, { site, id, verb: "answer", body: { answer, publish } }, json),
    );

  question
    .command("dismiss")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<question_id>", "id from `question list`")
    .description("set a question aside without an answer")
    .option("--json", "print JSON")
    .action((site: string, id: string, { json }: { json?: boolean }) =>
      change(terminal, { site, id, verb: "dismiss", body: {} }, json),
    );
}
