import type { ServerResponse } from "node:http";

/** Sends an answer of Gatehouse's; headers the application has set before stay, unless it has them too. */
export function sendResponse(
  response: ServerResponse,
  answer: Response,
  failed: (error: unknown) => void,
): void {
  answer
    .arrayBuffer()
    .then((body) => {
      response.statusCode = answer.status;
      for (const [name, value] of answer.headers) response.setHeader(name, value);
      response.end(Buffer.from(body));
    })
    .catch(failed);
}
