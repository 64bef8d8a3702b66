import { createPublicKey } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createVerifier, httpbis } from "http-message-signatures";

export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on loopback, which answers as a test wants. */
export async function startReceiver() {
  const received: Received[] = [];
  let answer: (response: ServerResponse) => unknown = (response) => response.end();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { headers, url = "" } = request;
    received.push({ url: `http://${headers.host}${url}`, headers, body });
    await answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    received,
    url: `http://127.0.0.1:${port}/hook?team=1`,
    answers(next: typeof answer) {
      answer = next;
    },
    status(code: number) {
      answer = (response) => response.writeHead(code, { location: "/elsewhere" }).end();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Whether a webhook was signed by a key of the service; by another library than the one that signs. */
export async function isSigned(service: string, { url, headers, body }: Received) {
  const keySet = await (await fetch(`${service}/.well-known/jwks.json`)).json();
  const fields = [
    "@method",
    "@authority",
    "@path",
    "@query",
    "content-type",
    "content-digest",
    "webhook-id",
    "webhook-timestamp",
  ];
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(body)));
  if (headers["content-digest"] !== `sha-256=:${digest.toString("base64")}:`) return false;
  const verified = await httpbis.verifyMessage(
    {
      requiredFields: fields,
      requiredParams: ["created", "keyid", "alg", "tag"],
      tolerance: Number.POSITIVE_INFINITY,
      keyLookup: async ({ keyid, alg }) => {
        const jwk = keySet.keys.find(({ kid }: { kid: string }) => kid === keyid);
        const key = createPublicKey({ key: jwk, format: "jwk" });
        return { id: keyid, algs: [alg], verify: createVerifier(key, "ed25519") } as never;
      },
    },
    { method: "POST", url, headers: headers as Record<string, string> },
  );
  return verified === true;
}
