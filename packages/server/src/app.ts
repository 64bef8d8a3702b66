import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Context } from "./context.js";
import { adminDoor } from "./doors/admin/admin-door.js";
import { auditDoor } from "./doors/audit/audit-door.js";
import { consoleDoor } from "./doors/console/console-door.js";
import { discoveryDoor } from "./doors/discovery/discovery-door.js";
import { documentAnswers } from "./doors/discovery/document-answers.js";
import { Editions } from "./doors/discovery/editions.js";
import { docsDoor } from "./doors/docs/docs-door.js";
import { homeDoor } from "./doors/home/home-door.js";
import { hooksDoor } from "./doors/hooks/hooks-door.js";
import { MandateAnswers } from "./doors/mandates/mandate-answers.js";
import { mandatesDoor } from "./doors/mandates/mandates-door.js";
import { McpAnswers } from "./doors/mcp/mcp-answers.js";
import { mcpDoor } from "./doors/mcp/mcp-door.js";
import { openapiDoor } from "./doors/operations/openapi-door.js";
import { operationsDoors } from "./doors/operations/operations-door.js";
import { sandboxDoor } from "./doors/sandbox/sandbox-door.js";
import { ShopDesk } from "./doors/ucp/desk.js";
import { ucpDoors } from "./doors/ucp/ucp-door.js";
import { BeaconAnswers } from "./doors/visits/beacon-answers.js";
import { edgeVisitsDoor } from "./doors/visits/edge-visits.js";
import { visitsDoor } from "./doors/visits/visits-door.js";
import { answerWait } from "./doors/wait.js";
import { httpsOnly } from "./platform/http/https-only.js";
import { createKernel } from "./platform/http/kernel.js";
import { Problem } from "./platform/http/problem.js";

/** Every door of the house. */
export function createApp(context: Context): RequestListener {
  const { admission, config, ids, log } = context;
  const editions = new Editions(context);
  const desk = new ShopDesk(context);
  const open = [discoveryDoor(context, editions), auditDoor(context)];
  const described = [...open, adminDoor(context), consoleDoor(context)];
  const doors = [
    ...[...operationsDoors(context), ...described],
    ...[mcpDoor(), visitsDoor(), edgeVisitsDoor(context)],
    ...[mandatesDoor(context), hooksDoor(context)],
    ...ucpDoors(context, desk),
    sandboxDoor(context),
    ...[homeDoor(), docsDoor(context)],
    openapiDoor(described, config.baseUrl),
  ];
  const app = createKernel(doors, context);
  const routed = getRequestListener((request, env) => app.fetch(request, env as never), {
    // Only requests the adapter could not read get here, before any route.
    errorHandler: (error) => {
      log.debug({ error }, "http.unreadable");
      return new Problem("invalid_request").response(ids.id("req"), config.baseUrl);
    },
  });
  const documents = documentAnswers(editions, context, routed);
  const beacons = new BeaconAnswers(context).listener(documents);
  const mandates = new MandateAnswers(context).listener(beacons);
  const mcp = new McpAnswers(context, desk).listener(mandates);
  return admission.listener(httpsOnly(context, mcp), answerWait(context));
}
