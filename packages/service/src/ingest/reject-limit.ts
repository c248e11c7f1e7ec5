import { RecordsRejected, type RejectReasons } from "./reject-reasons.ts";

/** Limits on the rejected records of a run. */
export type RejectLimit = {
  readonly count: number;
  /** Greatest share of the records that were read. It is looked at from {@link fewestRejects} on. */
  readonly share: number;
};

/** Rejected records that tell nothing of their share. */
const fewestRejects = 100;

/** Allows every record to be rejected. */
export const noRejectLimit: RejectLimit = { count: Number.POSITIVE_INFINITY, share: 1 };

/**
 * Returns the limit that an operator gives as a count. Without one, most records must be taken: a source whose records are rejected by the
 * thousand needs another mapping, not another run.
 *
 * @param most greatest count where the operator gives none
 */
export const rejectLimit = (given: number | undefined, most = Number.POSITIVE_INFINITY): RejectLimit =>
  given === undefined ? { count: most, share: 0.5 } : { count: given, share: 1 };

/** @throws {RecordsRejected} if more records are rejected than allowed */
export function requireFewRejects(
  { read, rejected }: { readonly read: number; readonly rejected: number },
  limit: RejectLimit,
  { file, reasons }: { readonly file: string; readonly reasons: RejectReasons },
): void {
  const isOverShare = rejected >= fewestRejects && rejected > read * limit.share;
  if (rejected <= limit.count && !isOverShare) return;
  const found = reasons.found();
  const [first] = found;
  const often =
    first === undefined
      ? ""
      : `, most often for ${first.code}${first.field === null ? "" : ` of ${first.field}`}`;
  const told = isOverShare
    ? `${rejected} of the first ${read} records are rejected${often}, see ${file}: put them or their mapping right, or allow a number of them with --max-rejects`
    : `${rejected} records are rejected, more than ${limit.count}${often}, see ${file}: put them right, or allow more with --max-rejects`;
  throw new RecordsRejected(told, found);
}
