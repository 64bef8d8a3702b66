import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { parse } from "yaml";
import { root } from "./source.ts";

export const DEPLOY_FILES = [
  "Dockerfile",
  "compose.yaml",
  "compose.postgres.yaml",
  "Caddyfile",
  "nginx.conf",
  "kubernetes.yaml",
  "prometheus-rules.yaml",
  "hosts/render.yaml",
  "hosts/fly.toml",
  "gatehouse.service",
  "gatehouse.env.example",
  "gatehouse-command.sh",
  "healthcheck.mjs",
];

export const deployFile = (name: string, repository = root) =>
  readFileSync(join(repository, "deploy", name), "utf8");

/** A release adds the digest of an image to its tag: `scripts/release/pin.mjs`. */
const DIGEST = "(?:@sha256:[0-9a-f]{64})?";
export const NODE_IMAGE = new RegExp(`^node:24-slim${DIGEST}$`);
export const MAJOR_VERSION_IMAGE = new RegExp(`^[a-z]+:\\d+(?:\\.\\d+)*${DIGEST}$`);

type Env = Record<string, string>;

export interface Image {
  /** Images it is built from, by stage. */
  readonly from: readonly string[];
  readonly user: string;
  readonly env: Env;
  readonly volumes: readonly string[];
  /** What is run when it starts. */
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly stopSignal: string;
}

/** What the last stage of the Dockerfile says, as an engine would take it. */
export function readImage(repository = root): Image {
  const file = DockerfileParser.parse(deployFile("Dockerfile", repository));
  const instructions = file.getInstructions();
  const from = file.getFROMs().map((one) => one.getImage() ?? "");
  const last = file.getFROMs().at(-1)?.getRange()?.start.line ?? 0;
  const own = instructions.filter((one) => (one.getRange()?.start.line ?? 0) > last);
  const raw = (keyword: string) =>
    own.find((one) => one.getKeyword() === keyword)?.getRawArgumentsContent() ?? "";
  const list = (text: string) => JSON.parse(text.slice(text.indexOf("["))) as string[];
  const env = own
    .filter((one) => one.getKeyword() === "ENV")
    .flatMap((one) => one.getArguments().map((word) => word.getValue().split("=", 2)));
  return {
    from,
    user: raw("USER"),
    env: Object.fromEntries(env) as Env,
    volumes: list(raw("VOLUME")),
    command: [...list(raw("ENTRYPOINT")), ...list(raw("CMD"))],
    healthcheck: list(raw("HEALTHCHECK")),
    stopSignal: raw("STOPSIGNAL"),
  };
}

/** The instructions of the Dockerfile from its last FROM on, each with its text, and those before it. */
export function readImageSteps(): Readonly<Record<"build" | "image", readonly [string, string][]>> {
  const file = DockerfileParser.parse(deployFile("Dockerfile"));
  const last = file.getFROMs().at(-1)?.getRange()?.start.line ?? 0;
  const line = (one: Instruction) => one.getRange()?.start.line ?? 0;
  const steps = (own: readonly Instruction[]) =>
    own.map((one): [string, string] => [one.getKeyword(), one.getRawArgumentsContent() ?? ""]);
  const all = file.getInstructions();
  return {
    build: steps(all.filter((one) => line(one) < last)),
    image: steps(all.filter((one) => line(one) > last)),
  };
}

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Env;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, { ipv4_address?: string }>>;
  readonly secrets?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [key: string]: unknown;
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks?: Readonly<Record<string, { ipam?: { config: { subnet: string }[] } } | null>>;
  readonly secrets?: Readonly<Record<string, { file: string }>>;
}

/** A compose file: YAML that holds no key twice and no unknown tag. */
export function readCompose(name: string, repository = root): Compose {
  return parse(deployFile(name, repository), {
    strict: true,
    uniqueKeys: true,
    merge: true,
  }) as Compose;
}

/** What compose makes of `${NAME:?why}` and `${NAME:-other}`. */
export function interpolate(text: string, given: Env): string {
  return text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, sign: string, rest) => {
    const value = given[name] ?? "";
    if (value !== "" || sign === "-") return value === "" ? rest : value;
    throw new Error(`${name} is not set: ${rest}`);
  });
}

/** Keys and values of a systemd unit, section by section. */
export function readUnit(name: string): Readonly<Record<string, readonly [string, string][]>> {
  const sections: Record<string, [string, string][]> = {};
  let section: [string, string][] = [];
  for (const line of deployFile(name).split("\n")) {
    const header = /^\[(\w+)\]$/.exec(line);
    if (header !== null) {
      section = [];
      sections[header[1] as string] = section;
    } else if (line !== "" && !line.startsWith("#")) {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (key === undefined || value === undefined)
        throw new Error(`not a line of a unit: ${line}`);
      section.push([key, value]);
    }
  }
  return sections;
}

/** An environment file as systemd reads it. */
export function readEnvFile(text: string): Env {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
}

export interface Block {
  /** `location / `, `server`; empty for the file itself. */
  readonly name: string;
  readonly directives: readonly (readonly string[])[];
  readonly blocks: readonly Block[];
}

/** An nginx configuration: words, quoted words, `;`, `{` and `}`. */
export function readNginx(text: string): Block {
  const words = text.replace(/^\s*#.*$/gm, "").match(/"[^"]*"|[{};]|[^\s{};"]+/g) ?? [];
  const read = (name: string): Block => {
    const directives: string[][] = [];
    const blocks: Block[] = [];
    let words_: string[] = [];
    for (let word = words.shift(); word !== undefined && word !== "}"; word = words.shift()) {
      if (word === ";") directives.push(words_);
      else if (word === "{") blocks.push(read(words_.join(" ")));
      else {
        words_.push(word);
        continue;
      }
      words_ = [];
    }
    return { name, directives, blocks };
  };
  return read("");
}
