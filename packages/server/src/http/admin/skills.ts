import {
  BUILT_IN_SKILLS,
  liveSkills,
  SKILL_DESCRIPTION_CHARS_MAX,
  SKILL_TITLE_CHARS_MAX,
  SKILL_URL_CHARS_MAX,
  SKILLS_MAX,
} from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { offerOf } from "../../actions/sites/offer.js";
import { setSkills } from "../../actions/sites/set-skills.js";
import type { Context } from "../../context.js";
import type { Site } from "../../domain/sites/site.js";
import { line } from "../server/fields.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

/** A stored skill. Members that the owner left out come from the table of built-in skills. */
export const SkillBody = z
  .object({
    id: z.string(),
    enabled: z.boolean(),
    url: z.string().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
  })
  .openapi("Skill");

export const SkillList = z
  .array(
    strict({
      id: z.string().max(64).openapi({ example: "get_pricing" }),
      enabled: z.boolean(),
      url: z
        .string()
        .max(SKILL_URL_CHARS_MAX, `must have at most ${SKILL_URL_CHARS_MAX} characters`)
        .optional(),
      title: line(SKILL_TITLE_CHARS_MAX).optional(),
      description: line(SKILL_DESCRIPTION_CHARS_MAX).optional(),
    }),
  )
  .max(SKILLS_MAX, `must have at most ${SKILLS_MAX} skills`);

const SkillsBody = z
  .object({
    skills: z.array(SkillBody),
    live: z
      .array(z.string())
      .openapi({ description: "The ids of the skills that agents can use now." }),
    built_in: z.array(z.string()).openapi({
      description: "The ids of built-in skills, which have a default title and description.",
    }),
    version: z.int().openapi({ description: "Increases with every change of the site." }),
  })
  .openapi("Skills");

const show = siteRoute("get", "/skills", {
  tags: ["Skills"],
  summary: "Show a site's skills",
  answer: json(SkillsBody, "The skills, in the owner's order."),
});

const replace = siteRoute("put", "/skills", {
  tags: ["Skills"],
  summary: "Replace a site's skills",
  description:
    "A skill is live if it is enabled and has an https URL. Only live skills are listed for " +
    "agents, in this order. With `version`, the change is refused if the site has changed since you read it.",
  body: strict({ skills: SkillList, version: z.int().optional() }),
  answer: json(SkillsBody, "The new skills."),
  errors: ["conflict"],
});

async function render({ db, policies }: Context, site: Site): Promise<z.infer<typeof SkillsBody>> {
  const live = liveSkills(site.skills, site.name, await offerOf(db, policies, site));
  return {
    skills: [...site.skills],
    live: live.map(({ id }) => id),
    built_in: Object.keys(BUILT_IN_SKILLS),
    version: site.version,
  };
}

export function skillRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    return c.json(await render(context, await requireSite(context, c, "auditor")), 200);
  });

  app.openapi(replace, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { skills, version } = c.req.valid("json");
    const change = { skills, ifVersion: version };
    const changed = requireOk(await setSkills(context, siteKeyHash, change, actorOf(c)));
    return c.json(await render(context, changed), 200);
  });
}
