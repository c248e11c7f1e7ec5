/**
 * Facts that spans have, with the names of their attributes: those of OpenTelemetry's semantic conventions, or Cadastre's own. A fact is
 * never text of a client or a value of a record: no key, path, literal or name of a customer.
 */
export const attributeNames = {
  method: "http.request.method",
  route: "http.route",
  /** The conventions require the path, and that what is sensitive in it is removed: it is the template. */
  path: "url.path",
  scheme: "url.scheme",
  status: "http.response.status_code",
  error: "error.type",
  system: "db.system.name",
  operation: "db.operation.name",
  cost: "cadastre.query.class",
  replica: "cadastre.query.replica",
  entitySet: "cadastre.entity_set",
  end: "cadastre.end",
  delivery: "cadastre.delivery.id",
  webhook: "cadastre.webhook.id",
  message: "cadastre.webhook.message.id",
  outcome: "cadastre.outcome",
} as const;

export type SpanFacts = { readonly [Fact in keyof typeof attributeNames]?: string | number | undefined };

/** Methods that spans name; a client may send any word. Source: OpenTelemetry Semantic Conventions, `http.request.method`. */
const methods: ReadonlySet<string> = new Set(
  "GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH".split(" "),
);

export const methodFact = (method: string): string => (methods.has(method) ? method : "_OTHER");

/** A span of a trace that is recorded. Times are in milliseconds by the clock of `performance.now()`. */
export type TraceSpan = {
  /** Starts a child. */
  readonly start: (name: string, at: number, facts?: SpanFacts) => TraceSpan;
  readonly rename: (name: string) => void;
  readonly note: (facts: SpanFacts) => void;
  /** Sets the status to an error. @param code a stable error code */
  readonly fail: (code: string) => void;
  readonly end: (at: number) => void;
  /** Value of the header `traceparent` of a request that belongs to the span. Source: W3C Trace Context, section 3.2. */
  readonly traceparent: string;
};
