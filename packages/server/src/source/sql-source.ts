import {
  type BoundQuery,
  type CompiledSql,
  type Compiler,
  cachedCompiler,
  compileCount,
  type EntitySet,
  type Mapping,
} from "@cadastre/odata";
import { type AppliedQuery, appliedMapping, appliedRecords, compileAppliedPage } from "@cadastre/odata/apply";
import { compileCondition, jsonRecords } from "@cadastre/odata/compile";
import { LruCache } from "@cadastre/odata/lru-cache";
import { writeRecords } from "@cadastre/odata/run";
import type { PageRead, RecordPage, RecordSource } from "../answer/answer-session.ts";
import type { Database, DatabaseRow } from "../database.ts";
import { compareDeclarations, type DeclarationMismatch } from "../introspect/compare-declarations.ts";
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

/** Creates the sources of requests, each of which reads what some restrictions leave. */
type SourceOf = (restrictions: Restrictions) => RecordSource;

/** Is told what a source finds at start, apart from any request. */
type StartReport = {
  /** Called with each difference between a declaration and the database. */
  readonly onMismatch: (mismatch: DeclarationMismatch) => void;
  /** Called if the database cannot be asked. */
  readonly onError: (error: unknown) => void;
};

/** Makes the sources of a model. */
export type SourceMaker = (declared: DeclaredModel, start: StartReport) => SourceOf;

/** Number of different restrictions whose statements are kept. */
const keptRestrictions = 200;

/**
 * Reads records from the tables of a database, after it has begun to compare them with the declarations.
 *
 * @throws {TypeError} if a declaration does not say how the database stores a property
 */
export function sqlSource(database: Database): SourceMaker {
  const compared = new WeakSet<EntitySetDeclaration>();
  return (declared, { onMismatch, onError }) => {
    if (database.dialect.name === "sqlite")
      for (const declaration of declared.declarations.values()) requireStorage(declaration);
    // Several services may read the same sets from one source.
    const declarations = new Map([...declared.declarations].filter(([, one]) => !compared.has(one)));
    for (const one of declarations.values()) compared.add(one);
    const tell = (found: readonly DeclarationMismatch[]) => {
      for (const one of found) onMismatch(one);
    };
    void compareDeclarations({ declarations }, database).then(tell, onError);
    const sources = new LruCache<string, RecordSource>(keptRestrictions);
    return (restrictions) =>
      sources.get(restrictionsKey(restrictions), () => sourceUnder(restrictions, declared, database));
  };
}

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

  const countBy = async (statement: CompiledSql, signal: AbortSignal): Promise<number> => {
    const [row] = await database.run(statement, signal);
    return Number(row?.["count"] ?? 0);
  };
  const countOf = (query: BoundQuery, signal: AbortSignal): Promise<number> =>
    countBy(compilerOf(query.entitySet.name).count(query), signal);
  const countOfApplied = ({ apply, query }: AppliedQuery, signal: AbortSignal): Promise<number> => {
    const mapping = appliedMapping(apply, mappingIn(mappings, apply.entitySet.name), dialect);
    return countBy(compileCount(query, dialect, mapping), signal);
  };

  return {
    page: (query, options) =>
      readPage(query, options, {
        rows: (start) => rowsOf(start, options.signal),
        records: (rows) => recordsOf(rows, query, options),
        count: () => countOf(query, options.signal),
      }),
    applied: {
      page: (applied, options) =>
        readPage(applied.query, options, {
          rows: (query) => {
            const mapping = mappingIn(mappings, applied.apply.entitySet.name);
            return database.run(compileAppliedPage({ ...applied, query }, dialect, mapping), options.signal);
          },
          records: async (rows) =>
            applied.apply.output.isEntities
              ? recordsOf(rows, applied.query, options)
              : appliedRecords(rows, applied, options.applied),
          count: () => countOfApplied(applied, options.signal),
        }),
      count: (applied, { signal }) => countOfApplied(applied, signal),
    },
    count: (query, { signal }) => countOf(query, signal),
    async one(query, options) {
      const [record] = await recordsOf(await rowsOf(query, options.signal), query, options);
      return record === undefined ? undefined : Buffer.from(record);
    },
  };
}

/** How the rows of a page are read. */
type PageReader = {
  readonly rows: (query: BoundQuery) => readonly DatabaseRow[] | Promise<readonly DatabaseRow[]>;
  /** Returns rows as JSON texts. */
  readonly records: (rows: readonly DatabaseRow[]) => Promise<readonly string[]>;
  readonly count: () => Promise<number>;
};

async function readPage(
  query: BoundQuery,
  { from, count, form }: Pick<PageRead, "from" | "count" | "form">,
  read: PageReader,
): Promise<RecordPage> {
  const { top } = query;
  // A position lies after what was passed over.
  const start = from === undefined ? query : { ...query, after: from, skip: 0 };
  // One more row than the page has tells whether another page follows.
  const rows = await read.rows({ ...start, top: top + 1 });
  const records = await read.records(rows.slice(0, top));
  const plain = Buffer.from(records.join(","));
  const last = rows.length > top ? rows[top - 1] : undefined;
  return {
    records: form === undefined ? plain : writeRecords(plain, form),
    length: records.length,
    next: last === undefined ? null : query.orderBy.map((_, i) => last[`order${i}`] ?? null),
    count: count ? await read.count() : undefined,
  };
}
