import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { CommandError, EXIT } from "../exit.js";

/** A package of its own: its agents use libraries nobody needs who only serves. */
const PACKAGE: string = "@gatehouse/demo";
/** As far from here in `src` as in what was built of it. */
const BIN = fileURLToPath(new URL("../../bin/gatehouse.js", import.meta.url));

interface Demo {
  demo(options: {
    readonly bin: string;
    readonly once: boolean;
    readonly port: number | undefined;
  }): Promise<void>;
}

async function loadDemo(): Promise<Demo> {
  try {
    return (await import(PACKAGE)) as Demo;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const absent = code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${PACKAGE}'`);
    if (!absent) throw error;
    const hint = `Install it next to this command: npm install ${PACKAGE}`;
    throw new CommandError("The demo is not installed.", EXIT.cannotStart, hint);
  }
}

const PORT_MAX = 65_535;

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= PORT_MAX) return port;
  throw new CommandError(
    `${text} is not a port.`,
    EXIT.usage,
    `Use a number from 1 to ${PORT_MAX}.`,
  );
}

/** `demo`: the whole product, on a throw-away installation. */
export function demoCommand(program: Command): void {
  program
    .command("demo")
    .description("tour the product on a temporary installation, with every step explained")
    .option("--once", "stop at the end of the tour instead of continuing to serve")
    .option("--port <number>", "the port of the service; 8787 if it is free", readPort)
    .action(async ({ once = false, port }: { once?: boolean; port?: number }) => {
      const { demo } = await loadDemo();
      try {
        await demo({ bin: BIN, once, port });
      } catch (error) {
        const hint =
          "Run it again. If it keeps failing, check this machine with `gatehouse doctor`.";
        throw new CommandError((error as Error).message, EXIT.failed, hint);
      }
    });
}
