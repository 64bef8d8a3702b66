import { type Api, call } from "../api/client.js";

type Log = Api["AuditLog"];

/** The logs of a site, the newest first. */
export async function logsOf(path: string): Promise<readonly Log[]> {
  return (await call<{ items: Log[] }>("GET", `${path}/audit/logs`)).items;
}

/** Their names: whatever is proven of a site is in one of them. */
export async function chainsOf(path: string): Promise<readonly string[]> {
  return (await logsOf(path)).map(({ chain }) => chain);
}
