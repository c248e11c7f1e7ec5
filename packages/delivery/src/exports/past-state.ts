import { DeliveryError } from "../errors.ts";
import type { Delivery } from "../ledger/delivery.ts";
import type { DeliveryRecords } from "../ledger/ledger.ts";
import type { ExportSource } from "../source/export-source.ts";
import { statedTime } from "./pinned.ts";

/** The state that an export is made of. */
export type ExportState = {
  readonly checkpoint: number;
  /** Time of the state, in milliseconds since 1970, if it is not that of the request. */
  readonly asOf?: number;
};

/** Public name of a checkpoint: `window.toCheckpoint` of a manifest. */
const checkpointName = /^c1:[0-9a-f]{32}$/;

/** A time as in RFC 3339, with a zone. */
const instant = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

export type PastStateMeans = {
  readonly source: Pick<ExportSource, "checkpoint" | "stateAt">;
  readonly ledger: Pick<DeliveryRecords, "endingAt">;
};

/**
 * Finds the state that an export asks for: a time, or the checkpoint that an earlier delivery of the customer ended at. Without either it is
 * the present one.
 *
 * @param now milliseconds since 1970
 * @throws {DeliveryError} `invalid_as_of`, `as_of_expired`
 */
export async function exportStateOf(
  means: PastStateMeans,
  customer: string,
  asOf: string | undefined,
  now: number,
): Promise<ExportState> {
  const { source } = means;
  if (asOf === undefined) return { checkpoint: await source.checkpoint() };
  const ended = checkpointName.test(asOf) ? await requireEnding(means, customer, asOf) : undefined;
  const time = ended === undefined ? requireInstant(asOf) : statedTime(ended);
  if (Number.isNaN(time) || time > now || source.stateAt === undefined)
    throw new DeliveryError("invalid_as_of");
  const then = await source.stateAt(time);
  const checkpoint = ended?.toCheckpoint ?? then.checkpoint;
  // A database that was restored may not have the commit of an earlier delivery.
  const isThere = checkpoint <= (await source.checkpoint());
  if (checkpoint === 0 || checkpoint < then.earliest || !isThere) throw new DeliveryError("as_of_expired");
  return { checkpoint, asOf: time };
}

const requireInstant = (text: string): number => (instant.test(text) ? Date.parse(text) : Number.NaN);

async function requireEnding({ ledger }: PastStateMeans, customer: string, name: string): Promise<Delivery> {
  const found = await ledger.endingAt(customer, name);
  if (found === undefined) throw new DeliveryError("invalid_as_of");
  return found;
}
