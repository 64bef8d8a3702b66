import { type Api, call as callService, type Page } from "../api/client.js";
import type { Site } from "../layout/sites.js";
import { wordsIn } from "../ui/words.js";

/** How many actions one question may call, besides the search. */
const ACTIONS_MAX = 2;
const SEARCH = "search_catalog";

/** Words that say nothing about what is wanted. An agent would leave them out of a search too. */
const FILLERS: ReadonlySet<string> = new Set(
  "auf aus bei bitte brauche das dein dem den der des die du ein eine einen einer euch euer eure für gibt habe haben habt hast hat ich ihr im in ist kann kannst kaufen kosten kostet könnt man mein mich mir mit nach oder preis preise sind und uns verkauft vom von was welche wie wieviel wir zu zum zur à au avec combien de des du en est et il je la le les pour prix quel quelle sur un une vous el los las cuánto cuesta hay precio qué tiene usted che costa il lo quanto un una a am an and any are at be buy can cost costs could do does for get have how i in is it me much my need of on one or please price prices sell show some tell that the there these this to want was what when where which who with would you your".split(
    " ",
  ),
);

interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly inputSchema?: { readonly properties?: Readonly<Record<string, unknown>> };
}

interface Amount {
  readonly amount: number;
  readonly currency: string;
}

export interface FoundProduct {
  readonly id: string;
  readonly title: string;
  readonly price_range?: { readonly min: Amount; readonly max: Amount };
}

export interface ToolAnswer {
  readonly tool: string;
  readonly sent: unknown;
  readonly products?: readonly FoundProduct[];
  /** The owner's published answer to this question. */
  readonly answer?: string;
  readonly text: string;
  readonly failed: boolean;
}

interface CallResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: {
    readonly products?: readonly FoundProduct[];
    readonly answer?: string;
  };
  readonly isError?: boolean;
}

/** One call of the shop's MCP server, like any client on the internet makes it. */
async function ask<Result>({ site_key }: Site, method: string, params: unknown): Promise<Result> {
  const response = await fetch(`/v1/mcp/${site_key}`, {
    method: "POST",
    // An agent does not have the session of the person at this page.
    credentials: "omit",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as {
    result?: Result;
    error?: { message: string };
  };
  if (result === undefined) throw new Error(error?.message ?? `Status ${response.status}`);
  return result;
}

/** The words of a question that a search can find something with. */
function searchWords(question: string): string {
  return wordsIn(question.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu, " "))
    .filter((word) => !FILLERS.has(word))
    .join(" ");
}

const ANSWERED_MAX = 200;
const plain = (question: string) =>
  wordsIn(question.toLowerCase().replace(/[?!.]+$/, "")).join(" ");

/** The actions with a published answer to this question. Not everybody may read the questions. */
async function answeredBy({ site_key_hash }: Site, question: string): Promise<readonly string[]> {
  const path = `/v1/admin/sites/${site_key_hash}/questions?state=answered&limit=${ANSWERED_MAX}`;
  const page = await callService<Page<Api["Question"]>>("GET", path).catch(() => undefined);
  return (page?.items ?? [])
    .filter((one) => one.published && plain(one.question) === plain(question))
    .map(({ skill }) => skill);
}

/** Actions that take a question: those with an answer to it, or that share a word with it. */
function actionsFor(question: string, tools: readonly Tool[], answered: readonly string[]) {
  const words = new Set(wordsIn(question.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu, " ")));
  const withQuestion = tools.filter(
    ({ inputSchema }) => inputSchema?.properties?.question !== undefined,
  );
  const matching = withQuestion.filter(({ name, title }) =>
    wordsIn(`${name.replaceAll("_", " ")} ${title ?? ""}`.toLowerCase()).some(
      (word) => words.has(word) && !FILLERS.has(word),
    ),
  );
  const first = withQuestion.filter(({ name }) => answered.includes(name));
  return {
    matching: [...new Set([...first, ...matching])].slice(0, ACTIONS_MAX),
    any: withQuestion.slice(0, 1),
  };
}

/** What the search finds, as an agent gets it. */
async function searched(site: Site, question: string): Promise<ToolAnswer> {
  const sent = { catalog: { query: searchWords(question) } };
  const params = { name: SEARCH, arguments: sent };
  return answerOf(SEARCH, sent, await ask<CallResult>(site, "tools/call", params));
}

async function askAction(site: Site, name: string, question: string): Promise<ToolAnswer> {
  const sent = { question };
  const params = { name, arguments: sent };
  return answerOf(name, sent, await ask<CallResult>(site, "tools/call", params));
}

function answerOf(tool: string, sent: unknown, result: CallResult): ToolAnswer {
  const { products, answer } = result.structuredContent ?? {};
  return {
    tool,
    sent,
    failed: result.isError === true,
    ...(products === undefined ? {} : { products }),
    ...(answer === undefined ? {} : { answer }),
    text: (result.content ?? []).map(({ text = "" }) => text).join("\n"),
  };
}

/** Whether an agent learns something from an answer: products, or the words of the owner. */
export const isAnswer = ({ products = [], answer }: ToolAnswer) =>
  products.length > 0 || answer !== undefined;

/** Whether an action received the question. Then it is under Questions. */
export const hasArrived = ({ tool, failed }: ToolAnswer) => tool !== SEARCH && !failed;

/** Asks the shop's own tools, and returns what an agent would get. */
export async function askShop(site: Site, question: string): Promise<readonly ToolAnswer[]> {
  const { tools } = await ask<{ tools: readonly Tool[] }>(site, "tools/list", {});
  const { matching, any } = actionsFor(question, tools, await answeredBy(site, question));
  const canSearch = tools.some(({ name }) => name === SEARCH);
  const searches = canSearch ? [await searched(site, question)] : [];
  // An agent that finds nothing asks some action, and so the question reaches the owner.
  const actions = matching.length > 0 || searches.some(isAnswer) ? matching : any;
  const answers = await Promise.all(actions.map(({ name }) => askAction(site, name, question)));
  // What answers the question comes first.
  return [...searches, ...answers].toSorted((a, b) => Number(isAnswer(b)) - Number(isAnswer(a)));
}
