import { createApp } from "./app.js";
import { type Environment, readConfig } from "./config/config.js";
import { createContext } from "./context.js";
import { listen } from "./http/server/server.js";
import { systemClock } from "./infra/clock.js";
import { NO_PEERS, type Peers } from "./infra/workers/peers.js";
import { planJobs } from "./jobs.js";
import { type Running, serve } from "./serve.js";

/**
 * Environment → config → port → context → serve. The port is taken first, so that a busy one is noticed
 * before anything is written. A worker beside others listens last: it gets connections from then on.
 */
export async function start(
  env: Environment,
  print: (text: string) => void,
  peers: Peers = NO_PEERS,
): Promise<Running> {
  const first = readConfig(env);
  const takePort = () => listen({ ...first, clock: systemClock });
  const taken = peers.port === undefined ? await takePort() : undefined;
  try {
    // Port 0 asks for any free one; the public address is then made from the one we got.
    const port = taken?.port ?? peers.port;
    const context = await createContext(readConfig({ ...env, GATEHOUSE_PORT: String(port) }), {
      peers,
    });
    try {
      planJobs(context);
      await context.jobs.start();
      peers.share(context.metrics);
      return serve(context, createApp(context), taken ?? (await takePort()), print);
    } catch (error) {
      await context.close();
      throw error;
    }
  } catch (error) {
    await taken?.stop();
    throw error;
  }
}
