import { hasAllSteps } from "../database/migration-steps.ts";
import { StoreError } from "../errors.ts";
import { type CatalogVersion, catalogTable, toCatalogVersion } from "./catalog-versions.ts";
import { noEntitlement } from "./entitlements.ts";
import type { PepperCheck } from "./guards.ts";
import type { Int64Column } from "./int64-column.ts";
import { registrySteps } from "./registry-tables.ts";
import { sealedTable } from "./sealed-documents.ts";
import {
  selectWorkers,
  toWorkerRecord,
  type WorkerRecord,
  type WorkerRow,
  workerTable,
} from "./worker-heartbeats.ts";

export type AuditedEntitlement = {
  readonly customer: string;
  readonly version: number;
  readonly jws: string;
};

/** A statement of an audit. */
type AuditStatement<Row> = {
  readonly rows: (...values: readonly unknown[]) => AsyncIterable<Row>;
  readonly first: (...values: readonly unknown[]) => Promise<Row | undefined>;
};

/** Reads a registry of this or an earlier version, in one read transaction. Every method throws the error of the database. */
export type RegistryAudit = {
  /**
   * Returns the pepper versions of the API keys in force, with the number of keys of each.
   *
   * @param at milliseconds since 1970
   */
  readonly peppers: (at: number) => Promise<readonly { readonly version: number; readonly keys: number }[]>;
  /** Returns the check values of the peppers that the registry was used with. */
  readonly pepperChecks: () => Promise<readonly PepperCheck[]>;
  /**
   * Returns the customer of a key in force; undefined if there is no such key.
   *
   * @param at milliseconds since 1970
   */
  readonly customerOfKey: (digest: string, at: number) => Promise<string | undefined>;
  /** Returns the id of the registry; undefined if it has none yet. */
  readonly id: () => Promise<string | undefined>;
  readonly entitlements: () => AsyncIterable<AuditedEntitlement>;
  /** Returns a recorded fingerprint, see `RegistryGuards`. */
  readonly fingerprint: (name: string) => Promise<string | undefined>;
  /** Returns the version of the catalog in force; undefined if the registry has none. */
  readonly catalog: () => Promise<CatalogVersion | undefined>;
  /** Returns the names of the sealed documents. */
  readonly sealedDocuments: () => Promise<readonly string[]>;
  /** Returns the workers that have left a heartbeat within the last hour, by name. */
  readonly workers: () => Promise<readonly WorkerRecord[]>;
  /** Throws {@link StoreError} `schema_older` or `schema_newer` unless the registry is of this version. */
  readonly requireCurrent: () => Promise<void>;
  /**
   * Prepares a statement on a table, with `?` for each value. If the table does not exist, as in a registry of an earlier version, the
   * statement returns no rows.
   */
  readonly prepare: <Row>(table: string, sql: string) => AuditStatement<Row>;
  readonly close: () => Promise<void>;
};

/** A read transaction on the database of a registry. */
export type AuditTransaction = {
  /** SQL of the present time, in milliseconds since 1970. */
  readonly now: string;
  /** Names of the tables. */
  readonly tables: ReadonlySet<string>;
  /** Yields the rows of a statement with `?` for each value. */
  readonly rows: (sql: string, values: readonly unknown[]) => AsyncIterable<unknown>;
  readonly close: () => Promise<void>;
};

const inForce = "revoked is null and (expires is null or expires > ?)";

/** Returns the audit that reads in a transaction, and ends it when it is closed. */
export function createRegistryAudit({ now, tables, rows: read, close }: AuditTransaction): RegistryAudit {
  const prepare = <Row>(table: string, sql: string): AuditStatement<Row> => {
    async function* rows(...values: readonly unknown[]): AsyncGenerator<Row> {
      if (tables.has(table)) yield* read(sql, values) as AsyncIterable<Row>;
    }
    return { rows, first: (...values) => firstRow(rows(...values)) };
  };
  const peppers = prepare<{ version: number; keys: Int64Column }>(
    "cadastre_api_key",
    `select pepper as "version", count(*) as "keys" from cadastre_api_key where ${inForce} group by pepper order by pepper`,
  );
  const pepperChecks = prepare<PepperCheck>(
    "cadastre_pepper",
    `select version, check_value as "checkValue" from cadastre_pepper order by version`,
  );
  const keys = prepare<{ customer: string }>(
    "cadastre_api_key",
    `select customer from cadastre_api_key where digest = ? and ${inForce}`,
  );
  const ids = prepare<{ id: string }>("cadastre_registry", "select id from cadastre_registry");
  const entitlements = prepare<Omit<AuditedEntitlement, "version"> & { readonly version: Int64Column }>(
    "cadastre_customer",
    `select name as "customer", version, entitlement as "jws" from cadastre_customer where entitlement <> '${noEntitlement}' order by name`,
  );
  const fingerprints = prepare<{ value: string }>(
    "cadastre_fingerprint",
    "select value from cadastre_fingerprint where name = ?",
  );
  const catalogs = prepare<Parameters<typeof toCatalogVersion>[0]>(
    catalogTable,
    `select version, definition, created from ${catalogTable} order by version desc limit 1`,
  );
  const sealed = prepare<{ name: string }>(sealedTable, `select name from ${sealedTable} order by name`);
  const { listedIn } = registrySteps;
  const steps = prepare<{ name: string }>(listedIn, `select name from ${listedIn}`);
  const workers = prepare<WorkerRow>(workerTable, selectWorkers(now));
  return {
    peppers: async (at) => {
      const rows = await allRows(peppers.rows(at));
      return rows.map(({ version, keys: count }) => ({ version, keys: Number(count) }));
    },
    pepperChecks: () => allRows(pepperChecks.rows()),
    customerOfKey: async (digest, at) => (await keys.first(digest, at))?.customer,
    id: async () => (await ids.first())?.id,
    fingerprint: async (name) => (await fingerprints.first(name))?.value,
    catalog: async () => {
      const row = await catalogs.first();
      return row && toCatalogVersion(row);
    },
    sealedDocuments: async () => (await allRows(sealed.rows())).map(({ name }) => name),
    async *entitlements() {
      for await (const row of entitlements.rows()) yield { ...row, version: Number(row.version) };
    },
    requireCurrent: async () => {
      const applied = new Set((await allRows(steps.rows())).map(({ name }) => name));
      if (!hasAllSteps(applied, registrySteps, "the registry"))
        throw new StoreError("schema_older", "the registry");
    },
    workers: async () => (await allRows(workers.rows())).map(toWorkerRecord),
    prepare,
    close,
  };
}

async function firstRow<Row>(rows: AsyncIterable<Row>): Promise<Row | undefined> {
  for await (const row of rows) return row;
  return undefined;
}

async function allRows<Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
