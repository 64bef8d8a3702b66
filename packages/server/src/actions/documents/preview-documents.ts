import {
  acpDocument,
  agentMarkdown,
  agentPage,
  agentsMd,
  canonicalize,
  didDocument,
  headLinks,
  type JsonObject,
  llmsTxt,
  mcpServerCard,
  mcpTools,
  previewCard,
  previewCatalog,
  robotsBlock,
  type SiteAddresses,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { snapshotOf } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import { offeredProducts } from "../products/find-products.js";
import { shownAnswers } from "../questions/read-questions.js";
import { offerOf } from "../sites/offer.js";

export interface PreviewedDocument {
  readonly name: string;
  /** The address of the site at which it is published. */
  readonly address: keyof SiteAddresses;
  readonly contentType: string;
  readonly text: string;
}

const pretty = (document: JsonObject) => `${JSON.stringify(document, null, 2)}\n`;

/** The documents of a site for its owner, also before its domain is verified. None is signed. */
export async function previewDocuments(context: Context, site: Site): Promise<PreviewedDocument[]> {
  const { config, db, keys, policies } = context;
  const snapshot = snapshotOf(site, config.baseUrl, await offerOf(db, policies, site));
  const products = await offeredProducts(context, { site, snapshot });
  const answers = await shownAnswers(context, site.siteKeyHash);
  const card = previewCard(snapshot);
  const json = (name: string, address: keyof SiteAddresses, document: JsonObject) => {
    return { name, address, contentType: "application/json", text: pretty(document) };
  };
  return [
    json("card", "card", card),
    json("catalog", "catalog", previewCatalog(snapshot)),
    { name: "llms", address: "llms", contentType: "text/plain", text: llmsTxt(snapshot, answers) },
    {
      name: "page",
      address: "agentPage",
      contentType: "text/html",
      text: agentPage(snapshot, canonicalize(card), { products, answers }),
    },
    {
      name: "page-markdown",
      address: "agentPage",
      contentType: "text/markdown",
      text: agentMarkdown(snapshot, { products, answers }),
    },
    {
      name: "agents-md",
      address: "agentsMd",
      contentType: "text/markdown",
      text: agentsMd(snapshot, products),
    },
    json("mcp-tools", "mcp", { tools: mcpTools(snapshot) }),
    {
      ...json("mcp-server-card", "mcpServerCard", mcpServerCard(snapshot)),
      contentType: "application/mcp-server-card+json",
    },
    {
      ...json("did", "did", didDocument(snapshot, await keys.listed("card"))),
      contentType: "application/did+json",
    },
    json("acp", "acp", acpDocument(snapshot)),
    { name: "robots", address: "robots", contentType: "text/plain", text: robotsBlock(snapshot) },
    { name: "head", address: "agentPage", contentType: "text/html", text: headLinks(snapshot) },
  ];
}
