import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  type AuditReport,
  type AuditTrust,
  type Checkpoint,
  type Ed25519Jwk,
  exportVerifier,
  verifyCheckpoint,
} from "@gatehouse/protocol";
import { expect } from "vitest";

const QUESTIONS = ["integrity", "completeness", "anchoring"] as const;
type Question = (typeof QUESTIONS)[number];

/** Per question: whether it holds, or the record that was named; "fails" where none is to be named. */
export type Verdict = Record<Question, number | "holds" | "fails" | "not checked">;

/** A verdict in which all holds but what is named. While integrity fails, nothing else can hold. */
export const verdict = (but: Partial<Verdict> = {}): Verdict => ({
  integrity: "holds",
  completeness: (but.integrity ?? "holds") === "holds" ? "holds" : "not checked",
  anchoring: "not checked",
  ...but,
});

const fails = (found: Verdict) =>
  Object.values(found).some((one) => typeof one === "number" || one === "fails");

/** What an auditor gives a verifier besides the keys. */
export interface Given {
  readonly files: readonly string[];
  /** Checkpoints kept from before. */
  readonly pins?: readonly string[];
}

export type KeySet = ReadonlyMap<string, Ed25519Jwk>;

/** Judges an export, with keys from elsewhere. */
export type Judge = (given: Given, keys: KeySet) => Promise<Verdict>;

/** Files with many records are verified with Node's own functions, as the command line does. */
const LONG_FILE_CHARS = 100_000;
const publicKeys = new Map<string, KeyObject>();
/** Cases are made of the same long log: whether a key signed these very bytes is asked once. */
const asked = new Map<string, boolean>();
const sha256 = (...data: readonly (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const bytes of data) hash.update(bytes);
  return hash.digest();
};
const FAST: Pick<AuditTrust, "hash" | "verify"> = {
  hash: (data) => sha256(data),
  verify: (jwk, message, signature) => {
    const question = `${jwk.x} ${sha256(sha256(message), sha256(signature)).toString("hex")}`;
    const answered = asked.get(question);
    if (answered !== undefined) return answered;
    const known = publicKeys.get(jwk.x) ?? createPublicKey({ key: { ...jwk }, format: "jwk" });
    publicKeys.set(jwk.x, known);
    const answer = verify(null, message, known, signature);
    asked.set(question, answer);
    return answer;
  },
};

async function readPins(pins: readonly string[], keys: KeySet): Promise<Checkpoint[] | undefined> {
  const read = await Promise.all(pins.map((pin) => verifyCheckpoint(pin, keys.values())));
  const held = read.flatMap((pin) => (pin.ok ? [pin.value] : []));
  return held.length === pins.length ? held : undefined;
}

/** What our verifier reports of parts that it can read. */
export async function reportOn(
  files: readonly string[],
  trust: Partial<AuditTrust> & Pick<AuditTrust, "keys">,
): Promise<AuditReport & { readonly refused: boolean }> {
  const long = files.some(({ length }) => length > LONG_FILE_CHARS);
  const verifier = exportVerifier({ pins: [], replay: false, ...(long && FAST), ...trust });
  let refused = false;
  for (const file of files) refused = !(await verifier.add(file)).ok || refused;
  return { ...verifier.report(), refused };
}

/** Our verifier, as the command line, the console and HTML exports use it. */
export const ours: Judge = async ({ files, pins: notes = [] }, keys) => {
  const pins = await readPins(notes, keys);
  const { refused, ...report } = await reportOn(files, { keys, pins: pins ?? [] });
  const answerTo = (question: Question) => {
    // A file or a checkpoint that it refuses to read stops the command; here it is a failure.
    if (question === "integrity" && refused) return "fails";
    if (question === "anchoring" && pins === undefined) return "fails";
    const { verdict: word } = report.answers[question];
    if (refused && word === "holds") return "not checked";
    if (word !== "fails") return word === "holds" ? word : "not checked";
    return report.findings.find(({ about }) => about === question)?.seq ?? "fails";
  };
  const found = Object.fromEntries(QUESTIONS.map((one) => [one, answerTo(one)])) as Verdict;
  if (!refused && pins !== undefined) expect(report.ok).toBe(!fails(found));
  return found;
};

