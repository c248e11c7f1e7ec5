import type { AuditAction } from "./actions.ts";

/** Actor of an action: a customer with an API key, an operating system user with a command, or a worker of the service. */
type AuditActor =
  | { readonly type: "customer"; readonly customer: string; readonly keyId: string }
  | { readonly type: "cli"; readonly user: string }
  | { readonly type: "worker"; readonly name: string };

/** Identifiers of the object of an action, never its content. The type is the first word of the action. */
export type AuditObject = {
  readonly id?: string | undefined;
  readonly customer?: string;
  /** Number of a part; 0 for the manifest. */
  readonly part?: number;
  /** Version of an entitlement or a pepper. */
  readonly version?: number;
  /** Id of the API key that a new one replaces, or of the key that signs an entitlement. */
  readonly key?: string | undefined;
  /** True if the request repeats an earlier one and has changed nothing. */
  readonly replayed?: true;
};

/**
 * Returns an id from a request if it has the format of a UUID or a ULID. Other text is not recorded: it may be a misplaced secret, such as
 * a token.
 */
export const recordableId = (text: string): string | undefined =>
  /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\dA-HJKMNP-TV-Z]{26})$/i.test(text) ? text : undefined;

/** An action that is about to be carried out. */
type AuditedAction = {
  readonly action: AuditAction;
  readonly actor: AuditActor;
  readonly object: AuditObject;
  /** Null for a command and a worker. */
  readonly requestId: string | null;
  /** IP address of the client; null for a command and a worker. */
  readonly address: string | null;
};

/** Outcome of an action: `done`, `refused` to the actor, or `failed` by a fault of the service. */
export type AuditOutcome = { readonly outcome: "done" | "refused" | "failed"; readonly code: string | null };

/** Destination of the lines of the audit trail. */
export type AuditSink = {
  /**
   * Writes the line, after all earlier lines that could not be written. Resolves when they are on the disk. An empty text only writes the
   * earlier ones.
   *
   * @throws {DataError} if the lines cannot be written; they are kept for the next call
   */
  readonly append: (line: string) => Promise<void>;
};

/** Audit trail of actions. Fails closed: without its line an action has no result, and none starts while a line is unwritten. */
export type AuditTrail = {
  /**
   * Runs an action and writes its line, also if it throws, before returning its result. The action does not start while earlier lines
   * cannot be written.
   *
   * @param work gets a function that adds identifiers to the object which are only known during the action
   * @throws {DataError} if the trail cannot be written
   */
  readonly run: <T>(
    action: AuditedAction,
    work: (know: (object: AuditObject) => void) => Promise<T>,
  ) => Promise<T>;
};

/** @param outcomeOf returns the outcome of an action that threw the error */
export function createAuditTrail(
  { append }: AuditSink,
  outcomeOf: (error: unknown) => AuditOutcome,
  now: () => number = Date.now,
): AuditTrail {
  const record = (
    { action, actor, object, ...request }: AuditedAction,
    ended: AuditOutcome,
  ): Promise<void> => {
    const time = new Date(now()).toISOString();
    return append(`${JSON.stringify({ time, action, ...ended, actor, object, ...request })}\n`);
  };
  return {
    async run(action, work) {
      await append("");
      let { object } = action;
      const know = (known: AuditObject) => {
        object = { ...object, ...known };
      };
      const [result, ended] = await settled(work(know), outcomeOf);
      await record({ ...action, object }, ended);
      return result();
    },
  };
}

/** Waits for an action. Returns its outcome, and a function that returns its result or throws its error. */
const settled = <T>(
  work: Promise<T>,
  outcomeOf: (error: unknown) => AuditOutcome,
): Promise<readonly [result: () => T, ended: AuditOutcome]> =>
  work.then(
    (result) => [() => result, { outcome: "done", code: null }] as const,
    (error: unknown) => {
      const rethrow = () => {
        throw error;
      };
      return [rethrow, outcomeOf(error)] as const;
    },
  );
