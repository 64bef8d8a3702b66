import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError, EXIT } from "../exit.js";

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is there, but takes no signals.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function takeLock(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Two runs would change each other's stock, so an endpoint is checked once at a time on this machine. */
export async function oneAtATime<T>(endpoint: URL, run: () => Promise<T>): Promise<T> {
  const digest = createHash("sha256").update(endpoint.href).digest("hex").slice(0, 16);
  const file = join(tmpdir(), `gatehouse-connector-check-${digest}.lock`);
  if (!takeLock(file)) {
    // A run that was killed leaves its file behind.
    const isStale = !isRunning(Number(readFileSync(file, "utf8")));
    if (isStale) rmSync(file, { force: true });
    if (!isStale || !takeLock(file)) {
      const hint = `Wait until it has ended, or delete ${file}.`;
      throw new CommandError("This endpoint is being checked by another run.", EXIT.failed, hint);
    }
  }
  try {
    return await run();
  } finally {
    rmSync(file, { force: true });
  }
}
