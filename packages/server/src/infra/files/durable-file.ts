import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** A rename survives a power cut only once its folder is synced too. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a private file; the new one is complete and durable before this returns. A crash leaves the
 * old file, perhaps with a `.new` file beside it that nothing reads.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}.new`;
  const file = await open(fresh, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  await syncFolder(folder);
}
