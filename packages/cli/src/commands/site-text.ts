import type { SiteBody } from "../find-site.js";

/** What proves the domain, for each way. */
export function proofLines({
  verification: { dns, file, meta },
}: SiteBody): Record<string, string> {
  return {
    dns: `TXT record ${dns.name} with the value ${dns.value}`,
    file: `${file.url} with the content ${file.content}`,
    meta: `in the head of ${meta.url}: ${meta.tag}`,
  };
}

export function howToVerify(site: SiteBody): string {
  const ways = Object.entries(proofLines(site)).map(([way, line]) => `  ${way.padEnd(4)}  ${line}`);
  return [
    "Prove control of the domain in one of these ways:",
    ...ways,
    `then run: gatehouse site verify ${site.domain} --method dns`,
  ].join("\n");
}
