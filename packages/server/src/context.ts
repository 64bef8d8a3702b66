import { dnsResolver, type Resolver, type SafeFetch } from "@gatehouse/safe-fetch";
import { applyRevocations } from "./actions/installation/apply-revocations.js";
import { RejectionAggregator } from "./actions/mandates/rejection-aggregator.js";
import type { Tool } from "./actions/mcp/tools.js";
import { QuestionInbox } from "./actions/questions/question-inbox.js";
import { offersFrom } from "./actions/sites/offer.js";
import type { Config } from "./config/config.js";
import type { ShopConnector } from "./connectors/connector.js";
import { ShopSystem } from "./connectors/shop/shop-system.js";
import { liveEdgeToken } from "./domain/access/edge/store.js";
import {
  type OperatorToken,
  operatorToken,
  refuseOthersToken,
} from "./domain/access/operator-token.js";
import { checkPasskeyHost } from "./domain/access/passkeys/store.js";
import type { Principal } from "./domain/access/principal.js";
import { ConsoleSessions } from "./domain/access/sessions/console-sessions.js";
import { type SignInTools, signInToolsOf } from "./domain/access/sign-in-tools.js";
import type { EdgeToken } from "./domain/access/token.js";
import {
  authenticate,
  TokenAuthenticator,
  tokenDigest,
} from "./domain/access/token-authenticator.js";
import { Challenges } from "./domain/agents/challenge.js";
import { AuditLog, type AuditTools } from "./domain/audit/audit-log.js";
import { INSTALLATION, installationHost } from "./domain/audit/log.js";
import { PolicyCache } from "./domain/policies/policy-cache.js";
import { PICTURE_UPLOADS_MAX } from "./domain/products/pictures/picture.js";
import { RevocationFile } from "./domain/revocations/revocation-file.js";
import { SiteKeys } from "./domain/site-keys/site-keys.js";
import { LiveSites } from "./domain/sites/live-sites.js";
import { domainOfSite } from "./domain/sites/store.js";
import { RecordQuota } from "./domain/stranger-records/record-quota.js";
import { StrangerWords } from "./domain/stranger-records/stranger-words.js";
import { VisitLog } from "./domain/visits/visit-log.js";
import { Admission } from "./http/server/admission/admission.js";
import { OpenStreams } from "./http/server/open-streams.js";
import { TrustedProxies } from "./http/server/trusted-proxies.js";
import { type Clock, systemClock } from "./infra/clock.js";
import { countedFetch } from "./infra/counted-fetch.js";
import type { CrashPoint } from "./infra/crash-points.js";
import type { Database } from "./infra/db/database.js";
import { type Ids, systemIds } from "./infra/ids.js";
import { bindSecrets } from "./infra/installation/bind-secrets.js";
import { type DatabaseTime, recordHeartbeat } from "./infra/installation/clock-check.js";
import { ClockGuard } from "./infra/installation/clock-guard.js";
import { openDataDir } from "./infra/installation/open.js";
import { openMigrated } from "./infra/installation/open-migrated.js";
import { Jobs } from "./infra/jobs/jobs.js";
import { KeyRing } from "./infra/keys/key-ring.js";
import { createLog, type Log } from "./infra/log/log.js";
import { Mailer } from "./infra/mail/mailer.js";
import { Metrics } from "./infra/metrics.js";
import { NetworkShares } from "./infra/quota/stored-bytes.js";
import { ConcurrencyLimit } from "./infra/rate-limit/concurrency-limit.js";
import { LocalLimiter } from "./infra/rate-limit/local.js";
import type { Secrets } from "./infra/secrets/secrets.js";
import { findSecretsKey } from "./infra/secrets/secrets-key.js";
import { openTelemetry } from "./infra/telemetry/open-telemetry.js";
import type { Telemetry } from "./infra/telemetry/telemetry.js";
import { passkeyHost } from "./infra/web-name.js";
import type { WebhookSender } from "./infra/webhook-sender.js";
import { NO_PEERS, type Peers } from "./infra/workers/peers.js";
import type { PaymentProvider, PaymentProviders } from "./payments/provider.js";
import { openProviders } from "./payments/providers.js";
import { webhookSender } from "./purchase/orders/shop-webhooks.js";

/** Browsers that follow what changes, at one process. */
const STREAMS = { all: 500, perPrincipal: 20, perSite: 60 };

/** Drafts of a policy tested at a time, per site and in all: requests that wait for a decision come first. */
const POLICY_TESTS_MAX = { perKey: 1, total: 2 };

/** Requests that wait for payments at once, in this process; further ones are refused and may try again. */
const PAYMENT_WAITS_MAX = { perKey: 1000, total: 1000 };

