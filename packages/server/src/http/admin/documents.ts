import { siteAddresses } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { previewDocuments } from "../../actions/documents/preview-documents.js";
import type { Context } from "../../context.js";
import { readSkills } from "../../domain/sites/skills.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { SiteDescription, SiteName } from "./site-body.js";
import { SkillList } from "./skills.js";

const DocumentBody = z
  .object({
    name: z.string().openapi({ example: "card" }),
    url: z.string().openapi({ description: "Where agents find it after the domain is verified." }),
    content_type: z.string(),
    text: z.string(),
  })
  .openapi("PreviewedDocument");

const preview = siteRoute("post", "/preview", {
  tags: ["Documents"],
  summary: "Preview a site's documents",
  description:
    "Shows the documents with these changes, without saving them. They are not signed, so nobody can use " +
    "the preview of a pending site as its card.",
  body: strict({
    name: SiteName.optional(),
    description: SiteDescription.optional(),
    skills: SkillList.optional(),
  }),
  answer: json(z.object({ documents: z.array(DocumentBody) }), "The documents, unsigned."),
});

export function documentRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(preview, async (c) => {
    const site = await requireSite(context, c, "auditor");
    const { name, description, skills } = c.req.valid("json");
    const changed = {
      ...site,
      name: name ?? site.name,
      description: description ?? site.description,
      skills: skills === undefined ? site.skills : requireOk(readSkills(skills)),
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
