import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

type Environment = Readonly<Record<string, string | undefined>>;

/** How each system opens a page. On Linux only where there is a desktop. */
function opener(env: Environment): readonly [command: string, ...args: string[]] | undefined {
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  const hasDesktop = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasDesktop ? ["xdg-open"] : undefined;
}

/** Whether a person sits at this machine, and not at the other end of a connection. */
export function hasBrowser(env: Environment): boolean {
  return !env.SSH_CONNECTION && !env.CI && opener(env) !== undefined;
}

/**
 * Opens a link in the person's browser, and returns what removes the traces. The link holds a secret, and everybody
 * on this machine can read the arguments of a program. So the browser is given a file that only this person can read,
 * and the file leads to the link.
 */
export function openBrowser(link: string, env: Environment): () => void {
  const [command, ...args] = opener(env) ?? [];
  if (command === undefined) return () => undefined;
  // Below the folder of the installation: some browsers may not read the folder for temporary files.
  const folder = mkdtempSync(join(process.cwd(), "open-console-"));
  const file = join(folder, "index.html");
  const address = link.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const page = `<!doctype html><title>Gatehouse</title><meta http-equiv="refresh" content="0;url=${address}">\n`;
  writeFileSync(file, page, { mode: 0o600 });
  const child = spawn(command, [...args, pathToFileURL(file).href], {
    detached: true,
    env: { ...process.env, ...env },
    stdio: "ignore",
  });
  // The link is printed too: a machine without a browser is no failure.
  child.once("error", () => undefined);
  child.unref();
  return () => rmSync(folder, { recursive: true, force: true });
}
