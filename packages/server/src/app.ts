import type { RequestListener } from "node:http";
import type { Context } from "./context.js";
import { adminRoutes } from "./http/admin/routes.js";
import { publicAuditRoutes } from "./http/audit/routes.js";
import { consoleRoutes } from "./http/console/routes.js";
import { DocumentCache } from "./http/discovery/document-cache.js";
import { discoveryGroup } from "./http/discovery/documents.js";
import { describeDocuments } from "./http/discovery/openapi.js";
import { homeRoutes } from "./http/docs/home.js";
import { docsRoutes } from "./http/docs/routes.js";
import { openapiDoor } from "./http/health/openapi-door.js";
import { operationsDoors } from "./http/health/operations-door.js";
import { MandateAnswers } from "./http/mandates/mandate-answers.js";
import { mandatesDoor } from "./http/mandates/mandates-door.js";
import { McpAnswers } from "./http/mcp/mcp-answers.js";
import { mcpDoor } from "./http/mcp/mcp-door.js";
import { sandboxRoutes } from "./http/sandbox/routes.js";
import { admit, createPipeline } from "./http/server/pipeline.js";
import { answerWait } from "./http/server/wait.js";
import { McpShopTools } from "./http/ucp/mcp-tools.js";
import { PlatformProfiles } from "./http/ucp/platform-profiles.js";
import { ucpDoors } from "./http/ucp/routes.js";
import { BeaconAnswers } from "./http/visits/beacon-answers.js";
import { edgeVisitsDoor } from "./http/visits/edge-visits.js";
import { visitsDoor } from "./http/visits/visits-door.js";
import { hooksDoor } from "./http/webhooks/hooks-door.js";

/** Every route of every group. */
export function createApp(context: Context): RequestListener {
  const { config } = context;
  const platformProfiles = new PlatformProfiles(context);
  const described = [publicAuditRoutes(context), adminRoutes(context), consoleRoutes(context)];
  const groups = [discoveryGroup(context, new DocumentCache(context))];
  const honoGroups = [
    ...operationsDoors(context),
    ...described,
    mcpDoor(),
    visitsDoor(),
    edgeVisitsDoor(context),
    mandatesDoor(context),
    hooksDoor(context),
    ...ucpDoors(context, platformProfiles),
    sandboxRoutes(context),
    homeRoutes(),
    docsRoutes(context),
    openapiDoor(described, describeDocuments, config.baseUrl),
  ];
  const pipeline = createPipeline(groups, honoGroups, context);
  const beacons = new BeaconAnswers(context).listener(pipeline);
  const mandates = new MandateAnswers(context).listener(beacons);
  const shopTools = new McpShopTools(context, platformProfiles);
  const mcp = new McpAnswers(context, shopTools).listener(mandates);
  return admit(mcp, context, answerWait(context));
}
