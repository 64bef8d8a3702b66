import { siteAddresses } from "@gatehouse/protocol";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { readDomain } from "../../owners/sites/domain.js";
import { siteByDomain } from "../../owners/sites/store.js";
import { isBrowser } from "../../platform/http/browser.js";
import type { HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";
import { answerPending, pendingPage } from "../pending.js";

/** From a domain to the agent page of the site that has proven it. */
export function agentPageByDomain(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { config, db } = context;
  routes.get("/v1/agent/domain/:domain", async (c) => {
    const domain = readDomain(c.req.param("domain"), {
      development: config.mode === "development",
    });
    const site = domain.ok ? await siteByDomain(db, domain.value) : undefined;
    if (site === undefined) throw new Problem("not_found", { message: "No site has this domain." });
    if (site.status !== "verified") {
      return isBrowser(c.req) ? pendingPage(site.domain) : answerPending(c, context, site.domain);
    }
    return c.redirect(siteAddresses(config.baseUrl, site).agentPage, 302);
  });
}
