import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { FINDING_STATES } from "../../actions/documents/check-documents.js";
import { checkInstall } from "../../actions/sites/check-install.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { requireOk } from "./schemas.js";

/** Each site is checked at most once in this time. */
const CHECK_RETRY_AFTER_S = 60;

const InstallCheckBody = z
  .object({
    items: z.array(
      z.object({
        item: z.string().openapi({
          description: "`domain`, `script`, `edge`, or a path on the site's own domain.",
          example: "/llms.txt",
        }),
        state: z.enum(FINDING_STATES).openapi({
          description: "As it should be; not there, which may be wanted; or to be mended.",
        }),
        found: z.string(),
        advice: z.string().optional().openapi({ description: "Absent: there is nothing to do." }),
      }),
    ),
    checked_at: Timestamp,
  })
  .openapi("InstallCheck");

const check = siteRoute("post", "/install-check", {
  tags: ["Sites"],
  summary: "Look at a site as agents do",
  description:
    "Asks the site itself for its documents, now. `edge` is left out where no worker or plugin was " +
    "set up, documents before the domain is verified, `/.well-known/ucp` while the site sells " +
    "nothing. Where the site does not answer, the paths after it are left out.",
  body: strict({}),
  answer: json(InstallCheckBody, "What is there, and what to do."),
});

export function installRoute(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(check, async (c) => {
    // Not for auditors: a check makes this service send requests to the site.
    const site = await requireSite(context, c, "owner");
    const checked = await checkInstall(context, site);
    const { items, checkedAt } = requireOk(checked, CHECK_RETRY_AFTER_S);
    return c.json({ items: [...items], checked_at: isoTime(checkedAt) }, 200);
  });
}