/** Whether the program of the guide can run here. */
export const pythonThere = spawnSync("python3", ["-c", "import cryptography"]).status === 0;

const guide = fileURLToPath(new URL("../../docs/guide/audit.md", import.meta.url));

/** The program of the guide, exactly as a reader would copy it. */
export function programOfGuide(): string {
  const [, code] = /\n```python\n([\s\S]*?)```\n/.exec(readFileSync(guide, "utf8")) ?? [];
  if (code === undefined) throw new Error("the guide has no program in Python");
  return code;
}

/** Runs `main` once for each line of arguments: Python takes longer to start than most cases take. */
const RUNNER = `
import contextlib, io, json, sys, verify_audit
for line in sys.stdin:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = verify_audit.main(json.loads(line))
    print(json.dumps({"code": code, "said": said.getvalue()}), flush=True)
`;

export interface Ran {
  readonly code: number;
  readonly said: string;
}

function verdictIn({ code, said }: Ran): Verdict {
  const answers = QUESTIONS.map((question) => {
    const line = new RegExp(`^${question}: (ok|not checked|FAILS)(?: at record (\\d+))?`, "m");
    const [, word, seq] = line.exec(said) ?? [];
    if (word === "ok") return [question, "holds"];
    return [question, word === "FAILS" ? (seq === undefined ? "fails" : Number(seq)) : word];
  });
  const found = Object.fromEntries(answers) as Verdict;
  expect(code).toBe(fails(found) ? 1 : 0);
  return found;
}

/** The program of the guide in a folder of its own. */
export class PythonProgram {
  private readonly folder = mkdtempSync(join(tmpdir(), "gatehouse-tamper-"));
  private child: ChildProcess | undefined;
  private readonly waiting: ((ran: Ran | Error) => void)[] = [];
  private written = 0;

  constructor() {
    writeFileSync(join(this.folder, "verify_audit.py"), programOfGuide());
  }

  private write(name: string, text: string): string {
    const file = join(this.folder, `${this.written++}-${name}`);
    writeFileSync(file, text);
    return file;
  }

  private argumentsFor({ files, pins = [] }: Given, keys: KeySet): string[] {
    const jwks = [...keys].map(([kid, jwk]) => ({ ...jwk, alg: "EdDSA", use: "sig", kid }));
    const keySet = this.write("audit-jwks.json", JSON.stringify({ keys: jwks }));
    const notes = pins.map((note) => this.write("note.txt", note));
    const parts = files.map((file) => this.write("part.json", file));
    return ["--key", keySet, ...notes.flatMap((note) => ["--checkpoint", note]), ...parts];
  }

  private start(): ChildProcess {
    const child = spawn("python3", ["-c", RUNNER], {
      cwd: this.folder,
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface(child.stdout).on("line", (line) => this.waiting.shift()?.(JSON.parse(line)));
    child.on("exit", () => {
      for (const tell of this.waiting.splice(0)) tell(new Error("the program broke off"));
      this.child = undefined;
    });
    return child;
  }

  readonly judge: Judge = async (given, keys) => {
    this.child ??= this.start();
    const line = `${JSON.stringify(this.argumentsFor(given, keys))}\n`;
    const ran = await new Promise<Ran>((resolve, reject) => {
      this.waiting.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      this.child?.stdin?.write(line);
    });
    return verdictIn(ran);
  };

  /** As an auditor would: a process for itself, with an exit code. */
  run(given: Given, keys: KeySet): Promise<Ran> {
    const args = [join(this.folder, "verify_audit.py"), ...this.argumentsFor(given, keys)];
    return new Promise((resolve) => {
      execFile("python3", args, (error, said) => {
        resolve({ code: error === null ? 0 : Number(error.code), said });
      });
    });
  }

  /** What it says on its error output when the key set is this file. */
  runWithKeys(file: string): Promise<string> {
    const args = [join(this.folder, "verify_audit.py"), "--key", file, "part.json"];
    return new Promise((resolve) => {
      execFile("python3", args, (_error, _said, err) => resolve(err));
    });
  }

  stop(): void {
    this.child?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
