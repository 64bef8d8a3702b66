import { BUILT_IN_SKILLS } from "@gatehouse/protocol";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { setSkills } from "../../actions/sites/set-skills.js";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import { skillsOf } from "../../domain/sites/snapshot.js";
import { strict } from "../server/faults.js";
import { body, errors, json } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { refused, SiteParams } from "./schemas.js";
import { SkillBody, SkillList } from "./skill-body.js";

const SkillsBody = z
  .object({
    skills: z.array(SkillBody),
    live: z.array(z.string()).openapi({ description: "Ids of the skills agents can use now." }),
    built_in: z
      .array(z.string())
      .openapi({ description: "Ids that come with a title and a text." }),
    version: z.int().openapi({ description: "Counts every change of the site." }),
  })
  .openapi("Skills");

const show = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/skills",
  tags: ["Skills"],
  summary: "Show a site's skills",
  request: { params: SiteParams },
  responses: { 200: json(SkillsBody, "In the owner's order."), ...errors("not_found") },
});

const replace = createRoute({
  method: "put",
  path: "/v1/admin/sites/{site_key_hash}/skills",
  tags: ["Skills"],
  summary: "Replace a site's skills",
  description:
    "A skill is live when it is enabled and has an https URL; only live skills are listed to " +
    "agents, in this order. With `version`, refused if the site has changed since it was read.",
  request: {
    params: SiteParams,
    body: body(strict({ skills: SkillList, version: z.int().optional() })),
  },
  responses: {
    200: json(SkillsBody, "The skills as they are now."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

function render(site: Site): z.infer<typeof SkillsBody> {
  return {
    skills: [...site.skills],
    live: skillsOf(site).map(({ id }) => id),
    built_in: Object.keys(BUILT_IN_SKILLS),
    version: site.version,
  };
}

export function skillRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    return c.json(render(await requireSite(context, c, site_key_hash, "auditor")), 200);
  });

  app.openapi(replace, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const { skills, version } = c.req.valid("json");
    const change = { skills, ifVersion: version };
    const result = await setSkills(context, site_key_hash, change, actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });
}
