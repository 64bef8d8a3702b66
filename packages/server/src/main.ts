import { createApp } from "./app.js";
import { type Environment, readConfig } from "./config/config.js";
import { createContext } from "./context.js";
import { exitOnFailure } from "./exit-on-failure.js";
import { listen } from "./http/server/server.js";
import { systemClock } from "./infra/clock.js";
import { NO_PEERS, type Peers } from "./infra/workers/peers.js";
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
export async function start(
  env: Environment,
  print: (text: string) => void,
  peers: Peers = NO_PEERS,
): Promise<Running> {
  const first = readConfig(env);
  const listener = await listen({ ...first, clock: systemClock });
  try {
    // Port 0 asks for any free one; the public address is then made from the one we got.
    const config = readConfig({ ...env, GATEHOUSE_PORT: String(listener.port) });
    const context = await createContext(config, { peers });
    try {
      planJobs(context);
      await context.jobs.start();
      listener.measure(context.metrics);
      peers.share(context.metrics);
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
      reloadTls: () => listener.reloadTls(context.log),
      stop: () => stop().finally(stopWatching),
    };
  } catch (error) {
    await listener.stop();
    throw error;
  }
}
