import { siteAddresses } from "@gatehouse/protocol";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { previewDocuments } from "../../actions/documents/preview-documents.js";
import type { Context } from "../../context.js";
import { readSkills } from "../../domain/sites/skills.js";
import { strict } from "../server/faults.js";
import { body, errors, json } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { refused, SiteParams } from "./schemas.js";
import { SiteDescription, SiteName } from "./site-body.js";
import { SkillList } from "./skill-body.js";

const DocumentBody = z
  .object({
    name: z.string().openapi({ example: "card" }),
    url: z.string().openapi({ description: "Where agents find it once the domain is verified." }),
    content_type: z.string(),
    text: z.string(),
  })
  .openapi("PreviewedDocument");

const preview = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/preview",
  tags: ["Documents"],
  summary: "Preview a site's documents",
  description:
    "As they would be with these changes, none of which is saved. Nothing here is signed, so a " +
    "preview of a pending site cannot be passed off as its card.",
  request: {
    params: SiteParams,
    body: body(
      strict({
        name: SiteName.optional(),
        description: SiteDescription.optional(),
        skills: SkillList.optional(),
      }),
    ),
  },
  responses: {
    200: json(z.object({ documents: z.array(DocumentBody) }), "The documents, unsigned."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

export function documentRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(preview, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    const site = await requireSite(context, c, site_key_hash, "auditor");
    const { name, description, skills } = c.req.valid("json");
    const read = skills === undefined ? undefined : readSkills(skills);
    if (read?.ok === false) return refused(read);
    const changed = {
      ...site,
      name: name ?? site.name,
      description: description ?? site.description,
      skills: read?.value ?? site.skills,
    };
    const addresses = siteAddresses(context.config.baseUrl, site);
    const documents = (await previewDocuments(context, changed)).map((document) => ({
      name: document.name,
      url: addresses[document.address],
      content_type: document.contentType,
      text: document.text,
    }));
    return c.json({ documents }, 200);
  });
}
