import type { IncomingMessage } from "node:http";
import type { UcpRequest } from "@gatehouse/protocol";

/** The request as its sender signed it: at the public address of this service. */
export function signedRequest(
  { method = "", rawHeaders }: Pick<IncomingMessage, "method" | "rawHeaders">,
  { target, baseUrl, body }: { target: string; baseUrl: string; body: Uint8Array },
): UcpRequest {
  const fields = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    fields.push({ name: rawHeaders[i] as string, value: rawHeaders[i + 1] as string });
  }
  return { method, url: new URL(target, baseUrl).href, fields, body };
}
