import { randomBytes } from "node:crypto";
import { type EntityModel, QueryError, type SystemOptionName } from "@cadastre/odata";
import { contentTag } from "@cadastre/odata/run";
import { type Answer, noContent, type Piece } from "../answer/answer.ts";
import { answerRead } from "../answer/answer-read.ts";
import type { AnswerSession, AnswerSettings } from "../answer/answer-session.ts";
import { errorAnswer } from "../answer/error-answer.ts";
import { answerBatch } from "../batch/answer-batch.ts";
import { batchParser, maxBatchLength } from "../batch/read-batch.ts";
import { ProtocolError } from "../errors.ts";
import { declareModel } from "../model/entity-model.ts";
import type { EntitySetDeclaration } from "../model/entity-set.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { maxPostedQuery, postedQueryOf, requireQueryType } from "../protocol/posted-query.ts";
import { continueOnErrorOf } from "../protocol/prefer.ts";
import { allowed, purposeOf, requireMethod, withoutQuery } from "../protocol/resource-address.ts";
import { maxUrlLength } from "../protocol/url-text.ts";
import { type HeaderReader, negotiatedVersion } from "../protocol/version.ts";
import { everything, type Restriction, type Restrictions, restrictionsKey } from "../source/restriction.ts";
import { checkOptions } from "./check-options.ts";
import { type ServiceOptions, unrestricted } from "./service-options.ts";

/** A request as a framework has received it. */
export type ServiceRequest = {
  readonly method: string;
  /** Absolute URL of the service root, without a trailing slash. */
  readonly root: string;
  /** Path of the service root as the service is reached, such as `/odata`. */
  readonly ownRoot: string;
  /** Path below the service root, percent-encoded: empty, or with a slash at its start. */
  readonly path: string;
  /** Undecoded query string, without the question mark. */
  readonly query: string;
  readonly header: HeaderReader;
  /** Returns the body as text. @throws {ProtocolError} `body_too_large`, `invalid_encoding`, `unsupported_media_type` */
  readonly body: (maxBytes: number) => Promise<string>;
  /** Returns a signal that aborts when the client disconnects. */
  readonly clientGone: () => AbortSignal;
};

/** A complete response. A batch is answered while its body is sent. */
export type ServiceAnswer = Omit<Answer, "body"> & {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Answer["body"] | AsyncIterable<Piece>;
};

/** Answers requests of a framework. Never rejects. */
export type OdataService<Request> = (request: ServiceRequest, host: Request) => Promise<ServiceAnswer>;

const untimed: OdataRequest["stages"] = { time: (_, work) => work() };

/**
 * Creates a service over declared entity sets.
 *
 * @throws {TypeError} if an option is unknown, missing or not what it must be, declarations contradict each other, or the source cannot read them
 */
