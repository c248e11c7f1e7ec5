import { ManifestError, type ManifestErrorCode } from "@cadastre/manifest";
import { ClientError, type ClientErrorCode, exitCodeOf, exitCodes } from "./errors.ts";

/**
 * The effect of a failure on a run without `--once`. `goes on`: the run retries after a pause, without limit. `ends if repeated`: it
 * retries, and ends at the third such failure in a row, because a single one may be a transmission error. `ends`: it ends at once.
 */
export type Consequence = "goes on" | "ends if repeated" | "ends";

/** Default consequences, by the name of the failure's exit code. */
const consequenceOfEnding: Readonly<Record<keyof typeof exitCodes, Consequence>> = {
  done: "ends",
  fault: "ends",
  usage: "ends",
  refused: "ends if repeated",
  later: "goes on",
  untrusted: "ends if repeated",
  conflict: "ends if repeated",
  local: "ends",
  occupied: "ends",
};

/** Exceptions to {@link consequenceOfEnding}, by error code. */
export const consequenceOfCode: Readonly<Partial<Record<ClientErrorCode | ManifestErrorCode, Consequence>>> =
  {
    // The server asks for a pause that is longer than a run waits.
    wait_too_long: "ends",
    interrupted: "ends",
    // Passes when the server creates the next delivery, or its operator renews the entitlement.
    entitlement_changed: "goes on",
    entitlement_expired: "goes on",
    part_lost: "goes on",
    // Damaged in transit, or in the server's storage until the server has rebuilt the part.
    answer_malformed: "goes on",
    manifest_hash_differs: "goes on",
    part_hash_differs: "goes on",
    part_length_differs: "goes on",
    // A retry gives the same result: the fault is in signed content, or in the copy itself.
    subscription_canceled: "ends",
    access_removed: "ends",
    pin_differs: "ends",
    delivered_to_bucket: "ends",
    dataset_not_loadable: "ends",
    part_content_differs: "ends",
    part_count_differs: "ends",
    part_malformed: "ends",
    removal_contradicted: "ends",
    ledger_conflict: "ends",
    table_foreign: "ends",
    copy_replaced: "ends",
    copy_ended: "ends",
    copy_purged: "ends",
    copy_differs: "ends",
  };

/** Number of equal failures in a row that ends a run. */
const mostRepeated = 3;

/** Decides if a run goes on after a failure, and counts equal failures in a row. */
export type FailureCount = {
  /** Counts the failure. True if the run goes on. */
  readonly goesOn: (error: unknown) => error is ClientError | ManifestError;
  readonly reset: () => void;
};

export function countFailures(): FailureCount {
  let last: string | undefined;
  let times = 0;
  return {
    goesOn: (error): error is ClientError | ManifestError => {
      if (!(error instanceof ClientError || error instanceof ManifestError)) return false;
      times = error.code === last ? times + 1 : 1;
      last = error.code;
      const consequence = consequenceOf(error);
      return consequence === "goes on" || (consequence === "ends if repeated" && times < mostRepeated);
    },
    reset: () => {
      last = undefined;
    },
  };
}

const endingOf = new Map<number, string>(Object.entries(exitCodes).map(([ending, code]) => [code, ending]));

function consequenceOf(error: ClientError | ManifestError): Consequence {
  const ending = endingOf.get(exitCodeOf(error)) as keyof typeof exitCodes;
  return consequenceOfCode[error.code] ?? consequenceOfEnding[ending];
}
