import { siteAddresses } from "@gatehouse/protocol";
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { readDomain } from "../../domain/sites/domain.js";
import { siteByDomain } from "../../domain/sites/store.js";
import { isBrowser } from "../server/browser.js";
import type { HttpEnv } from "../server/env.js";
import { answerPending, pendingPage } from "../server/pending.js";
import { Problem } from "../server/problem.js";

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
