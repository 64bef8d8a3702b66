import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Clock } from "../../infra/clock.js";

/** The host that Stripe's library calls. */
const STRIPE = "https://api.stripe.com";
/** Long enough for a slow line, short enough for a waiting person. */
const CONNECT_MS_MAX = 3000;

function open(url: URL): { readonly socket: Socket; readonly ready: string } {
  const { protocol, hostname: host, port } = url;
  if (protocol === "http:") {
    return { socket: connect({ host, port: Number(port || 80) }), ready: "connect" };
  }
  const options = { host, port: Number(port || 443), servername: host };
  return { socket: connectTls(options), ready: "secureConnect" };
}

/** Whether a connection can be opened, TLS included. No request is sent. */
export function canConnect(clock: Clock, apiBase: string = STRIPE): Promise<boolean> {
  const { socket, ready } = open(new URL(apiBase));
  return new Promise((resolve) => {
    const end = (connected: boolean) => {
      cancel();
      socket.destroy();
      resolve(connected);
    };
    const cancel = clock.after(CONNECT_MS_MAX, () => end(false));
    socket.once(ready, () => end(true));
    socket.on("error", () => end(false));
  });
}
