import type { ChainLink } from "@cadastre/manifest";
import type { Columns } from "../content/columns.ts";
import type { VerifiedManifest } from "../pull/manifest.ts";
import type { StagedDelivery } from "../pull/staging.ts";

/** Whether a delivery is to be loaded, or was before. */
export type Standing = "new" | "done";

/** A delivery that was read, with the columns of its datasets. */
export type LoadableDelivery = StagedDelivery & { readonly datasets: ReadonlyMap<string, Columns> };

/** Where deliveries are loaded, with a ledger of those that were. */
export type Target = {
  /** Where to stage what is loaded here, if that matters. */
  readonly staging: string | undefined;
  /**
   * Requires that tables of these names may be written, before an export is asked for.
   *
   * @throws {ClientError} `table_occupied` if one is somebody else's
   */
  readonly requireFree: (datasets: readonly string[]) => Promise<void>;
  /**
   * What the ledger says of a delivery, before a part of it is fetched.
   *
   * @throws {ClientError | ManifestError} where it must not be loaded: another manifest was, under its generation and sequence, or
   * a table that it would fill is not this program's.
   */
  readonly standing: (delivery: VerifiedManifest) => Promise<Standing>;
  /** Load a delivery and enter it into the ledger, both or neither; `done` if it was loaded before. */
  readonly load: (delivery: LoadableDelivery) => Promise<Standing>;
  /** The last delivery of a subscription that was loaded. */
  readonly last: (subscription: string) => Promise<ChainLink | undefined>;
  readonly close: () => Promise<void>;
};
