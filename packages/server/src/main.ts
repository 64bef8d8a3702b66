import { createApp } from "./app.js";
import { type Environment, readConfig } from "./config/config.js";
import { createContext } from "./context.js";
import { exitOnFailure } from "./exit-on-failure.js";
import { listen } from "./http/server/server.js";
import { systemClock } from "./infra/clock.js";
import { planJobs } from "./jobs.js";
import { startupLines } from "./startup-lines.js";

export interface Running {
  readonly port: number;
  reloadTls(): void;
  stop(): Promise<void>;
}

/**
 * Environment → config → port → context → serve. The port is taken first, so that a busy one is
 * noticed before anything is written.
 */
export async function start(env: Environment, print: (text: string) => void): Promise<Running> {
  const first = readConfig(env);
  const listener = await listen({ ...first, clock: systemClock });
  try {
    // Port 0 asks for any free one; the public address is then made from the one we got.
    const config = readConfig({ ...env, GATEHOUSE_PORT: String(listener.port) });
    const context = await createContext(config);
    try {
      planJobs(context);
      await context.jobs.start();
      listener.measure(context.metrics);
      listener.serve(createApp(context));
    } catch (error) {
      await context.close();
      throw error;
    }
    const stop = async () => {
      context.streams.endAll();
      await listener.stop();
      await context.close();
    };
    const stopWatching = exitOnFailure(context, stop);
    print(startupLines(context, listener.port).join("\n"));
    return {
      port: listener.port,
      reloadTls: () => {
        try {
          if (listener.reloadTls()) context.log.info({}, "tls.reloaded");
        } catch (error) {
          // Half a renewal is on disk: go on with the certificate we have.
          context.log.error({ error }, "tls.not_reloaded");
        }
      },
      stop: () => stop().finally(stopWatching),
    };
  } catch (error) {
    await listener.stop();
    throw error;
  }
}
