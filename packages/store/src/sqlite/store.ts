import type { RestrictedQuery } from "@cadastre/entitlement";
import { datasetProperty } from "@cadastre/entitlement";
import {
  type BoundQuery,
  type CompiledSql,
  compileCount,
  compilePage,
  identifier,
  join,
  type Mapping,
  type PageOptions,
  type Row,
  render,
  type SqlFragment,
  sql,
  sqlite,
  value,
} from "@cadastre/odata";
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import { project } from "../projection.ts";
import type { Page, Store, StoredRecord, StoredResource } from "../store.ts";
import { StatementCache } from "./statement-cache.ts";
import { columnValues, createStatements, recordColumn, tableMapping, typedProperties } from "./table.ts";

export type SqliteStoreOptions = {
  /** Path of the database file; it is made if it does not exist. */
  readonly file: string;
  readonly resources: readonly StoredResource[];
};

/** A {@link Store} on a SQLite file, with the means to fill it. */
export type SqliteStore = Store & {
  /** Write records in one transaction: a record of a known key is replaced. Gives the number written. */
  readonly load: (records: Iterable<StoredRecord>) => number;
  /** What the owner of the file wants kept with it, by key. */
  readonly notes: {
    readonly get: (key: string) => string | undefined;
    readonly set: (key: string, text: string) => void;
  };
  /** The query plan of a page, a step a line. */
  readonly explain: (query: RestrictedQuery) => readonly string[];
};

const noteTable = sql`create table if not exists "cadastre_note" ("key" text primary key, "text" text not null)`;
const selectNote = `select "text" from "cadastre_note" where "key" = ?`;
const replaceNote = `insert or replace into "cadastre_note" ("key", "text") values (?, ?)`;

/** Open a store. Reads run on the calling thread. */
export function openSqliteStore({ file, resources }: SqliteStoreOptions): SqliteStore {
  const database = new Database(file);
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = normal");
  registerFunctions(database);
  for (const statement of [noteTable, ...resources.flatMap(createStatements)]) {
    database.exec(toSql(statement).text);
  }
  const statements = new StatementCache(database);
  const stored = new Map(
    resources.map((resource) => [resource.entitySet.name, { resource, mapping: tableMapping(resource) }]),
  );

  const find = (name: string) => {
    const found = stored.get(name);
    if (found === undefined) throw new RangeError(`${name} is not stored here`);
    return found;
  };

  const mappingOf = (query: BoundQuery): Mapping => find(query.entitySet.name).mapping;

  const read = (query: BoundQuery, top = query.top): Page => {
    if (top === 0) return { rows: [], after: null };
    // One row more than asked for tells whether there is a next page.
    const compiled = compilePage({ ...query, top: top + 1 }, sqlite, mappingOf(query), storedPage);
    const found = statements.prepare(compiled).all(...compiled.values) as [string, string, ...unknown[]][];
    const page = found.slice(0, top);
    const rows = page.map(([datasetId, record]) =>
      project(query.select, { ...(JSON.parse(record) as Row), [datasetProperty.name]: datasetId }),
    );
    const [, , ...last] = page.at(-1) ?? ["", ""];
    return { rows, after: found.length > top ? last : null };
  };

  return {
    page: async (query) => read(query),
    one: async (query) => read(query, 1).rows[0],
    count: async (query) => {
      const compiled = compileCount(query, sqlite, mappingOf(query));
      const [[count]] = statements.prepare(compiled).all(...compiled.values) as [[bigint]];
      return Number(count);
    },
    load: (records) => {
      const loaders = new Map<string, (stored: StoredRecord) => void>();
      const loaderOf = (name: string) => {
        const loader = loaders.get(name) ?? makeLoader(database, find(name).resource);
        loaders.set(name, loader);
        return loader;
      };
      let written = 0;
      database.transaction(() => {
        for (const stored of records) {
          loaderOf(stored.resource)(stored);
          written++;
        }
      })();
      return written;
    },
    notes: {
      get: (key) => {
        const [text] = (database.prepare(selectNote).raw().get(key) as [string] | undefined) ?? [];
        return text;
      },
      set: (key, text) => void database.prepare(replaceNote).run(key, text),
    },
    explain: (query) => {
      const { text, values } = compilePage(query, sqlite, mappingOf(query), storedPage);
      const plan = database.prepare(`explain query plan ${text}`).all(...values) as { detail: string }[];
      return plan.map(({ detail }) => detail);
    },
    close: async () => void database.close(),
  };
}

/** Dataset, record, then where the next page starts. */
const storedPage: PageOptions = { columns: [identifier(datasetProperty.name), recordColumn], order: true };

const toSql = (fragment: SqlFragment): CompiledSql => render(fragment, sqlite.placeholder);

/** Writes one record of the resource, in place of one of the same key. */
function makeLoader(database: Database.Database, resource: StoredResource): (stored: StoredRecord) => void {
  const properties = typedProperties(resource);
  const columns = [...properties.map(({ name }) => identifier(name)), recordColumn];
  const places = columns.map(() => value(null));
  const into = identifier(resource.entitySet.name);
  const { text } = toSql(
    sql`insert or replace into ${into} (${join(columns, ", ")}) values (${join(places, ", ")})`,
  );
  const insert = database.prepare(text);
  return ({ datasetId, record, hidden }) => {
    const values = columnValues(properties, { ...record, ...hidden, [datasetProperty.name]: datasetId });
    insert.run(...values, JSON.stringify(record));
  };
}
