import { writeFile } from "node:fs/promises";
import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseOrderBy, type Row } from "@cadastre/odata";
import { type Catalog, keyFieldOf, type RecordName, recordNames } from "@cadastre/reso";
import type { Bookmark } from "@cadastre/store";
import { systemScope } from "../identity/system-scope.ts";
import { checkRecord } from "../ingest/check-record.ts";
import { withComputedValues } from "../ingest/computed-values.ts";
import { parseJson } from "../ingest/exact-json.ts";
import { type FaultCode, faultReasons, type RecordFault } from "../ingest/record-faults.ts";
import type { Rounding } from "../ingest/rounding.ts";
import { dictionary, sourceBySystem } from "../ingest/sources.ts";
import type { Listings } from "../listings.ts";

/** A fault of stored records, such as `too_precise` of ListPrice. */
type InvalidValue = {
  readonly resource: RecordName;
  /** Name of the property; null for a fault of the whole record. */
  readonly property: string | null;
  readonly code: FaultCode;
  readonly reason: string;
  /** Number of records with the fault. */
  readonly records: number;
  /** Keys of the first such records. */
  readonly keys: readonly string[];
};

export type InvalidValues = {
  /** Number of records that were read. */
  readonly records: number;
  /** Number of records with at least one fault. */
  readonly invalid: number;
  /** Sorted by resource, property and code. */
  readonly found: readonly InvalidValue[];
};

export type ScanOptions = {
  /** File for the faults, one {@link InvalidValue} per line as JSON. */
  readonly report?: string | undefined;
  /** Called after each page with the number of records of the resource that were read. */
  readonly progress?: ((resource: RecordName, records: number) => void) | undefined;
};

/** Records per page. */
const pageSize = 500;

/** Maximum number of keys that are reported for each fault. */
const reportedKeys = 10;

const nothingIsRounded: Rounding = new Set();

/**
 * Finds served records that ingest would reject today: values that their property does not allow, and computed fields with another
 * value than the service computes. Reads every record, in bounded memory, and changes none.
 */
export async function findInvalidValues(
  store: Pick<Listings, "page" | "catalog">,
  { report, progress }: ScanOptions = {},
): Promise<InvalidValues> {
  const found = new Map<string, InvalidValue>();
  let [records, invalid] = [0, 0];
  for (const name of recordNames) {
    let read = 0;
    for await (const page of pagesOf(store, name)) {
      for (const record of page) {
        const faults = faultsOfStored(store.catalog, name, record);
        if (faults.length > 0) invalid++;
        for (const fault of faults) count(found, name, fault, String(record[keyFieldOf(name)]));
      }
      read += page.length;
      progress?.(name, read);
    }
    records += read;
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  if (report !== undefined)
    await writeFile(report, sorted.map((one) => `${JSON.stringify(one)}\n`).join(""), { mode: 0o600 });
  return { records, invalid, found: sorted };
}

async function* pagesOf(
  store: Pick<Listings, "page" | "catalog">,
  name: RecordName,
): AsyncGenerator<readonly Row[]> {
  const { entitySet } = store.catalog;
  const scope = systemScope(store.catalog);
  const parts = { orderBy: parseOrderBy(keyFieldOf(name)), top: pageSize };
  const query = restrict(bindQuery(parts, visibleEntitySet(entitySet(name), scope)), scope);
  let from: Bookmark | undefined;
  do {
    const { records, release, next } = await store.page(query, { from, lines: true, nulls: false });
    const lines = Buffer.from(records).toString().split("\n");
    release?.();
    yield lines.filter((line) => line !== "").map((line) => parseJson(line) as Row);
    from = next ?? undefined;
  } while (from !== undefined);
}

function faultsOfStored(catalog: Catalog, name: RecordName, record: Row): readonly RecordFault[] {
  const described = catalog.resource(name);
  const source = sourceBySystem(catalog, record["OriginatingSystemName"]) ?? dictionary;
  const { faults } = checkRecord(withoutEmptyCollections(record), {
    catalog,
    resource: described,
    source,
    rounding: nothingIsRounded,
  });
  if (name !== "Property") return faults;
  const computed = withComputedValues(record);
  const stale = described.fields
    .filter((field) => field.computed && !isSame(record[field.name], computed[field.name]))
    .map((field): RecordFault => ({ field: field.name, code: "not_computed" }));
  return [...faults, ...stale];
}

/** Removes empty collections, because a page has every collection property, even those that only other systems have. */
const withoutEmptyCollections = (record: Row): Row =>
  Object.fromEntries(
    Object.entries(record).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  );

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function count(found: Map<string, InvalidValue>, name: RecordName, fault: RecordFault, key: string): void {
  const { field: property, code } = fault;
  const id = JSON.stringify([name, property, code]);
  const { records, keys } = found.get(id) ?? { records: 0, keys: [] };
  found.set(id, {
    resource: name,
    property,
    code,
    reason: faultReasons[code],
    records: records + 1,
    keys: keys.length < reportedKeys ? [...keys, key] : keys,
  });
}
