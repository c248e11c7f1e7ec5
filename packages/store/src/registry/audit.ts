import Database from "better-sqlite3";
import { giveUp } from "./guarded.ts";
import type { PepperCheck } from "./guards.ts";

export type AuditedEntitlement = {
  readonly customer: string;
  readonly version: number;
  readonly jws: string;
};

/** A prepared statement of an audit. */
type AuditStatement<Row> = {
  readonly rows: (...values: readonly unknown[]) => Iterable<Row>;
  readonly first: (...values: readonly unknown[]) => Row | undefined;
};

/** Reads a registry of this or an earlier version, in one read transaction. */
export type RegistryAudit = {
  /**
   * Returns the pepper versions of the API keys in force, with the number of keys of each.
   *
   * @param at milliseconds since 1970
   */
  readonly peppers: (at: number) => readonly { readonly version: number; readonly keys: number }[];
  /** Returns the check values of the peppers that the registry was used with. */
  readonly pepperChecks: () => readonly PepperCheck[];
  /**
   * Returns the customer of a key in force; undefined if there is no such key.
   *
   * @param at milliseconds since 1970
   */
  readonly customerOfKey: (digest: string, at: number) => string | undefined;
  /** Returns the id of the registry; undefined if it has none yet. */
  readonly id: () => string | undefined;
  readonly entitlements: () => Iterable<AuditedEntitlement>;
  /**
   * Prepares a statement on a table. If the table does not exist, as in a registry of an earlier version, the statement returns
   * no rows.
   */
  readonly prepare: <Row>(table: string, sql: string) => AuditStatement<Row>;
  readonly close: () => void;
};

const inForce = "revoked is null and (expires is null or expires > ?)";

/**
 * Opens a registry file for auditing. The read transaction lasts until `close`.
 *
 * @throws {StoreError} `registry_unavailable`
 */
export function openRegistryAudit(file: string): RegistryAudit {
  const database = open(file);
  const tables = new Set(
    database.prepare(`select name from sqlite_schema where type = 'table'`).pluck().all(),
  );
  const prepare = <Row>(table: string, sql: string): AuditStatement<Row> => {
    if (!tables.has(table)) return { rows: () => [], first: () => undefined };
    const statement = database.prepare<unknown[], Row>(sql);
    return {
      rows: (...values) => statement.iterate(...values),
      first: (...values) => statement.get(...values),
    };
  };
  const peppers = prepare<{ version: number; keys: number }>(
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
  const entitlements = prepare<AuditedEntitlement>(
    "cadastre_customer",
    `select name as "customer", version, entitlement as "jws" from cadastre_customer order by name`,
  );
  return {
    peppers: (at) => [...peppers.rows(at)],
    pepperChecks: () => [...pepperChecks.rows()],
    customerOfKey: (digest, at) => keys.first(digest, at)?.customer,
    id: () => ids.first()?.id,
    entitlements: () => entitlements.rows(),
    prepare,
    close: () => void database.close(),
  };
}

function open(file: string): Database.Database {
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    database.exec("begin");
    database.prepare("select count(*) from sqlite_schema").get();
    return database;
  } catch (error) {
    return giveUp(error);
  }
}
