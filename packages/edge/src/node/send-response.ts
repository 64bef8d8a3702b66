import type { ServerResponse } from "node:http";

/** Sends an answer of Gatehouse's; headers the application has set before stay, unless it has them too. */
export function sendResponse(
  response: ServerResponse,
  found: Response,
  failed: (error: unknown) => void,
): void {
  found
    .arrayBuffer()
    .then((body) => {
      response.statusCode = found.status;
      for (const [name, value] of found.headers) response.setHeader(name, value);
      response.end(Buffer.from(body));
    })
    .catch(failed);
}
