import type { Site } from "../layout/sites.js";

/** Where agents and browsers reach the service: the addresses of the site's documents begin so. */
function serviceOf({ agent_page_url }: Site): string {
  return agent_page_url.slice(0, agent_page_url.indexOf("/v1/agent/"));
}

/** What an owner pastes into their pages. */
export function scriptTag(site: Site): string {
  return `<script async src="${serviceOf(site)}/embed.js" data-site-key="${site.site_key}"></script>`;
}