export function odataService<Request, const Sets extends readonly EntitySetDeclaration[]>(
  options: ServiceOptions<Request, Sets>,
): OdataService<Request> {
  checkOptions(options);
  const { namespace, container = "Container", entitySets, authorize, version: ownVersion = "4.0" } = options;
  const declared = declareModel(namespace, container, entitySets);
  const { onError = console.error, onMismatch = ({ message }) => console.warn(message) } = options;
  const sourceOf = options.source(declared, { onMismatch, onError });
  const settings = settingsOf(options);
  const { model, declarations } = declared;

  const toSession = (restrictions: Restrictions): AnswerSession => ({
    model,
    source: sourceOf(restrictions),
    settings,
    queryDefaults: ({ name }) => declarations.get(name) ?? { orderBy: [], searchable: [] },
    customer: "",
    scope: contentTag(restrictionsKey(restrictions)),
    scopeChanged: () => new QueryError("invalid_skip_token", null, {}, "$skiptoken"),
  });

  async function sessionOf(host: Request): Promise<AnswerSession> {
    await authorize?.(host);
    const given =
      options.restrict === unrestricted ? everythingOf(model) : Object.entries(await options.restrict(host));
    return toSession(new Map(given as readonly (readonly [string, Restriction])[]));
  }

  /** Returns the answer of `work`; of an error, the answer to it. */
  async function answering(
    work: (onOptions: OdataRequest["onOptions"]) => Promise<ServiceAnswer>,
  ): Promise<ServiceAnswer> {
    let texts: ReadonlyMap<string, string> | undefined;
    try {
      return await work((decoded) => {
        texts = decoded;
      });
    } catch (error) {
      const answer = errorAnswer(error, texts);
      if (answer.status === 500) onError(error);
      return { headers: {}, ...answer };
    }
  }

  return async (request, host) => {
    const version = negotiatedVersion(request.header, ownVersion);
    const answer = await answering(async (onOptions) => {
      if (version === null) throw new ProtocolError("unsupported_version");
      if (request.path.length + request.query.length > maxUrlLength) throw new ProtocolError("uri_too_long");
      const purpose = purposeOf(request.path);
      requireMethod(request.method, purpose);
      if (request.method === "OPTIONS") return { ...noContent, headers: allowed(purpose) };
      const session = await sessionOf(host);
      const read: OdataRequest = {
        ...request,
        root: options.baseUrl ?? request.root,
        version,
        stages: untimed,
        onAddress: () => {},
        onOptions,
      };
      if (purpose === "batch") return batch(request, read, session);
      const asked = purpose === "query" ? await withPostedQuery(read, request) : read;
      const path = purpose === "query" ? withoutQuery(request.path) : request.path;
      return { headers: {}, ...(await answerRead(path, asked, session)) };
    });
    const isHead = request.method === "HEAD";
    const headers = { ...answer.headers, "odata-version": version ?? ownVersion, vary: varied };
    return { ...answer, headers, ...(isHead ? { body: "" } : {}) };
  };

  async function batch(
    request: ServiceRequest,
    outer: OdataRequest,
    session: AnswerSession,
  ): Promise<ServiceAnswer> {
    const parse = batchParser(request.header("content-type"));
    const { batchRequests = 100 } = options.limits ?? {};
    const parsed = parse(await request.body(maxBatchLength), batchRequests);
    const preference = continueOnErrorOf(request.header("prefer"));
    const replies = answerBatch(parsed.items, {
      outer,
      ownRoot: request.ownRoot,
      continueOnError: preference !== undefined,
      answerItem: async (_, read) => {
        const answer = await answering(async (onOptions) => ({
          headers: {},
          ...(await read({ session, stages: untimed, onAddress: () => {}, onOptions })),
        }));
        // The answer to one request of a batch is never a batch.
        return answer as Answer;
      },
    });
    const headers = preference === undefined ? {} : { "preference-applied": preference };
    return { status: 200, contentType: parsed.contentType, headers, body: parsed.write(replies) };
  }
}

/** Request headers that an answer varies by. */
const varied = "accept, prefer, odata-version, odata-maxversion";

const everythingOf = ({ entitySets }: EntityModel) =>
  entitySets.map(({ name }) => [name, everything] as const);

/** Returns the request with the query of its body appended to that of its URL. */
async function withPostedQuery(read: OdataRequest, { header, body }: ServiceRequest): Promise<OdataRequest> {
  const contentType = header("content-type");
  requireQueryType(contentType);
  const posted = postedQueryOf(contentType, await body(maxPostedQuery));
  return { ...read, query: [read.query, posted].filter((query) => query !== "").join("&") };
}

/** Options that no service has yet. */
const unsupported: readonly SystemOptionName[] = ["$deltatoken"];

function settingsOf<Request, Sets extends readonly EntitySetDeclaration[]>({
  switchedOff = [],
  limits: { pageSize = 100, maxTop = 1000, maxSkip = 10_000 } = {},
  skipTokenKey = randomBytes(32),
  tokenLife = 3600,
}: ServiceOptions<Request, Sets>): AnswerSettings {
  return {
    pageSize,
    // Many clients follow no next link after they have stated how many records they want.
    pageSizeWithTop: maxTop,
    maxTop,
    maxTopExpanded: maxTop,
    maxSkip,
    topIsTotal: true,
    switchedOff: new Set([...unsupported, ...switchedOff]),
    ownOptions: new Map(),
    skipTokenKey,
    tokenLife,
    random: randomBytes,
    now: Date.now,
  };
}
