import { type Api, OWN, Refused } from "../api/client.js";
import type { Line } from "./read-file.js";

export type ImportReport = Api["ImportReport"];

interface Options {
  readonly replace: boolean;
  readonly signal: AbortSignal;
  /** From 0 to 1. The service reads during the upload. */
  onProgress(share: number): void;
}

/** The lines as the body of a request. */
export const bodyOf = (lines: readonly Line[]) =>
  new Blob(lines.map((line) => `${JSON.stringify(line)}\n`));

/** Sends products, one JSON object per line. It reports the progress, which `fetch` cannot. */
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
      const message = said.message ?? `Something went wrong (status ${status}). Try again.`;
      reject(new Refused(status, said.error ?? "unknown", message));
    };
    request.onerror = () =>
      reject(new Error("The connection was lost. Products up to this point are saved."));
    request.onabort = () => reject(new Error("Stopped. Products up to this point are saved."));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
