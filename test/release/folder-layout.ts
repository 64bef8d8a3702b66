import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERSION } from "../../packages/server/src/version.ts";
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

/** What `npx gatehouse` starts. It takes a second less, and gets the signal to stop. */
const COMMAND = "node_modules/.bin/gatehouse";

/** In folders beside each other, started by hand. */
export class FolderLayout implements Layout {
  readonly url: string;
  readonly files: Layout["files"];
  private readonly start: Start;
  private readonly work = mkdtempSync(join(tmpdir(), "gatehouse-upgrade-"));
  private readonly oldFolder = join(this.work, "gatehouse");
  private readonly newFolder = join(this.work, `gatehouse-${VERSION}`);
  private readonly env = { PATH: process.env.PATH, HOME: this.work };
  private current = this.oldFolder;
  private stop = async () => {};

  constructor(start: Start) {
    this.start = start;
    this.url = `http://127.0.0.1:${start.port}`;
    this.files = { inside: join(this.work, "files"), outside: join(this.work, "files") };
  }

  private async run(block: string | undefined, cwd: string): Promise<void> {
    const { code, out, err } = await finish(["sh", "-ec", block ?? "false"], cwd, this.env);
    if (code !== 0) throw new Error(`${block}\nended with ${code}: ${out}${err}`);
  }

  private async serve(cwd: string): Promise<void> {
    this.current = cwd;
    const options = { cwd, env: this.env, stdio: ["ignore", "pipe", "pipe"] } as const;
    const child = spawn(join(cwd, COMMAND), ["serve"], { ...options, stdio: [...options.stdio] });
    let log = "";
    const hear = (text: Buffer) => {
      log += text;
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    this.stop = async () => {
      if (child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      const code = await ended;
      if (code !== 0) throw new Error(`the service ended with ${code}: ${log}`);
    };
    await untilAnswering(this.url, () => log);
  }

  gatehouse(...words: string[]): Promise<Finished> {
    return finish([join(this.current, COMMAND), ...words], this.current, this.env);
  }

  private writeSettings(text: string): void {
    writeFileSync(join(this.oldFolder, "gatehouse.env"), text, { mode: 0o600 });
  }

  async begin(): Promise<void> {
    const { old, released } = this.start;
    execFileSync("cp", ["-al", old, this.oldFolder]);
    mkdirSync(this.files.outside);
    copyFileSync(join(released, RELEASE_FILE), join(this.work, RELEASE_FILE));
    this.writeSettings(settingsOf(this.start));
    await this.serve(this.oldFolder);
  }

  async upgrade(): Promise<void> {
    const [backup, install] = upgradeBlocks("In a folder");
    await this.run(backup, this.oldFolder);
    await this.stop();
    await this.run(install, this.oldFolder);
    await this.serve(this.newFolder);
  }

  async goBackByCopy(): Promise<void> {
    await this.stop();
    await this.run(upgradeBlocks("With the copy of an SQLite file")[1], this.newFolder);
    await this.serve(this.oldFolder);
  }

  async goBackByBackup(database: string): Promise<void> {
    await this.stop();
    const restored = { GATEHOUSE_DATA_DIR: "./restored" };
    this.writeSettings(settingsOf({ ...this.start, database }, restored));
    await this.run(upgradeBlocks("With the backup")[1], this.oldFolder);
    await this.serve(this.oldFolder);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.serve(this.current);
  }

  async end(): Promise<void> {
    await this.stop().catch(() => undefined);
    rmSync(this.work, { recursive: true, force: true });
  }
}
