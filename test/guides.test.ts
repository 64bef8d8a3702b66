import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Block, type Command, commandsOf, type Guide, readGuide } from "./guides/blocks.ts";
import { cleanCheckout, readersFolder, writeCommands } from "./guides/checkout.ts";
import { type Ran, Reader, type SharedSetup } from "./guides/reader.ts";
import { NOT_RUN, SUBSTITUTIONS } from "./guides/tables.ts";
import { Terminal } from "./guides/terminal.ts";
import { freePort, openWorld, type World } from "./guides/world.ts";
import { root } from "./source.ts";

const OPEN_MS = 120_000;
const GUIDE_MS = 120_000;
const CURL = /\bcurl\b/;
const curlThere = spawnSync("sh", ["-c", "curl -V && openssl version | grep 'SL 3'"]).status === 0;

/** Each after the guide that it continues from. */
function inOrder(guides: readonly Guide[]): Guide[] {
  const depth = ({ follows }: Guide): number => {
    const before = guides.find(({ name }) => name === follows);
    return before === undefined ? 0 : 1 + depth(before);
  };
  return guides.toSorted((a, b) => depth(a) - depth(b));
}

const paths = [
  "README.md",
  ...readdirSync(join(root, "docs/guide")).map((name) => `docs/guide/${name}`),
];
const guides = inOrder(paths.map((path) => readGuide(root, path)));
const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-guides-"));
const checkout = join(folder, "gatehouse");
const done = { commands: 0, blocks: 0, begun: 0 };
const readers = new Map<string, Reader>();
const used = new Set<unknown>();
let world: World;
let shared: SharedSetup;

async function openSharedSetup(): Promise<SharedSetup> {
  const home = join(folder, "home");
  const commands = join(folder, "commands");
  mkdirSync(home);
  cleanCheckout(root, checkout);
  writeCommands(checkout, commands);
  const port = String(await freePort());
  const path = `${commands}:${process.env.PATH}`;
  const env = { PATH: path, HOME: home, GATEHOUSE_LOG: "silent", GATEHOUSE_PORT: port };
  const platformPort = await freePort();
  return {
    env,
    used,
    terminal: await Terminal.open(checkout, env),
    here: {
      service: `http://127.0.0.1:${port}`,
      shop: world.shop,
      platformPort,
      mail: world.mailUrl,
      stripe: world.stripe.url,
      stripeKey: world.stripe.openAccount({ restricted: true }).key,
    },
  };
}

/** A reader of a guide, where the guide says that they are. */
async function readerOf({ name, path, follows }: Guide): Promise<Reader> {
  const own = join(folder, "readers", name);
  if (follows === undefined) {
    readersFolder(checkout, own);
    return new Reader(shared, own);
  }
  const before = readers.get(follows);
  if (before === undefined) throw fault(`${path} continues from ${follows}, which failed`);
  cpSync(before.folder, own, { recursive: true, verbatimSymlinks: true });
  const reader = new Reader(shared, own, before);
  await reader.goOn();
  return reader;
}

/** What is wrong with a guide; where in here that was found helps nobody. */
function fault(text: string): Error {
  return Object.assign(new Error(text), { stack: text });
}

function failure({ at, text }: Command, { typed, code, out, err }: Ran): Error {
  const as = typed === text ? "" : `\nrun as: ${typed}`;
  return fault(`${at}: ${text}${as}\nended with ${code}\n${out}${err}`);
}

/** Runs what a block says; what was printed. */
async function runBlock(reader: Reader, block: Block): Promise<string> {
  let printed = "";
  const { commands } = done;
  for (const command of commandsOf(block)) {
    const left = NOT_RUN.find(({ begins }) => command.text.startsWith(begins));
    if (left !== undefined) {
      used.add(left);
      continue;
    }
    const ran = await reader.run(command);
    if (ran.code !== 0) throw failure(command, ran);
    printed += ran.out + ran.err;
    done.commands += 1;
  }
  if (done.commands > commands) done.blocks += 1;
  return printed;
}

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
const squeezed = (text: string) => text.replace(/\s+/g, " ").trim();

/** Whether all that a guide shows was printed; `…` stands for anything. */
function expectShown(reader: Reader, { guide, line, text }: Block, printed: string): void {
  const lines = printed.split("\n").map(squeezed);
  for (const [index, shown] of text.split("\n").entries()) {
    const parts = squeezed(reader.located(shown)).split("…").map(literally);
    const wanted = new RegExp(`^${parts.join(".*")}$`);
    if (lines.some((one) => wanted.test(one))) continue;
    throw fault(`${guide}:${line + index}: “${shown}” is not what is printed:\n${printed}`);
  }
}

async function follow(guide: Guide): Promise<void> {
  const reader = await readerOf(guide);
  const keep = ({ file = "", text }: Block) =>
    writeFileSync(join(reader.folder, file), `${reader.located(text)}\n`);
  // A program may stand behind the line that runs it.
  guide.blocks.filter(({ isProgram }) => isProgram).forEach(keep);
  let printed = "";
  for (const block of guide.blocks) {
    if (block.file !== undefined) keep(block);
    else if (block.language === "sh") printed = await runBlock(reader, block);
    else if (block.language === "text") expectShown(reader, block, printed);
  }
  readers.set(guide.name, reader);
}

describe("a reader with a clean clone", () => {
  beforeAll(async () => {
    done.begun = performance.now();
    world = await openWorld();
    shared = await openSharedSetup();
  }, OPEN_MS);
  afterAll(async () => {
    const seconds = ((performance.now() - done.begun) / 1000).toFixed(1);
    console.log(`guides: ${done.commands} commands of ${done.blocks} blocks ran in ${seconds} s`);
    shared?.terminal.close();
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.for(guides)("can follow $path", { timeout: GUIDE_MS }, async (guide, { skip }) => {
    const asksCurl = guide.blocks.some(
      ({ language, text }) => language === "sh" && CURL.test(text),
    );
    if (asksCurl && !curlThere) skip("there is no curl with OpenSSL 3 here");
    try {
      await follow(guide);
    } finally {
      await shared.terminal.stopServing();
    }
  });

  test("can follow the guides to an approved mandate", async () => {
    const after = { path: "this", name: "approved", follows: "mandates", blocks: [] };
    const reader = await readerOf(after);
    const text = "npx gatehouse mandate list shop.example.com --outcome approved --json";
    const { code, out } = await reader.run({ at: "here", text });
    await shared.terminal.stopServing();
    const skills = JSON.parse(out).items.map(({ skill }: { skill: string }) => skill);
    expect([code, skills]).toEqual([0, expect.arrayContaining(["get_pricing", "place_order"])]);
  });

  test("finds the expected output in each guide", () => {
    const silent = guides.filter(({ blocks, path }) => {
      const has = (language: string) => blocks.some((block) => block.language === language);
      return path !== "README.md" && has("sh") && !has("text");
    });
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test("follows the guides with only the listed exceptions, all of which are used", () => {
    const unused = [...NOT_RUN, ...SUBSTITUTIONS].filter((one) => !used.has(one));
    expect(unused).toEqual([]);
  });
});
