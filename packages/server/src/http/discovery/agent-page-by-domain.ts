import { siteAddresses } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { readDomain } from "../../domain/sites/domain.js";
import { siteByDomain } from "../../domain/sites/store.js";
import { pendingAnswer, pendingPage } from "../server/errors.js";
import { get, type Route } from "../server/exchange.js";
import { isBrowser } from "../server/html-page.js";
import { Problem } from "../server/problem.js";

/** From a domain to the agent page of the site that has proven it. */
export function agentPageByDomain({ config, db }: Context): Route {
  return get("/v1/agent/domain/:domain", async (exchange) => {
    const domain = readDomain(exchange.param("domain"), {
      development: config.mode === "development",
    });
    const site = domain.ok ? await siteByDomain(db, domain.value) : undefined;
    if (site === undefined) throw new Problem("not_found", { message: "No site has this domain." });
    if (site.status !== "verified") {
      return isBrowser(exchange.header("accept"))
        ? pendingPage(site.domain)
        : pendingAnswer(config.baseUrl, site.domain);
    }
    return { status: 302, headers: { location: siteAddresses(config.baseUrl, site).agentPage } };
  });
}
