import { parseUrl } from "../url.js";
import { DIRECTORY_PATH } from "../web-bot-auth/signature-agent.js";

/** An agent that says who it is in its requests. */
export interface KnownAgent {
  /** As it calls itself in `User-Agent`. */
  readonly name: string;
  readonly operator: string;
  /** Where its operator says what it does; absent where no page is known. */
  readonly docs?: string;
}

/** When the table below was last compared with what operators publish. */
export const KNOWN_AGENTS_DATE = "2026-11-15";

const OPENAI = "https://platform.openai.com/docs/bots";
const ANTHROPIC = "https://support.claude.com/en/articles/8896518";
const PERPLEXITY = "https://docs.perplexity.ai/guides/bots";
const GOOGLE =
  "https://developers.google.com/search/docs/crawling-indexing/overview-google-crawlers";
const META = "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers";

function agent(name: string, operator: string, docs?: string): KnownAgent {
  return Object.freeze(docs === undefined ? { name, operator } : { name, operator, docs });
}

/**
 * Agents by the word they declare themselves with. A name that holds another one comes first.
 *
 * @example
 * KNOWN_AGENTS.find((one) => one.name === "GPTBot")?.operator; //=> "OpenAI"
 */
export const KNOWN_AGENTS: readonly KnownAgent[] = Object.freeze([
  agent("GPTBot", "OpenAI", OPENAI),
  agent("ChatGPT-User", "OpenAI", OPENAI),
  agent("OAI-SearchBot", "OpenAI", OPENAI),
  agent("ClaudeBot", "Anthropic", ANTHROPIC),
  agent("Claude-User", "Anthropic", ANTHROPIC),
  agent("Claude-SearchBot", "Anthropic", ANTHROPIC),
  agent("Claude-Web", "Anthropic", ANTHROPIC),
  agent("anthropic-ai", "Anthropic", ANTHROPIC),
  agent("PerplexityBot", "Perplexity", PERPLEXITY),
  agent("Perplexity-User", "Perplexity", PERPLEXITY),
  agent("Google-CloudVertexBot", "Google", GOOGLE),
  agent("Google-NotebookLM", "Google", GOOGLE),
  agent("Google-Agent", "Google", GOOGLE),
  agent("GoogleOther", "Google", GOOGLE),
  agent("Googlebot", "Google", GOOGLE),
  agent(
    "bingbot",
    "Microsoft",
    "https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
  ),
  agent("Applebot", "Apple", "https://support.apple.com/en-us/119829"),
  agent("Amazonbot", "Amazon", "https://developer.amazon.com/amazonbot"),
  agent("NovaAct", "Amazon"),
  agent("meta-externalagent", "Meta", META),
  agent("meta-externalfetcher", "Meta", META),
  agent("FacebookBot", "Meta", META),
  agent("Bytespider", "ByteDance"),
  agent("CCBot", "Common Crawl", "https://commoncrawl.org/ccbot"),
  agent(
    "DuckAssistBot",
    "DuckDuckGo",
    "https://duckduckgo.com/duckduckgo-help-pages/results/duckassistbot",
  ),
  agent("MistralAI-User", "Mistral", "https://docs.mistral.ai/robots"),
  agent("cohere-ai", "Cohere"),
  agent("cohere-training-data-crawler", "Cohere"),
  agent("YouBot", "You.com", "https://about.you.com/youbot/"),
  agent("PetalBot", "Huawei", "https://webmaster.petalsearch.com/site/petalbot"),
  agent("Diffbot", "Diffbot", "https://docs.diffbot.com"),
  agent("AI2Bot", "Allen Institute for AI", "https://allenai.org/crawler"),
  agent("Timpibot", "Timpi"),
  agent("Manus-User", "Manus"),
  agent("Devin", "Cognition"),
]);

const byName = new Map(KNOWN_AGENTS.map((one) => [one.name.toLowerCase(), one]));
const escaped = KNOWN_AGENTS.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
/** A whole word: `MyGPTBotHunter` is somebody else. */
const DECLARED = new RegExp(`(?<![A-Za-z0-9])(${escaped.join("|")})(?![A-Za-z0-9])`, "i");

/**
 * The agent a `User-Agent` declares; undefined where it declares none that is known.
 *
 * @example
 * declaredAgent("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)")?.name; //=> "GPTBot"
 * declaredAgent("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"); //=> undefined
 */
export function declaredAgent(userAgent: string): KnownAgent | undefined {
  const [, name] = DECLARED.exec(userAgent) ?? [];
  return name === undefined ? undefined : byName.get(name.toLowerCase());
}

/** Agents that sign their requests, by the origin their keys stand at. */
const SIGNERS: ReadonlyMap<string, KnownAgent> = new Map([
  [
    "https://chatgpt.com",
    agent("ChatGPT agent", "OpenAI", "https://help.openai.com/en/articles/11845367"),
  ],
  ["https://shopify.com", agent("Shopify", "Shopify")],
]);

/**
 * The agent whose keys stand at an address. One that is not known is called by its host, or by the
 * file its keys are in: that much is proven, and nothing else it says of itself is.
 *
 * @example
 * signingAgent("https://chatgpt.com/.well-known/http-message-signatures-directory").operator; //=> "OpenAI"
 * signingAgent("https://agent.example/keys.json").name; //=> "agent.example/keys.json"
 */
export function signingAgent(agentUrl: string): KnownAgent {
  const url = parseUrl(agentUrl);
  if (url === undefined) return agent(agentUrl, agentUrl);
  // A host speaks for itself at one address only; elsewhere somebody else may have put a file.
  const own = url.pathname === DIRECTORY_PATH;
  const name = own ? url.host : url.host + url.pathname;
  return (own ? SIGNERS.get(url.origin) : undefined) ?? agent(name, url.host);
}

/**
 * An agent's name in the table's own spelling, however somebody wrote it; any other name as it is.
 *
 * @example
 * knownAgentName("claudebot (Anthropic)"); //=> "ClaudeBot"
 * knownAgentName("agent.example"); //=> "agent.example"
 */
export function knownAgentName(name: string): string {
  const bare = name.replace(/ \([^()]*\)$/, "").trim();
  const signer = [...SIGNERS.values()].find((one) => one.name.toLowerCase() === bare.toLowerCase());
  return (byName.get(bare.toLowerCase()) ?? signer)?.name ?? bare;
}

/**
 * Whether a name is one of the table's, so that counts by name stay few.
 *
 * @example
 * isKnownAgent("GPTBot"); //=> true
 * isKnownAgent("agent.example"); //=> false
 */
export function isKnownAgent(name: string): boolean {
  return byName.has(name.toLowerCase()) || [...SIGNERS.values()].some((one) => one.name === name);
}
