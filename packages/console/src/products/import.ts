import { type Api, OWN, Refused } from "../api/client.js";
import type { Line } from "./read-file.js";

export type ImportReport = Api["ImportReport"];

interface Options {
  readonly replace: boolean;
  readonly signal: AbortSignal;
  /** From 0 to 1. The service reads while it comes, so what was sent was mostly read. */
  onProgress(share: number): void;
}

/** Lines of a list, as a body. */
export const bodyOf = (lines: readonly Line[]) =>
  new Blob(lines.map((line) => `${JSON.stringify(line)}\n`));

/** Sends a list of products, one JSON object a line, and tells how far it is: `fetch` cannot tell. */
export function sendProducts(path: string, body: Blob, options: Options): Promise<ImportReport> {
  const { replace, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${path}/products/import?mode=${replace ? "replace" : "update"}`);
    request.setRequestHeader("content-type", "application/x-ndjson");
    for (const [name, value] of Object.entries(OWN)) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      const { status, response } = request;
      if (status === 200) return resolve(response as ImportReport);
      const said = (response ?? {}) as { error?: string; message?: string };
      const message = said.message ?? `The service answered with status ${status}.`;
      reject(new Refused(status, said.error ?? "unknown", message));
    };
    request.onerror = () =>
      reject(new Error("The connection broke. What was read so far is saved."));
    request.onabort = () => reject(new Error("Stopped. What was read so far is saved."));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
