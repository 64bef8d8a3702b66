import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import { onTestFinished } from "vitest";

/** A certificate for one name, signed by itself. */
export async function certificateFor(name: string): Promise<{ cert: string; key: string }> {
  const pems = await generate([{ name: "commonName", value: name }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: name }] }],
  });
  return { cert: pems.cert, key: pems.private };
}

/** Speaks HTTPS in front of a port of this machine, as Caddy does for compose.yaml. Returns its own port. */
export async function httpsProxy(
  pems: { readonly cert: string; readonly key: string },
  port: string,
): Promise<number> {
  const server = createServer(pems, (from, to) => {
    const headers = {
      ...from.headers,
      "x-forwarded-proto": "https",
      "x-forwarded-for": "192.0.2.7",
    };
    const options = { host: "127.0.0.1", port, method: from.method, path: from.url, headers };
    const passed = request(options, (answer) => {
      to.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(to);
    });
    passed.on("error", () => to.destroy());
    from.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
