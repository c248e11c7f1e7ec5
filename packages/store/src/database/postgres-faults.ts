import { StoreError } from "../errors.ts";

/** SQLSTATE of a statement that a read-only transaction, such as each one of a standby, refuses. */
export const readOnlyTransaction = "25006";

/** SQLSTATE of a canceled statement: by `statement_timeout`, a cancel request, or the recovery of a standby. */
export const canceledStatement = "57014";

/**
 * SQLSTATEs of a server that cannot serve now: class 08 (connection exceptions), 57P01 to 57P05 (shutdown, crash, start, drop, idle
 * session), 53300 (too many connections), 55000 (a database that takes no connections) and {@link readOnlyTransaction}. Source: PostgreSQL, "Appendix A. PostgreSQL Error Codes".
 */
const serverStates = /^(?:08\w{3}|57P0\d|53300|55000|25006)$/;

/** Codes of Node for a connection that cannot be opened or was lost. */
const connectionCodes: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Messages of `pg` for lost connections, which have no code. Knex puts the statement before them. */
const lostConnectionMessages =
  /(?:^| - )(?:Connection terminated|Client has encountered a connection error|Client was closed)/;

const codeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" ? error.code : "";

/** SQLSTATEs of reads that a standby cancels because it replays a change of rows that they see. */
const recoveryConflicts: ReadonlySet<string> = new Set(["40001", "40P01", canceledStatement]);

/** True if a standby has canceled a read to go on with its replay: another read may succeed. */
export const isRecoveryConflict = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof StoreError) && recoveryConflicts.has(codeOf(error));

/** True if the server cannot be reached, or cannot do now what was asked: another attempt may succeed. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StoreError) return false;
  const code = codeOf(error);
  return serverStates.test(code) || connectionCodes.has(code) || lostConnectionMessages.test(error.message);
}

/** True if Knex got no connection in time. */
export const isAcquireTimeout = (error: unknown): boolean =>
  error instanceof Error && error.name === "KnexTimeoutError";

/** Throws `database_unavailable` in place of an error of {@link isUnavailable}, and other errors unchanged. */
export function throwUnavailable(error: unknown): never {
  if (!isUnavailable(error)) throw error;
  // Without the message, which may quote the address.
  throw new StoreError("database_unavailable", codeOf(error as Error) || "connection lost", { cause: error });
}
