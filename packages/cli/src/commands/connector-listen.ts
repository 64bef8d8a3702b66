import { type Command, InvalidArgumentError } from "commander";
import { failIfBroken, findingLines, secretOf } from "../connector-check/show.js";
import { CommandError, EXIT } from "../exit.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";
import { MINUTE_MS } from "../time.js";

const PORT_MAX = 65_535;
const MINUTES_MAX = 60;
/** How often it is looked whether every rule was seen. */
const LOOK_EVERY_MS = 50;

interface Flags {
  readonly secret: string;
  readonly port: number;
  readonly minutes: number;
  readonly json?: boolean;
}

const wholeNumber = (max: number) => (text: string) => {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new InvalidArgumentError(`Use a whole number from 1 to ${max}.`);
};

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Plays Gatehouse until every rule was seen, or the time is over. */
async function listen(terminal: Terminal, { port, minutes, json, ...flags }: Flags): Promise<void> {
  const secret = await secretOf(flags.secret);
  // Only here: the schemas would take every other command longer to start.
  const { ShopListener } = await import("../connector-listen/listener.js");
  const listener = new ShopListener(secret, (says) => terminal.err(plainText(says)));
  try {
    await listener.start(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new CommandError(`Port ${port} is in use.`, EXIT.failed, "Use another --port.");
  }
  terminal.err(
    `Waiting for messages to http://127.0.0.1:${port}/v1/connections/… for ${minutes} min.`,
  );
  terminal.err("Send all products, change one of them, and ship an order of Gatehouse.");
  const endsAt = performance.now() + minutes * MINUTE_MS;
  while (!listener.rules.isDone && performance.now() < endsAt) await wait(LOOK_EVERY_MS);
  listener.stop();
  const findings = listener.rules.findings();
  if (json) terminal.out(plainJson({ findings }));
  else for (const line of findings.flatMap(findingLines)) terminal.out(line);
  failIfBroken(findings);
}

export function listenCommand(connector: Command, terminal: Terminal): void {
  connector
    .command("listen")
    .description("check the messages that a shop system sends; only for a test shop")
    .requiredOption("--secret <secret>", "whsec_…, a file that contains it, or - to type it")
    .option("--port <number>", "port on this machine", wholeNumber(PORT_MAX), 8791)
    .option("--minutes <number>", "how long to wait for messages", wholeNumber(MINUTES_MAX), 10)
    .option("--json", "print JSON")
    .action((flags: Flags) => listen(terminal, flags));
}
