import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server on this machine while the test runs; its port. */
export async function listen(listener: RequestListener): Promise<number> {
  const http = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  await once(http, "listening");
  return (http.address() as AddressInfo).port;
}
