import type { RequestListener } from "node:http";
import type { Context } from "./context.js";
import { adminRoutes } from "./http/admin/routes.js";
import { publicAuditRoutes } from "./http/audit/routes.js";
import { consoleRoutes } from "./http/console/routes.js";
import { discoveryDoor } from "./http/discovery/discovery-door.js";
import { documentAnswers } from "./http/discovery/document-answers.js";
import { Editions } from "./http/discovery/editions.js";
import { homeRoutes } from "./http/docs/home.js";
import { docsRoutes } from "./http/docs/routes.js";
import { openapiDoor } from "./http/health/openapi-door.js";
import { operationsDoors } from "./http/health/operations-door.js";
import { MandateAnswers } from "./http/mandates/mandate-answers.js";
import { mandatesDoor } from "./http/mandates/mandates-door.js";
import { McpAnswers } from "./http/mcp/mcp-answers.js";
import { mcpDoor } from "./http/mcp/mcp-door.js";
import { sandboxRoutes } from "./http/sandbox/routes.js";
import { httpsOnly } from "./http/server/https-only.js";
import { createKernel } from "./http/server/kernel.js";
import { answerWait } from "./http/server/wait.js";
import { UcpService } from "./http/ucp/service.js";
import { ucpDoors } from "./http/ucp/ucp-door.js";
import { BeaconAnswers } from "./http/visits/beacon-answers.js";
import { edgeVisitsDoor } from "./http/visits/edge-visits.js";
import { visitsDoor } from "./http/visits/visits-door.js";
import { hooksDoor } from "./http/webhooks/hooks-door.js";

/** Every door of the house. */
export function createApp(context: Context): RequestListener {
  const { admission, config } = context;
  const editions = new Editions(context);
  const desk = new UcpService(context);
  const described = [
    discoveryDoor(context, editions),
    publicAuditRoutes(context),
    adminRoutes(context),
    consoleRoutes(context),
  ];
  const doors = [
    ...operationsDoors(context),
    ...described,
    mcpDoor(),
    visitsDoor(),
    edgeVisitsDoor(context),
    mandatesDoor(context),
    hooksDoor(context),
    ...ucpDoors(context, desk),
    sandboxRoutes(context),
    homeRoutes(),
    docsRoutes(context),
    openapiDoor(described, config.baseUrl),
  ];
  const documents = documentAnswers(editions, context, createKernel(doors, context));
  const beacons = new BeaconAnswers(context).listener(documents);
  const mandates = new MandateAnswers(context).listener(beacons);
  const mcp = new McpAnswers(context, desk).listener(mandates);
  return admission.listener(httpsOnly(context, mcp), answerWait(context));
}
