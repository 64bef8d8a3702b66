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

const noQuestion = (site: string, state: string) => ({
  says: "There is no such question.",
  hint: `\`gatehouse question list ${site} --state ${state}\` lists the ${state} questions.`,
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
  /** The questions to list if there is no such question. */
  readonly listed?: "answered" | "dismissed";
}

async function change(terminal: Terminal, changed: Change, asJson = false) {
  const { site, id, verb, body, listed = "answered" } = changed;
  const { client, path } = await pathTo(terminal, site, `/${encodeURIComponent(id)}/${verb}`);
  const unknown = noQuestion(site, listed);
  const question = await client.callAbout<QuestionBody>(unknown, "POST", path, body);
  const says = question.published ? "answered and published" : question.state;
  terminal.out(asJson ? plainJson(question) : says);
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

  question
    .command("restore")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<question_id>", "id from `question list --state dismissed`")
    .description("undo `question dismiss`: the question is new again")
    .option("--json", "print JSON")
    .action((site: string, id: string, { json }: { json?: boolean }) => {
      const undo = { verb: "dismiss", body: { undo: true }, listed: "dismissed" } as const;
      return change(terminal, { site, id, ...undo }, json);
    });
}
