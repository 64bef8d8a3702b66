import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { FINDING_STATES } from "../../actions/documents/check-documents.js";
import { checkInstall, showInstall } from "../../actions/sites/check-install.js";
import type { Context } from "../../context.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

/** Each site is checked at most once in this time. */
const CHECK_RETRY_AFTER_S = 60;

const InstallCheckBody = z
  .object({
    items: z.array(
      z.object({
        item: z.string().openapi({
          description: "`domain`, `script`, `edge`, or a path on the site's domain.",
          example: "/llms.txt",
        }),
        state: z.enum(FINDING_STATES).openapi({
          description:
            "good: as it should be. missing: not there, which may be intended. unchecked: the operator confirmed the domain without a check. wrong: must be fixed.",
        }),
        found: z.string(),
        advice: z
          .string()
          .optional()
          .openapi({ description: "Left out if there is nothing to do." }),
      }),
    ),
    checked_at: Timestamp.nullable().openapi({
      description: "When the documents were fetched from the site. null if they never were.",
    }),
  })
  .openapi("InstallCheck");

const check = siteRoute("post", "/install-check", {
  tags: ["Sites"],
  summary: "Check a site as agents see it",
  description:
    "Fetches the documents from the site now. `edge` is left out if no worker or plugin was " +
    "set up. Documents are left out before the domain is verified, and `/.well-known/ucp` while the site does not " +
    "sell. If the site does not answer, the remaining paths are left out.",
  body: strict({}),
  answer: json(InstallCheckBody, "What was found, and what to do."),
});

const show = siteRoute("get", "/install-check", {
  tags: ["Sites"],
  summary: "Show what is known about a site as agents see it",
  description:
    "Sends no request to the site. The documents are as the last check found them, and are left out if the domain " +
    "was never checked.",
  answer: json(InstallCheckBody, "What is known, and what to do."),
});

export function installRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const site = await requireSite(context, c, "auditor");
    const { items, checkedAt } = await showInstall(context, site);
    return c.json({ items: [...items], checked_at: timeOrNull(checkedAt) }, 200);
  });

  app.openapi(check, async (c) => {
    // Not for auditors: a check makes this service send requests to the site.
    const site = await requireSite(context, c, "owner");
    const checked = await checkInstall(context, site);
    const { items, checkedAt } = requireOk(checked, CHECK_RETRY_AFTER_S);
    return c.json({ items: [...items], checked_at: timeOrNull(checkedAt) }, 200);
  });
}
