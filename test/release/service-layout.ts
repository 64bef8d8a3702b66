import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { root } from "../source.ts";
import { shellBlocks } from "./old-release.ts";
import { entering, makeRootFolder, PATH } from "./root-folder.ts";
import {
  type Finished,
  finish,
  type Layout,
  RELEASE_FILE,
  type Start,
  settingsOf,
  untilAnswering,
  upgradeBlocks,
} from "./upgrade-layouts.ts";

const DOCTOR = "sudo -u gatehouse gatehouse doctor\n";
const START = "sudo systemctl start gatehouse\n";
const FOLDERS = ["run", "etc/systemd/system", "usr/local/sbin", "home/files"];

/** Programs that a small root folder does not have, or that must not do what they do. */
const PROGRAMS = {
  sudo: `if [ "$1" = -u ]; then
  user=$2
  shift 2
  exec setpriv --reuid="$user" --regid="$user" --init-groups "$@"
fi
exec "$@"`,
  useradd: `echo gatehouse:x:990:990::/var/lib/gatehouse:/bin/sh >> /etc/passwd
echo gatehouse:x:990: >> /etc/group`,
  // The checkout is installed and built already.
  npm: "",
  systemctl: 'exec node /usr/local/sbin/systemctl.mjs "$@"',
};

/** As the unit of deploy/ runs it, in a root folder of its own. */
export class ServiceLayout implements Layout {
  readonly url: string;
  readonly files: Layout["files"];
  private readonly start: Start;
  private readonly folder = makeRootFolder({});

  constructor(start: Start) {
    this.start = start;
    this.url = `http://127.0.0.1:${start.port}`;
    this.files = { inside: "/home/files", outside: join(this.folder, "home/files") };
  }

  private log(): string {
    const file = join(this.folder, "run/gatehouse.log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  private inside(...words: string[]): Promise<Finished> {
    return finish([...entering(this.folder, {}), ...words], "/", { PATH });
  }

  /** Runs a block of a document as the operator, beside the release file. */
  private async run(block: string | undefined): Promise<void> {
    const { code, out, err } = await this.inside("sh", "-ec", `cd /root\n${block ?? "false"}`);
    if (code !== 0) throw new Error(`${block}\nended with ${code}: ${out}${err}${this.log()}`);
  }

  private untilReady(): Promise<void> {
    return untilAnswering(this.url, () => this.log());
  }

  private writeSettings(text: string): void {
    writeFileSync(join(this.folder, "etc/gatehouse/gatehouse.env"), text);
  }

  gatehouse(...words: string[]): Promise<Finished> {
    return this.inside("sudo", "-u", "gatehouse", "gatehouse", ...words);
  }

  private prepare(): void {
    const { old, released } = this.start;
    for (const name of FOLDERS) mkdirSync(join(this.folder, name), { recursive: true });
    chmodSync(this.files.outside, 0o777);
    const sbin = join(this.folder, "usr/local/sbin");
    for (const [name, text] of Object.entries(PROGRAMS)) {
      writeFileSync(join(sbin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    copyFileSync(join(root, "test/release/systemctl.mjs"), join(sbin, "systemctl.mjs"));
    execFileSync("cp", ["-al", old, join(this.folder, "opt/gatehouse")]);
    copyFileSync(join(released, RELEASE_FILE), join(this.folder, "root", RELEASE_FILE));
  }

  async begin(): Promise<void> {
    this.prepare();
    const document = join(this.start.old, "docs/operations/one-machine.md");
    const [install, enable = ""] = shellBlocks(document, "As a service");
    await this.run(install);
    this.writeSettings(settingsOf(this.start));
    // That page ran doctor at once, and doctor finds no database until the service is ready.
    await this.run(enable.replace(DOCTOR, ""));
    await this.untilReady();
    await this.run(DOCTOR);
  }

  async upgrade(): Promise<void> {
    const [install, check] = upgradeBlocks("As a service");
    await this.run(install);
    await this.untilReady();
    await this.run(check);
  }

  async goBackByCopy(): Promise<void> {
    await this.run(upgradeBlocks("With the copy of an SQLite file")[0]);
    await this.run(upgradeBlocks("Start the older version")[0]);
    await this.untilReady();
  }

  async goBackByBackup(database: string): Promise<void> {
    const [older = ""] = upgradeBlocks("Start the older version");
    if (!older.endsWith(START)) throw new Error("the older version is not started last");
    await this.run(`sudo systemctl stop gatehouse\n${older.slice(0, -START.length)}`);
    const restored = { GATEHOUSE_DATA_DIR: "/var/lib/gatehouse/restored" };
    this.writeSettings(settingsOf({ ...this.start, database }, restored));
    await this.run(upgradeBlocks("With the backup")[0]);
    await this.run(START);
    await this.untilReady();
  }

  async restart(): Promise<void> {
    await this.run(`sudo systemctl stop gatehouse\n${START}`);
    await this.untilReady();
  }

  async end(): Promise<void> {
    await this.run("systemctl stop gatehouse").catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