/** Everything a request may need, composed once. Handlers and actions get it as their argument. */
export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Sends traces and metrics; undefined unless the operator has named a collector. */
  readonly telemetry: Telemetry | undefined;
  /** The other workers of this machine. */
  readonly peers: Peers;
  readonly db: Database;
  readonly secrets: Secrets;
  /** Checks the clock; nothing is approved while it cannot be trusted. */
  readonly clockGuard: ClockGuard;
  readonly keys: KeyRing;
  readonly audit: AuditLog;
  readonly revocations: RevocationFile;
  readonly jobs: Jobs;
  readonly resolver: Resolver;
  readonly safeFetch: SafeFetch;
  /** Shares of the networks that strangers come from. */
  readonly networkShares: NetworkShares;
  readonly webhooks: WebhookSender;
  /** Asks the shop systems that sites are connected to. */
  readonly shopSystem: ShopConnector;
  /** Questions of browsing agents to the shop system of each site. */
  readonly shopQuestions: LocalLimiter;
  readonly mailer: Mailer;
  /** Admits or refuses every request. */
  readonly admission: Admission;
  readonly liveSites: LiveSites;
  readonly siteKeys: SiteKeys;
  readonly visits: VisitLog;
  readonly questions: QuestionInbox;
  readonly challenges: Challenges;
  readonly rejections: RejectionAggregator;
  /** Limits the records that strangers' calls add to the logs. */
  readonly recordAllowance: RecordQuota;
  readonly strangerWords: StrangerWords;
  /** Failed signatures by source and the agent they name. */
  readonly mandatePairs: LocalLimiter;
  readonly policies: PolicyCache;
  /** Requests that wait for a payment under way. */
  readonly paymentWaits: ConcurrencyLimit;
  /** Tries of drafts and imports of products under way, by site. */
  readonly policyTests: ConcurrencyLimit;
  readonly pictureUploads: ConcurrencyLimit;
  readonly imports: ConcurrencyLimit;
  readonly tokenAuthenticator: TokenAuthenticator<Principal>;
  /** Apart from people's: an edge with a wrong token must not lock its owner out. */
  readonly edgeAuthenticator: TokenAuthenticator<EdgeToken>;
  readonly operatorToken: OperatorToken;
  readonly consoleSessions: ConsoleSessions;
  readonly signInTools: SignInTools;
  readonly streams: OpenStreams;
  /** Who can be asked to authorize payments, by the name sites connect them with. */
  readonly providers: PaymentProviders;
  readonly crashPoint: CrashPoint;
  /** Tools that every site has in addition to its own. Only tests set them. */
  readonly fixtureTools: readonly Tool[];
  close(): Promise<void>;
}

/** What tests and tools replace; everything else is composed as in production. */
export type Overrides = Partial<
  Pick<Context, "clock" | "ids" | "log" | "peers" | "resolver" | "fixtureTools">
> & {
  /** Called at every moment at which a crash would leave something half done. */
  readonly crashPoint?: CrashPoint;
  /** The time of the database's machine, for tests that set `clock`. */
  readonly databaseTime?: DatabaseTime;
  /** Stands before the embedded provider: tests make it fail. */
  readonly processor?: (sandbox: PaymentProvider) => PaymentProvider;
  /** Payment providers in addition to those that are built in. */
  readonly providers?: PaymentProviders;
  /** Wraps the database: tests make it fail, or run every transaction twice. */
  readonly database?: (opened: Database) => Database;
};

/** Names logs: a site's after its domain, the installation's after its address. */
function logNames({ baseUrl }: Config): AuditTools["domainOf"] {
  const own = installationHost(baseUrl);
  return async (tx, owner) => (owner === INSTALLATION ? own : domainOfSite(tx, owner));
}

/** What is composed first: nothing of it needs the database. */
type Tools = Pick<
  Context,
  "clock" | "ids" | "log" | "metrics" | "telemetry" | "peers" | "resolver" | "crashPoint"
>;

/** Opens what is kept in the database and beside it: keys, logs, the list of revocations. */
async function openKept(
  config: Config,
  db: Database,
  foundKey: ReturnType<typeof findSecretsKey>,
  tools: Tools,
) {
  const { clock, ids } = tools;
  const { worker } = tools.peers;
  const { dataDir, archiveDir } = config;
  const secrets = await bindSecrets(config, db, ids, foundKey);
  const keys = new KeyRing(db, secrets, clock, config.keyAliases);
  await keys.start();
  const domainOf = logNames(config);
  const audit = new AuditLog({ ...tools, db, keys, dataDir, worker, archiveDir, domainOf });
  await audit.start();
  // Applies revocations that the database does not have, before anybody is let in.
  const revocationTools = { ...tools, db, dataDir, worker, apply: applyRevocations };
  const revocations = await RevocationFile.start(revocationTools);
  const token = operatorToken(config, ids);
  const operatorDigest = tokenDigest(token.token);
  await refuseOthersToken(db, operatorDigest);
  await checkPasskeyHost(db, tools.log, passkeyHost(config.baseUrl));
  await recordHeartbeat(db, clock.now());
  return { db, secrets, keys, audit, revocations, operatorToken: token, operatorDigest };
}

