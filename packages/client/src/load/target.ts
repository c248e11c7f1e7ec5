import type { ChainLink } from "@cadastre/manifest";
import type { Columns } from "../content/columns.ts";
import type { DeliveredSchema } from "../content/schema.ts";
import type { VerifiedManifest } from "../fetch/manifest.ts";
import type { StagedDelivery } from "../fetch/staging.ts";

/** `new`: the delivery is to be loaded; `done`: it was loaded before; `damaged`: it was, and files of it are missing or damaged. */
export type LoadState = "new" | "done" | "damaged";

/** Result of a load. */
export type LoadReport = {
  readonly standing: LoadState;
  /** Number of rows that a snapshot or a seed has replaced, in all tables. */
  readonly rowsBefore: number;
};

/** Data that was deleted because it may not be kept any more. */
export type PurgedData = {
  /** Tables or folders, with the number of rows that each had. */
  readonly deleted: readonly { readonly name: string; readonly rows: number }[];
  /** Tables or folders that may hold rows of the copy and were left, because it is not certain that they are of it. */
  readonly left: readonly string[];
};

/** A staged delivery with the columns of its datasets. */
export type LoadableDelivery = StagedDelivery & {
  readonly datasets: ReadonlyMap<string, Columns>;
  /** Columns by the schema document; undefined for a delivery without one. */
  readonly schema?: DeliveredSchema | undefined;
};

/** A place to load deliveries into, with a ledger of those that were loaded. */
export type LoadTarget = {
  /** Folder in which to stage parts for this target; undefined if any will do. */
  readonly staging: string | undefined;
  /** Folder in which damaged deliveries are repaired in place; undefined for a database. */
  readonly folder?: string;
  /**
   * Checks that tables of these names may be written, before an export is requested.
   *
   * @throws {ClientError} `table_occupied` if one belongs to someone else
   */
  readonly requireFree: (datasets: readonly string[]) => Promise<void>;
  /**
   * Tells if a delivery was loaded before, before any part of it is fetched.
   *
   * @throws {ClientError | ManifestError} if it must not be loaded: another manifest was loaded under its generation and sequence, or
   * a table that it would fill belongs to someone else
   */
  readonly standing: (delivery: VerifiedManifest) => Promise<LoadState>;
  /** Loads a delivery and enters it into the ledger, in one step. Its standing is `done` if it was loaded before. */
  readonly load: (delivery: LoadableDelivery) => Promise<LoadReport>;
  /** Returns the last loaded delivery of a subscription. */
  readonly last: (subscription: string) => Promise<ChainLink | undefined>;
  /**
   * Checks that the target still holds the copy that ends with this delivery.
   *
   * @throws {ClientError} `copy_replaced` if another delivery has filled a table since; `table_foreign` if a table is another one
   */
  readonly requireIntact: (last: ChainLink) => Promise<void>;
  /** Deletes the copy of a subscription, and its entries in the ledger. */
  readonly purge: (subscription: string) => Promise<PurgedData>;
  readonly close: () => Promise<void>;
};
