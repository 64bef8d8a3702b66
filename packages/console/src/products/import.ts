import { type Api, OWN, Refused } from "../api/client.js";
import type { Line } from "./read-file.js";

export type ImportReport = Api["ImportReport"];
export type ImportCheck = Api["ImportCheck"];

interface Options {
  readonly replace: boolean;
  readonly signal: AbortSignal;
  /** From 0 to 1. The service reads during the upload. */
  onProgress?(share: number): void;
}

/** The products as the body of a request, each on the line where it is in the file, so that reports name that line. */
function bodyOf(lines: readonly Line[]): Blob {
  let last = 0;
  const parts = lines.map(({ line, value }) => {
    const before = "\n".repeat(line - last - 1);
    last = line;
    return `${before}${JSON.stringify(value)}\n`;
  });
  return new Blob(parts);
}

/** Sends products, one JSON object per line. It reports the progress, which `fetch` cannot. */
function send<Answer>(url: string, lines: readonly Line[], options: Options): Promise<Answer> {
  const { replace, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${url}?mode=${replace ? "replace" : "update"}`);
    request.setRequestHeader("content-type", "application/x-ndjson");
    for (const [name, value] of Object.entries(OWN)) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) =>
      onProgress?.(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      const { status, response } = request;
      if (status === 200) return resolve(response as Answer);
      const problem = (response ?? {}) as { error?: string; message?: string };
      const message = problem.message ?? `Something went wrong (status ${status}). Try again.`;
      reject(new Refused(status, problem.error ?? "unknown", message));
    };
    request.onerror = () => reject(new Error("The connection was lost."));
    request.onabort = () => reject(new Error("Stopped."));
    signal.addEventListener("abort", () => request.abort());
    request.send(bodyOf(lines));
  });
}

/** Asks the service what an import would do. */
export const checkProducts = (path: string, lines: readonly Line[], options: Options) =>
  send<ImportCheck>(`${path}/products/import/check`, lines, options);

/** Imports products. What was saved before an error stays saved, and can be undone. */
export const sendProducts = (path: string, lines: readonly Line[], options: Options) =>
  send<ImportReport>(`${path}/products/import`, lines, options).catch((error: unknown) => {
    if (error instanceof Refused) throw error;
    const why = error instanceof Error ? error.message : "";
    throw new Error(`${why} Products up to this point are saved.`);
  });
