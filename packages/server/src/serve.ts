import type { RequestListener } from "node:http";
import type { Context } from "./context.js";
import { exitOnFailure } from "./exit-on-failure.js";
import type { Listener } from "./http/server/server.js";
import { startupLines } from "./startup-lines.js";

export interface Running {
  readonly port: number;
  reloadTls(): void;
  stop(): Promise<void>;
}

/** Answers requests from now on, and says where. */
export function serve(
  context: Context,
  app: RequestListener,
  listener: Listener,
  print: (text: string) => void,
): Running {
  listener.measure(context.metrics);
  listener.serve(app);
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
}
