import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { setMandates } from "../../actions/mandates/set-mandates.js";
import { showMandateSettings } from "../../actions/sites/read-sites.js";
import type { Context } from "../../context.js";
import {
  AUTO_ADMIT_MAX,
  LIFE_MS_MAX,
  LIFE_MS_MIN,
  type MandateSettings,
} from "../../domain/mandate-settings/mandate-settings.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const URL_CHARS_MAX = 300;

const SettingsBody = z
  .object({
    enabled: z.boolean().openapi({ description: "false: every mandate is rejected." }),
    lifetime_seconds: z.int().openapi({ description: "How long a mandate may be valid." }),
    auto_admit: z.array(z.string()).openapi({
      description:
        "Agents whose key is published by one of these origins are approved automatically.",
    }),
  })
  .openapi("MandateSettings");

const show = siteRoute("get", "/mandates", {
  tags: ["Mandates"],
  summary: "Show the mandate settings",
  answer: json(SettingsBody, "The settings."),
});

const change = siteRoute("patch", "/mandates", {
  tags: ["Mandates"],
  summary: "Change the mandate settings",
  body: strict({
    enabled: z.boolean().optional(),
    lifetime_seconds: z
      .int()
      .min(LIFE_MS_MIN / 1000)
      .max(LIFE_MS_MAX / 1000)
      .optional(),
    auto_admit: z.array(z.string().max(URL_CHARS_MAX)).max(AUTO_ADMIT_MAX).optional(),
  }),
  answer: json(SettingsBody, "The settings."),
});

function render({ enabled, lifeMs, autoAdmit }: MandateSettings): z.infer<typeof SettingsBody> {
  return { enabled, lifetime_seconds: lifeMs / 1000, auto_admit: [...autoAdmit] };
}

export function mandateRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    return c.json(render(await showMandateSettings(context, siteKeyHash)), 200);
  });

  app.openapi(change, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { enabled, lifetime_seconds, auto_admit } = c.req.valid("json");
    // It approves agents without a person.
    if (auto_admit !== undefined) requireConfirmed(context, c);
    const lifeMs = lifetime_seconds === undefined ? undefined : lifetime_seconds * 1000;
    const changes = { enabled, lifeMs, autoAdmit: auto_admit };
    const settings = requireOk(await setMandates(context, siteKeyHash, changes, actorOf(c)));
    return c.json(render(settings), 200);
  });
}
