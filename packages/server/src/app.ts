import type { RequestListener } from "node:http";
import { isLoopback } from "./config/readers.js";
import type { Context } from "./context.js";
import { adminRoutes } from "./http/admin/routes.js";
import { publicAuditRoutes } from "./http/audit/routes.js";
import { describeConnections } from "./http/connections/openapi.js";
import { connectionGroup } from "./http/connections/routes.js";
import { consoleRoutes } from "./http/console/routes.js";
import { DocumentCache } from "./http/discovery/document-cache.js";
import { discoveryGroup } from "./http/discovery/documents.js";
import { describeDocuments } from "./http/discovery/openapi.js";
import { homeRoutes } from "./http/docs/home.js";
import { docsRoutes } from "./http/docs/routes.js";
import { feedRoutes } from "./http/feeds/routes.js";
import { healthHandler, readinessHandler, versionHandler } from "./http/health/health.js";
import { metricsHandler } from "./http/health/metrics.js";
import { openapiHandler } from "./http/health/openapi.js";
import { agentHandlers } from "./http/mandates/agents.js";
import { escalationHandlers } from "./http/mandates/escalations.js";
import { submitHandler } from "./http/mandates/submit.js";
import { McpHandler } from "./http/mcp/handler.js";
import { renderRpcError } from "./http/mcp/rpc.js";
import { pictureRoutes } from "./http/pictures/routes.js";
import { sandboxRoutes } from "./http/sandbox/routes.js";
import { renderCompactProblem } from "./http/server/errors.js";
import { get, group, post, type RouteGroup } from "./http/server/exchange.js";
import { renderMandateError, renderSubmitError } from "./http/server/mandate-answer.js";
import { createPipeline } from "./http/server/pipeline.js";
import { McpShopTools } from "./http/ucp/mcp-tools.js";
import { PlatformProfiles } from "./http/ucp/platform-profiles.js";
import { ucpGroups } from "./http/ucp/routes.js";
import { edgeVisitsHandler } from "./http/visits/edge-visits.js";
import { beaconHandler, embedHandler } from "./http/visits/page-script.js";
import { stripeHandlers } from "./http/webhooks/stripe.js";

const AGENT = ":agent{agt_[\\w-]+}";
const ESCALATION = ":escalation{esc_[\\w-]+}";

/** Every route of every group: first those of the pipeline, then those that Hono serves behind it. */
export function createApp(context: Context): RequestListener {
  const agents = agentHandlers(context);
  const escalations = escalationHandlers(context);
  const stripe = stripeHandlers(context);
  const platformProfiles = new PlatformProfiles(context);
  const mcp = new McpHandler(context, new McpShopTools(context, platformProfiles));
  const described = [
    feedRoutes(context),
    pictureRoutes(context),
    publicAuditRoutes(context),
    adminRoutes(context),
    consoleRoutes(context),
  ];
  const descriptions = [describeDocuments, describeConnections];
  const groups: RouteGroup[] = [
    discoveryGroup(context, new DocumentCache(context)),
    group({ name: "mandates", cors: "echo" }, [
      post("/v1/m/:site/mandate", submitHandler(context), renderSubmitError),
      post("/v1/m/:site/agents/challenge", agents.challenge, renderMandateError),
      post("/v1/m/:site/agents", agents.register, renderMandateError),
      post(`/v1/m/:site/agents/${AGENT}/keys`, agents.rotateKey, renderMandateError),
      get(`/v1/m/:site/agents/${AGENT}`, agents.status),
      get(`/v1/m/:site/escalations/${ESCALATION}`, escalations.status),
      post(
        `/v1/m/:site/escalations/${ESCALATION}/withdraw`,
        escalations.withdraw,
        renderMandateError,
      ),
    ]),
    group(
      { name: "mcp", cors: "open", quiet: "all", checksHost: isLoopback(context.config.host) },
      [post("/v1/mcp/:site", mcp.handle, renderRpcError)],
    ),
    ...ucpGroups(context, platformProfiles),
    group({ name: "visits", cors: "open", quiet: "all" }, [
      post("/v1/discovery/ingest", beaconHandler(context), renderCompactProblem),
      get("/embed.js", embedHandler()),
    ]),
    group({ name: "edge", cors: "none" }, [
      post("/v1/edge/:site/visits", edgeVisitsHandler(context)),
    ]),
    group({ name: "hooks", cors: "none" }, [
      post("/v1/hooks/stripe/:site/events", stripe.events),
      post("/v1/hooks/stripe/:site/order-approval", stripe.orderApproval),
    ]),
    connectionGroup(context),
    group({ name: "operations", cors: "open" }, [
      get("/healthz", healthHandler),
      get("/readyz", readinessHandler(context)),
      get("/version", versionHandler),
    ]),
    // No other origin may read metrics: a page in a local browser is a local client.
    group({ name: "metrics", cors: "none" }, [get("/metrics", metricsHandler(context))]),
    group({ name: "openapi", cors: "open" }, [
      get("/openapi.json", openapiHandler(described, descriptions, context.config)),
    ]),
  ];
  const honoGroups = [...described, sandboxRoutes(context), homeRoutes(), docsRoutes(context)];
  return createPipeline(groups, honoGroups, context);
}