function compose(
  config: Config,
  tools: Tools,
  kept: Awaited<ReturnType<typeof openKept>>,
  overrides: Overrides,
): Context {
  const { clock, ids, log, metrics, resolver } = tools;
  const { operatorDigest, ...stored } = kept;
  const { db, secrets, keys, audit, revocations } = stored;
  const { baseUrl, limits, stripeApiBase } = config;
  const visits = new VisitLog(db);
  const questions = new QuestionInbox({ ...tools, db });
  const jobs = new Jobs(db, clock, ids, log);
  const recordBytes = limits.MCP_RECORD_KB_PER_SITE_PER_DAY * 1024;
  const recordAllowance = new RecordQuota({ db, clock, log }, recordBytes);
  const rejections = new RejectionAggregator({ ...tools, audit });
  const safeFetch = countedFetch({ resolver, clock, allow: config.fetchAllow }, metrics);
  const siteKeys = new SiteKeys(db, secrets, clock);
  const proxies = new TrustedProxies(config.trustProxy);
  const policies = new PolicyCache();
  return {
    config,
    ...tools,
    ...stored,
    jobs,
    visits,
    questions,
    safeFetch,
    siteKeys,
    rejections,
    recordAllowance,
    clockGuard: new ClockGuard(db, clock, overrides.databaseTime),
    providers: openProviders(
      { baseUrl, db, clock, ids, secrets, stripeApiBase },
      { wrapSandbox: overrides.processor, others: overrides.providers },
    ),
    webhooks: webhookSender(config, { db, safeFetch, keys, clock, siteKeys }),
    shopSystem: new ShopSystem({ ...tools, safeFetch, secrets }),
    mailer: new Mailer(config.mail, baseUrl, clock),
    admission: new Admission({ limits, clock, metrics, proxies }),
    liveSites: new LiveSites({ db, baseUrl, ...offersFrom(db, policies) }),
    challenges: new Challenges(secrets, ids),
    networkShares: new NetworkShares(secrets),
    strangerWords: new StrangerWords(ids),
    mandatePairs: new LocalLimiter({ perMinute: 1, burst: 10 }),
    shopQuestions: new LocalLimiter({ perMinute: 120, burst: 60 }),
    policies,
    paymentWaits: new ConcurrencyLimit(PAYMENT_WAITS_MAX),
    policyTests: new ConcurrencyLimit(POLICY_TESTS_MAX),
    pictureUploads: new ConcurrencyLimit(PICTURE_UPLOADS_MAX),
    imports: new ConcurrencyLimit({ perKey: 1, total: Number.POSITIVE_INFINITY }),
    fixtureTools: overrides.fixtureTools ?? [],
    tokenAuthenticator: new TokenAuthenticator(clock, (digest) =>
      authenticate(db, digest, operatorDigest, clock.now()),
    ),
    edgeAuthenticator: new TokenAuthenticator(clock, (digest) => liveEdgeToken(db, digest)),
    streams: new OpenStreams(STREAMS),
    consoleSessions: new ConsoleSessions({ db, clock, ids, secrets, operatorDigest }),
    signInTools: signInToolsOf(config, secrets, ids),
    close: async () => {
      await jobs.stop();
      await visits.drain();
      await questions.drain();
      await rejections.close();
      await recordAllowance.close();
      await audit.close();
      await revocations.close();
      await db.close();
      await tools.telemetry?.stop();
    },
  };
}

/**
 * Composes the service. Everything that can be refused is read before anything is written:
 * configuration, key files, then the database; the files of a new installation come last.
 */
export async function createContext(config: Config, overrides: Overrides = {}): Promise<Context> {
  const log = overrides.log ?? createLog(config.logLevel);
  const metrics = new Metrics();
  const [clock, ids] = [overrides.clock ?? systemClock, overrides.ids ?? systemIds];
  const tools: Tools = {
    clock,
    ids,
    log,
    metrics,
    telemetry: await openTelemetry(config.telemetry, { clock, ids, log, metrics }),
    peers: overrides.peers ?? NO_PEERS,
    resolver: overrides.resolver ?? dnsResolver(),
    crashPoint: overrides.crashPoint ?? (() => {}),
  };
  const foundKey = findSecretsKey(config);
  openDataDir(config.dataDir);
  const opened = await openMigrated(config, tools);
  const db = overrides.database?.(opened) ?? opened;
  try {
    return compose(config, tools, await openKept(config, db, foundKey, tools), overrides);
  } catch (error) {
    await db.close();
    throw error;
  }
}
