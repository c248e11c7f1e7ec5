import {
  type BoundQuery,
  type CompiledSql,
  type Compiler,
  cachedCompiler,
  type EntitySet,
  type Mapping,
} from "@cadastre/odata";
import { compileCondition, jsonRecords } from "@cadastre/odata/compile";
import { LruCache } from "@cadastre/odata/lru-cache";
import { type Dialect, writeRecords } from "@cadastre/odata/run";
import type { PageRead, RecordPage, RecordSource } from "../answer/answer-session.ts";
import type { DeclaredModel } from "../model/entity-model.ts";
import type { EntitySetDeclaration } from "../model/entity-set.ts";
import {
  asMistakeOfHost,
  bindRestriction,
  type Restrictions,
  restrictionOf,
  restrictionsKey,
} from "./restriction.ts";
import { requireStorage, tableMappingOf } from "./table-mapping.ts";

/** A row as the database driver returns it. */
export type DatabaseRow = Readonly<Record<string, unknown>>;

/** Runs statements in a database. */
export type Database = {
  readonly dialect: Dialect;
  /** Runs a statement, synchronously or not. It may be cancelled when the signal aborts. */
  readonly run: (
    statement: CompiledSql,
    signal: AbortSignal,
  ) => readonly DatabaseRow[] | Promise<readonly DatabaseRow[]>;
};

/** Creates the sources of requests, each of which reads what some restrictions leave. */
type SourceOf = (restrictions: Restrictions) => RecordSource;

/** Makes the sources of a model. */
export type SourceMaker = (declared: DeclaredModel) => SourceOf;

/** Number of different restrictions whose statements are kept. */
const keptRestrictions = 200;

/**
 * Reads records from the tables of a database.
 *
 * @throws {TypeError} if a declaration does not say how the database stores a property
 */
export const sqlSource =
  (database: Database): SourceMaker =>
  (declared) => {
    if (database.dialect.name === "sqlite")
      for (const declaration of declared.declarations.values()) requireStorage(declaration);
    const sources = new LruCache<string, RecordSource>(keptRestrictions);
    return (restrictions) =>
      sources.get(restrictionsKey(restrictions), () => sourceUnder(restrictions, declared, database));
  };

/** Returns the mappings by entity set. @param where returns the condition on the rows of a table */
function mappingsOf(
  { declarations }: DeclaredModel,
  { dialect }: Database,
  where: (declaration: EntitySetDeclaration) => Mapping["where"],
): ReadonlyMap<string, Mapping> {
  const mappings = new Map<string, Mapping>();
  for (const [name, declaration] of declarations) {
    const mapping = tableMappingOf(declaration, dialect.name, where(declaration), declarations, (other) =>
      mappingIn(mappings, other),
    );
    mappings.set(name, mapping);
  }
  return mappings;
}

/** @throws {TypeError} for an entity set that is not declared */
function mappingIn(mappings: ReadonlyMap<string, Mapping>, entitySet: string): Mapping {
  const found = mappings.get(entitySet);
  if (found === undefined) throw new TypeError(`\`${entitySet}\` is no declared entity set`);
  return found;
}

function sourceUnder(restrictions: Restrictions, declared: DeclaredModel, database: Database): RecordSource {
  const { dialect } = database;
  const unrestricted = mappingsOf(declared, database, () => undefined);
  const mappings = mappingsOf(declared, database, ({ name }) => {
    const entitySet = declared.model.entitySets.find((one) => one.name === name) as EntitySet;
    const filter = bindRestriction(restrictionOf(restrictions, name), entitySet);
    if (filter === null) return undefined;
    const query: BoundQuery = { entitySet, filter, orderBy: [], select: [], top: 0, skip: 0, after: null };
    return asMistakeOfHost(entitySet, () => compileCondition(query, dialect, mappingIn(unrestricted, name)));
  });
  const compilers = new LruCache<string, Compiler>(mappings.size);
  const compilerOf = (name: string): Compiler =>
    compilers.get(name, () =>
      cachedCompiler(dialect, mappingIn(mappings, name), { json: true, key: true, order: true }),
    );

  const rowsOf = (query: BoundQuery, signal: AbortSignal) =>
    database.run(compilerOf(query.entitySet.name).page(query), signal);

  const recordsOf = (
    rows: readonly DatabaseRow[],
    query: BoundQuery,
    { nulls, expand, signal }: Pick<PageRead, "nulls" | "expand" | "signal">,
  ): Promise<readonly string[]> => {
    const { entitySet } = query;
    const mapping = mappingIn(mappings, entitySet.name);
    const run = (statement: CompiledSql) => database.run(statement, signal);
    return jsonRecords(rows, query, { entitySet, mapping, dialect, run }, { nulls, expand });
  };

  const countOf = async (query: BoundQuery, signal: AbortSignal): Promise<number> => {
    const [row] = await database.run(compilerOf(query.entitySet.name).count(query), signal);
    return Number(row?.["count"] ?? 0);
  };

  return {
    async page(query, options): Promise<RecordPage> {
      const { from, count, form, signal } = options;
      const { top } = query;
      // A position lies after what was passed over.
      const start = from === undefined ? query : { ...query, after: from, skip: 0 };
      // One more row than the page has tells whether another page follows.
      const rows = await rowsOf({ ...start, top: top + 1 }, signal);
      const records = await recordsOf(rows.slice(0, top), query, options);
      const plain = Buffer.from(records.join(","));
      const last = rows.length > top ? rows[top - 1] : undefined;
      return {
        records: form === undefined ? plain : writeRecords(plain, form),
        length: records.length,
        next: last === undefined ? null : query.orderBy.map((_, i) => last[`order${i}`] ?? null),
        count: count ? await countOf(query, signal) : undefined,
      };
    },
    count: (query, { signal }) => countOf(query, signal),
    async one(query, options) {
      const [record] = await recordsOf(await rowsOf(query, options.signal), query, options);
      return record === undefined ? undefined : Buffer.from(record);
    },
  };
}
