import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { StripeEvent } from "./adjustments.ts";
import type { SimulatedCall } from "./calls.ts";
import { type Schema, schemasOfTypes } from "./types.ts";

/** Stripe's own shapes, from beside the repository; absent in a stranger's clone. */
const file = fileURLToPath(
  new URL("../../../../../shared/schemas/stripe/stripe-openapi-cut.json", import.meta.url),
);

interface Operation {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
  };
  readonly responses: {
    readonly 200: { readonly content: { "application/json": { schema: { $ref: string } } } };
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Paths with needs that only Stripe's documentation states. */
const ONLY_BY_WORDS: readonly string[] = ["/v1/checkout/sessions", "/v1/refunds"];

const ID = "https://stripe.invalid/";
const COMPONENT = "#/components/schemas/";
const named = (name: string) => `${COMPONENT}root.${name}`;
/** Lists, and what takes a token, are not among the operations: their objects are. */
const LISTED = /^\/v1\/(payment_intent|charge|refund|dispute|checkout\/session)s$/;
/** These say that the parameters are not what Stripe's shapes ask for. */
const MISSHAPEN = new Set(["parameter_missing", "parameter_unknown"]);
const SESSION = "checkout.session";
const SESSION_CREATE = "checkout.session_create";

/** The document has no sessions: their shapes come from the types of Stripe's library. */
function withSessions({ paths, components }: Document): Document {
  const { schemas } = components;
  const foreign = (name: string) =>
    name === "PaymentIntent" ? named("payment_intent") : `${COMPONENT}shared.${name}`;
  const types = schemasOfTypes("resources/Checkout/Sessions.d.ts", {
    place: `${COMPONENT}Sessions.`,
    foreign: (name) => {
      const $ref = foreign(name);
      return $ref.slice(COMPONENT.length) in schemas ? { $ref } : undefined;
    },
  });
  const roots = { [SESSION]: "Session", [SESSION_CREATE]: "Checkout.SessionCreateParams" };
  const added = Object.fromEntries(
    Object.entries(roots).map(([root, type]) => [`root.${root}`, types.refer(type)]),
  );
  const answer = { content: { "application/json": { schema: { $ref: named(SESSION) } } } };
  const responses = { 200: answer };
  const form = { content: { form: { schema: { $ref: named(SESSION_CREATE) } } } };
  const url = "/v1/checkout/sessions";
  const operations = {
    [url]: { post: { requestBody: form, responses } },
    [`${url}/{session}`]: { get: { responses } },
    [`${url}/{session}/expire`]: { post: { responses } },
  };
  const made = Object.fromEntries(
    Object.entries(types.made).map(([name, schema]) => [`Sessions.${name}`, schema]),
  );
  return {
    paths: { ...paths, ...operations },
    components: { schemas: { ...schemas, ...made, ...added } },
  };
}

class StripeSchemas {
  private readonly document: Document;
  private readonly answers = new Ajv2020({ strict: false, allErrors: true });
  /** Forms carry nothing but text: it is read as what the schema says it is. */
  private readonly forms = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.document = document;
    for (const ajv of [this.answers, this.forms]) ajv.addSchema({ $id: ID, ...document });
  }

  private faults(as: "answers" | "forms", ref: string, data: unknown): readonly string[] {
    const name = `${as} ${ref}`;
    const check = this.compiled.get(name) ?? this[as].compile({ $ref: ID + ref });
    this.compiled.set(name, check);
    if (check(data)) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  private operation({ method, path }: SimulatedCall): Operation | undefined {
    const found = Object.entries(this.document.paths).find(([template]) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
    );
    return found?.[1][method.toLowerCase()];
  }

  /** Undefined where no schema says what may be asked. */
  private ofRequest(call: SimulatedCall): readonly string[] | undefined {
    const [form] = Object.values(this.operation(call)?.requestBody?.content ?? {});
    if (form === undefined) return undefined;
    return this.faults("forms", form.schema.$ref, structuredClone(call.params));
  }

  private ofAnswer(call: SimulatedCall): readonly string[] {
    const body = call.answer as Record<string, unknown>;
    if (call.status !== 200) {
      const { payment_intent } = (body.error ?? {}) as { payment_intent?: unknown };
      return [
        ...this.faults("answers", `${COMPONENT}ErrorEnvelope`, body),
        ...(payment_intent === undefined ? [] : this.ofObject("payment_intent", payment_intent)),
      ];
    }
    const [, listed] = (call.method === "GET" && LISTED.exec(call.path)) || [];
    if (listed !== undefined) {
      const { object, has_more, url, data } = body;
      const whole = object === "list" && typeof has_more === "boolean" && url === call.path;
      const kind = listed.replace("/", ".");
      const items = (data as readonly unknown[]).flatMap((one) => this.ofObject(kind, one));
      return whole ? items : ["is no list", ...items];
    }
    if (call.path === "/v1/payment_methods") return this.ofObject("payment_method", body);
    const operation = this.operation(call);
    if (operation === undefined) return ["is an operation without a schema"];
    const { $ref } = operation.responses[200].content["application/json"].schema;
    return this.faults("answers", $ref, body);
  }

  ofObject(kind: string, object: unknown): readonly string[] {
    return this.faults("answers", named(kind), object);
  }

  ofEvent(event: StripeEvent): readonly string[] {
    const { object } = event.data as { readonly object: { readonly object: string } };
    return [...this.ofObject("event", event), ...this.ofObject(object.object, object)];
  }

  /** What of a call is not as Stripe's schemas say; nothing is known of one without an answer. */
  ofCall(call: SimulatedCall): readonly string[] {
    if (call.status === undefined) return [];
    const { code, param } =
      (call.answer as { error?: { code?: string; param?: string } }).error ?? {};
    const request = this.ofRequest(call);
    // The shapes know a preview's parameter whatever the version, no parameter that only a mode needs, and
    // not that one of two must be there; the rest they refuse as well.
    const ofMode = code === "parameter_missing" && ONLY_BY_WORDS.includes(call.path);
    const misshapen = MISSHAPEN.has(code ?? "") && !param?.includes("shared_payment") && !ofMode;
    const wrong = misshapen && request?.length === 0 ? ["the schema takes what was refused"] : [];
    const taken = call.status === 200 || call.status === 402;
    const faults = [...(taken ? (request ?? []) : wrong), ...this.ofAnswer(call)];
    return faults.map((fault) => `${call.method} ${call.path} ${call.status}: ${fault}`);
  }
}

export const stripeSchemas: StripeSchemas | undefined = existsSync(file)
  ? new StripeSchemas(withSessions(JSON.parse(readFileSync(file, "utf8"))))
  : undefined;
