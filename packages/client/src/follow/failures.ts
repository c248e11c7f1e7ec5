import { ManifestError, type ManifestErrorCode } from "@cadastre/manifest";
import { ClientError, type ClientErrorCode, exitCodeOf, exitCodes } from "../errors.ts";

/**
 * The consequence of a failed look for a run that goes on: it looks again after a pause, however often; it ends at the third such
 * failure in a row, for a single one may be damage on the way; or it ends at once.
 */
export type Consequence = "goes on" | "ends if repeated" | "ends";

/** By the exit code that the failure would end the program with. */
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

/** Failures with a consequence of their own. */
export const consequenceOfCode: Readonly<Partial<Record<ClientErrorCode | ManifestErrorCode, Consequence>>> =
  {
    // A server that asks for a long pause is not asked again before it is over.
    wait_too_long: "ends",
    interrupted: "ends",
    // The server is about to make another delivery, or a person another entitlement.
    entitlement_changed: "goes on",
    entitlement_expired: "goes on",
    part_lost: "goes on",
    // Damage on the way to the client, or in the server's storage until that is mended.
    answer_malformed: "goes on",
    manifest_hash_differs: "goes on",
    part_hash_differs: "goes on",
    part_length_differs: "goes on",
    // Certain at once: found in what was signed, or in the copy itself.
    pin_differs: "ends",
    delivered_to_bucket: "ends",
    dataset_not_loadable: "ends",
    part_content_differs: "ends",
    part_count_differs: "ends",
    part_malformed: "ends",
    removal_contradicted: "ends",
    ledger_conflict: "ends",
    table_foreign: "ends",
    copy_differs: "ends",
  };

/** Failures in a row that end a run if each is the same. */
const mostRepeated = 3;

/** Counts failures in a row, and tells whether a run goes on after one. */
export type FailureCount = {
  /** True if the run goes on after this failure. */
  readonly isBorne: (error: unknown) => error is ClientError | ManifestError;
  readonly reset: () => void;
};

export function countFailures(): FailureCount {
  let last: string | undefined;
  let times = 0;
  return {
    isBorne: (error): error is ClientError | ManifestError => {
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
