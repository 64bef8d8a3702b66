import { type Api, OWN, Refused } from "../api/client.js";

export type ImportReport = Api["ImportReport"];

/** What a file's name says it holds. */
function typeOf(name: string): string | undefined {
  if (/\.csv$/i.test(name)) return "text/csv";
  return /\.(?:jsonl|ndjson)$/i.test(name) ? "application/x-ndjson" : undefined;
}

interface Options {
  readonly replace: boolean;
  readonly signal: AbortSignal;
  /** From 0 to 1. The service reads while it comes, so what was sent was mostly read. */
  onProgress(share: number): void;
}

/** Sends a list of products, and tells how far it is: `fetch` cannot tell. */
export function importFile(path: string, file: File, options: Options): Promise<ImportReport> {
  const { replace, signal, onProgress } = options;
  const type = typeOf(file.name);
  if (type === undefined) {
    return Promise.reject(new Error("Choose a file that ends in .csv, .jsonl or .ndjson."));
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${path}/products/import?mode=${replace ? "replace" : "update"}`);
    request.setRequestHeader("content-type", type);
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
      reject(new Error("The connection broke. What was read so far is there."));
    request.onabort = () => reject(new Error("Stopped. What was read so far is there."));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
