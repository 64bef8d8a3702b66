import type { Site } from "../layout/sites.js";

/** The public address of the service, from the address of the agent page. */
function serviceOf({ agent_page_url }: Site): string {
  return agent_page_url.slice(0, agent_page_url.indexOf("/v1/agent/"));
}

/** The script tag for the pages of the owner. */
export function scriptTag(site: Site): string {
  return `<script async src="${serviceOf(site)}/embed.js" data-site-key="${site.site_key}"></script>`;
}
