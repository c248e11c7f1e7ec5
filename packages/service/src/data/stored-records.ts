import type { Store } from "@cadastre/store";

/** A check of records that were stored by an earlier version. It reports what it finds, and changes nothing. */
export type StoredRecordCheck = {
  readonly name: string;
  readonly run: (store: Pick<Store, "page">, say: (line: string) => void) => Promise<void>;
};

/** What is run once after a migration to a new number of the catalog, in this order. */
export const storedRecordChecks: readonly StoredRecordCheck[] = [];
