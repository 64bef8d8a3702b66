import { lstatSync } from "node:fs";
import { StartupError } from "@gatehouse/server/installation";
import type { Command } from "commander";
import { AdminClient, adminClient } from "../admin-client.js";
import { runnable } from "../command-name.js";
import { CommandError, EXIT } from "../exit.js";
import { type SiteBody, scriptTag } from "../find-site.js";
import { type Answers, askAll, type Given } from "../init/answers.js";
import { limitSentence } from "../init/limit.js";
import { hasBrowser, openBrowser } from "../init/open-browser.js";
import { settingsOf, setUp } from "../init/set-up.js";
import { SETTINGS_FILE, writeSettings } from "../init/settings-file.js";
import type { Terminal } from "../terminal.js";
import { isThisMachine } from "../this-machine.js";
import { untilStopped } from "./serve.js";
import { howToVerify } from "./site-text.js";

/** What to do next, in the order in which it is done. */
function nextLines(
  site: SiteBody,
  { address, limit }: Answers,
  port: number,
  link: string,
): string {
  const verified = site.status === "verified";
  const trial = `gatehouse site verify ${site.domain} --method operator --reason "trying it out"`;
  const proof = verified ? [] : [howToVerify(site), `For a trial, skip the proof: ${trial}`, ""];
  const proxy = [
    `First set up a proxy on this machine, with the certificate of ${address.host}, in front of 127.0.0.1:${port}`,
    "(/docs/operations/proxy.md of the service). Agents, the console and these commands reach the service through it.",
    "",
  ];
  return [
    "",
    `${site.name} is set up. The settings are in ${SETTINGS_FILE}. To start the service again, run \`gatehouse serve\` in this folder.`,
    limitSentence(limit),
    "",
    ...(isThisMachine(address.host) ? [] : proxy),
    ...proof,
    `For its pages:  ${scriptTag(site)}`,
    `For agents:     ${site.agent_page_url}${verified ? "" : " (works after the domain is verified)"}`,
    `What is missing before agents can buy:  gatehouse site gates ${site.domain}`,
    "",
    "The service is running. Press Ctrl-C to stop it.",
    "",
    "Next, create your account and set up your shop in the console. This link works once, within an hour:",
    link,
  ].join("\n");
}

interface Options extends Given {
  readonly open?: boolean;
}

async function init(terminal: Terminal, given: Options): Promise<void> {
  if (lstatSync(SETTINGS_FILE, { throwIfNoEntry: false }) !== undefined) {
    const hint =
      "Start it with `gatehouse serve`, or add a site with `gatehouse site create`. " +
      `To change an answer, edit ${SETTINGS_FILE}.`;
    throw new CommandError(
      `This folder already has an installation: ${SETTINGS_FILE}.`,
      EXIT.usage,
      hint,
    );
  }
  const answers = await askAll(terminal, given);
  const settings = settingsOf(answers);
  // A line for each request of the setup would hide what the person has to read.
  const env = { GATEHOUSE_LOG: "warn", ...settings, ...terminal.env };
  const stopped = untilStopped(() => undefined);
  const { start } = await import("@gatehouse/server");
  const running = await start(env, (text) => terminal.out(runnable(text))).catch((error: Error) => {
    const taken =
      error instanceof StartupError &&
      error.setting === "GATEHOUSE_PORT" &&
      isThisMachine(answers.address.host);
    if (!taken) throw error;
    const hint = "Answer question 3 with another port, or stop the program that uses this one.";
    throw new CommandError(error.message.replace(/:.*/, "."), EXIT.cannotStart, hint);
  });
  try {
    const local = new URL(`http://127.0.0.1:${running.port}`);
    // Here the service is asked directly, as the proxy in front of it will ask.
    const client = new AdminClient(local.origin, adminClient({ ...terminal, env }).source, {
      "x-forwarded-proto": "https",
    });
    const site = await setUp(client, answers);
    // Last: what did not come to an end can be begun again.
    writeSettings(settings);
    const { url } = await client.call<{ url: string }>("POST", "/v1/admin/console-links", {});
    terminal.out(runnable(nextLines(site, answers, running.port, url)));
    const opens = given.open ?? (process.stdout.isTTY === true && hasBrowser(env));
    const closeBrowser = opens ? openBrowser(url, env) : () => undefined;
    await stopped.finally(closeBrowser);
  } finally {
    terminal.err("Stopping after the current requests are finished.");
    await running.stop();
  }
}

/** `init`: six questions, and a site that runs. */
export function initCommand(program: Command, terminal: Terminal): void {
  program
    .command("init")
    .description("ask six questions, set up a site from the answers, and start the service")
    .option("--domain <domain>", "1. domain of the site")
    .option("--name <name>", "2. name of the site, as agents see it")
    .option(
      "--address <url>",
      "3. address of the service; on this machine, its port is the one the service uses",
    )
    .option(
      "--limit <limit>",
      "4. amount up to which agents can buy without your approval, such as `50.00 EUR`; or ask, or never; does not limit people who pay on the payment page",
    )
    .option(
      "--timezone <zone>",
      "5. time zone for rules about hours and days, such as Europe/Berlin (default: the zone of this machine)",
    )
    .option("--sandbox", "6. connect a test payment provider that moves no money")
    .option("--no-sandbox", "6. do not connect one")
    .option("--open", "open the console in a browser (default: if this machine has a desktop)")
    .option("--no-open", "do not open a browser")
    .action((given: Options) => init(terminal, given));
}
