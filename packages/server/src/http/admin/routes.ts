import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import {
  describedRoutes,
  type HonoGroup,
  type HttpEnv,
  strictBodies,
} from "../server/hono-group.js";
import { type AdminEnv, signIn, signInAgain } from "./access.js";
import { agentRoutes } from "./agents.js";
import { auditRoutes } from "./audit.js";
import { auditArchiveRoutes } from "./audit-archives.js";
import { auditRecordRoute } from "./audit-record.js";
import { INSTALLATION_LOGS, SITE_LOGS } from "./audit-schemas.js";
import { buyerRoutes } from "./buyers.js";
import { changesRoute } from "./changes.js";
import { clockRoutes } from "./clock.js";
import { consoleLinkRoute } from "./console-links.js";
import { decisionCountRoutes } from "./decision-counts.js";
import { decisionRoutes } from "./decisions.js";
import { declineRoutes } from "./declines.js";
import { documentRoutes } from "./documents.js";
import { edgeTokenRoutes } from "./edge-tokens.js";
import { escalationRoutes } from "./escalations.js";
import { installRoutes } from "./install.js";
import { keyRoutes } from "./keys.js";
import { mandateRoutes } from "./mandates.js";
import { messageRoutes } from "./messages.js";
import { notificationRoutes } from "./notifications.js";
import { orderChangeRoutes } from "./order-changes.js";
import { orderPaymentRoutes } from "./order-payments.js";
import { orderRoutes } from "./orders.js";
import { pauseRoutes } from "./pause.js";
import { peopleRoutes } from "./people.js";
import { personSessionRoutes } from "./person-sessions.js";
import { pictureUploadRoutes } from "./picture-uploads.js";
import { platformConnectionRoutes } from "./platform-connection.js";
import { platformCredentialRoutes } from "./platform-credentials.js";
import { platformSettingsRoutes } from "./platform-settings.js";
import { platformRoutes } from "./platforms.js";
import { policyRoutes } from "./policy.js";
import { policyVersionRoutes } from "./policy-versions.js";
import { processorRoutes } from "./processor.js";
import { productFeedRoutes } from "./product-feed.js";
import { productFileRoutes, productImportRoutes } from "./product-imports.js";
import { productRoutes } from "./products.js";
import { questionRoutes } from "./questions.js";
import { salesCountRoutes } from "./sales-counts.js";
import { shopRoutes } from "./shop.js";
import { shopConnectionRoutes } from "./shop-connection.js";
import { siteRoutes } from "./sites.js";
import { skillRoutes } from "./skills.js";
import { testPurchaseRoutes } from "./test-purchases.js";
import { tokenRoutes } from "./tokens.js";
import { visitRoutes } from "./visits.js";

/** The admin API for operators, owners, reviewers and auditors: tokens, strict JSON, no CORS. */
export function adminRoutes(context: Context): HonoGroup {
  const routes = describedRoutes<AdminEnv>();
  routes.use("/v1/admin/*", signIn(context));
  productFileRoutes(routes, context);
  pictureUploadRoutes(routes, context);
  routes.use("/v1/admin/*", strictBodies(context), signInAgain(context));
  siteRoutes(routes, context);
  pauseRoutes(routes, context);
  declineRoutes(routes, context);
  skillRoutes(routes, context);
  documentRoutes(routes, context);
  installRoutes(routes, context);
  policyRoutes(routes, context);
  policyVersionRoutes(routes, context);
  for (const owner of [SITE_LOGS, INSTALLATION_LOGS]) {
    auditRoutes(routes, context, owner);
    auditRecordRoute(routes, context, owner);
    auditArchiveRoutes(routes, context, owner);
  }
  visitRoutes(routes, context);
  agentRoutes(routes, context);
  platformRoutes(routes, context);
  platformSettingsRoutes(routes, context);
  platformCredentialRoutes(routes, context);
  platformConnectionRoutes(routes, context);
  mandateRoutes(routes, context);
  decisionCountRoutes(routes, context);
  decisionRoutes(routes, context);
  shopRoutes(routes, context);
  escalationRoutes(routes, context);
  processorRoutes(routes, context);
  productRoutes(routes, context);
  productImportRoutes(routes, context);
  productFeedRoutes(routes, context);
  shopConnectionRoutes(routes, context);
  testPurchaseRoutes(routes, context);
  salesCountRoutes(routes, context);
  orderRoutes(routes, context);
  orderChangeRoutes(routes, context);
  buyerRoutes(routes, context);
  questionRoutes(routes, context);
  orderPaymentRoutes(routes, context);
  notificationRoutes(routes, context);
  messageRoutes(routes, context);
  peopleRoutes(routes, context);
  personSessionRoutes(routes, context);
  tokenRoutes(routes, context);
  edgeTokenRoutes(routes, context);
  keyRoutes(routes, context);
  clockRoutes(routes, context);
  consoleLinkRoute(routes, context);
  changesRoute(routes, context);
  return { name: "admin", cors: "none", routes: routes as unknown as OpenAPIHono<HttpEnv> };
}
