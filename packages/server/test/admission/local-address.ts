import { get } from "node:http";

/**
 * The status of `/healthz` on a new connection from a local address, or the error. A proxy names its
 * client in `forwardedFor`.
 */
export function statusFrom(
  port: number,
  localAddress: string,
  forwardedFor?: string,
): Promise<number | string> {
  const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  const options = {
    port,
    host: "127.0.0.1",
    localAddress,
    path: "/healthz",
    headers,
    agent: false,
  };
  return new Promise((resolve) => {
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", ({ message }) => resolve(message));
  });
}
