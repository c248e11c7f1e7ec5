import {
  type BoundQuery,
  type CompiledSql,
  type Compiler,
  cachedCompiler,
  type Mapping,
  type SqlFragment,
} from "@cadastre/odata";
import { cachedMergedCompiler } from "@cadastre/odata/compile";
import { LruCache } from "@cadastre/odata/lru-cache";
import { identifier, join, sql, value } from "@cadastre/odata/run";
import type { Planned, RecordPlan } from "../record/plan.ts";
import { isSameRecord, type TableSchema, validity } from "../schema/table.ts";
import { anyKeys } from "./changes-request.ts";
import { comparedColumns } from "./compared-columns.ts";
import { columnsOfPage, type ReadForms, showsNothing } from "./forms.ts";
import type { VersionMapping } from "./versions.ts";

/** The versions to read: the current ones, the closed ones, or both. */
export type ChangedPart = "current" | "closed" | "both";

type OfSelection = Map<string, Compiler["page"]>;

/** Number of selections whose statements on the ends of versions are cached. */
const keptSelections = 100;

/** Caches compilers of pages over the versions that changed, by selection, because the columns are part of their statements. */
export class ChangedCompilers {
  readonly #table: TableSchema;
  readonly #mapping: VersionMapping;
  readonly #forms: ReadForms;
  readonly #plain: OfSelection = new Map();
  readonly #keys: OfSelection = new Map();
  readonly #computing = new WeakMap<Planned, OfSelection>();
  readonly #compared = new WeakMap<RecordPlan, readonly string[]>();
  readonly #counts = new Map<string, Compiler["count"]>();
  readonly #ended = new LruCache<string, Compiler["page"]>(keptSelections);
  #shown: Compiler["page"] | undefined;

  constructor(table: TableSchema, mapping: VersionMapping, forms: ReadForms) {
    this.#table = table;
    this.#mapping = mapping;
    this.#forms = forms;
  }

  /** @param few see `HistoricalState` */
  page(query: BoundQuery, planned: Planned, part: ChangedPart, few: boolean): CompiledSql {
    const { current, closed } = this.#mapping.changed(few);
    const partitions = { current: [current], closed: [closed], both: [current, closed] }[part];
    return this.#records(query, planned, `${part} ${few}`, partitions);
  }

  /** Compiles the number of few versions that changed. */
  count(query: BoundQuery, part: "current" | "closed"): CompiledSql {
    const count =
      this.#counts.get(part) ?? cachedCompiler(this.#forms.dialect, this.#mapping.changed(true)[part]).count;
    this.#counts.set(part, count);
    return count(query);
  }

  /** Compiles the keys of versions that ended, see `ChangesStatements.ended`. */
  ended(query: BoundQuery, { plan }: Planned, few: boolean): CompiledSql {
    const compared = this.#compared.get(plan) ?? comparedColumns(plan, this.#table);
    this.#compared.set(plan, compared);
    const compile = this.#ended.get(`${few} ${compared.join()}`, () => {
      const { closed } = this.#mapping.changed(few);
      return this.#over([closed], [...this.#key(), this.#beginningOfOther(compared)]);
    });
    return compile(query);
  }

  /** Compiles versions that ended, of the keys {@link anyKeys}. */
  were(query: BoundQuery, planned: Planned): CompiledSql {
    // The key finds them: no index on their ends is forced.
    const { closed } = this.#mapping.changed(false);
    return this.#records(query, planned, "were", [this.#ofKeys(closed)]);
  }

  /** Compiles the keys, of {@link anyKeys}, that a query finds at present. */
  shown(query: BoundQuery): CompiledSql {
    this.#shown ??= this.#over([this.#ofKeys(this.#mapping.current)], this.#key());
    return this.#shown(query);
  }

  #records(query: BoundQuery, planned: Planned, name: string, partitions: readonly Mapping[]): CompiledSql {
    const compilers = this.#of(planned);
    const compile = compilers.get(name) ?? this.#make(query, planned, partitions);
    compilers.set(name, compile);
    return compile(query);
  }

  #of(planned: Planned): OfSelection {
    if (showsNothing(planned)) return this.#keys;
    if (planned.computed.length === 0) return this.#plain;
    const known = this.#computing.get(planned) ?? new Map();
    this.#computing.set(planned, known);
    return known;
  }

  #make(query: BoundQuery, planned: Planned, partitions: readonly Mapping[]): Compiler["page"] {
    const columns = new Map(
      partitions.map((of) => [of, columnsOfPage(query, planned, this.#table, this.#forms, of)]),
    );
    return cachedMergedCompiler(this.#forms.dialect, partitions, (of) => columns.get(of) ?? []);
  }

  #over(partitions: readonly Mapping[], columns: readonly SqlFragment[]): Compiler["page"] {
    return cachedMergedCompiler(this.#forms.dialect, partitions, () => columns);
  }

  #key(): readonly SqlFragment[] {
    return this.#table.key.map(({ name }) => identifier(name));
  }

  /** Narrows a mapping to the keys {@link anyKeys}. */
  #ofKeys({ where, ...mapping }: Mapping): Mapping {
    const isGiven = this.#key().map((column) => this.#forms.isAmong(column, value(anyKeys)));
    return { ...mapping, where: join(where === undefined ? isGiven : [where, ...isGiven], " and ") };
  }

  /** Selects the beginning of the record's current version if it has other values in some columns. Null if it has not, or there is none. */
  #beginningOfOther(compared: readonly string[]): SqlFragment {
    if (compared.length === 0) return sql`null`;
    const { name, closed } = this.#table;
    const [is, was] = [identifier(name), identifier(closed)];
    const differences = compared
      .map(identifier)
      .map((column) => this.#forms.dialect.isOther(sql`${is}.${column}`, sql`${was}.${column}`));
    const differs = sql`${isSameRecord(this.#table, is, was)} and (${join(differences, " or ")})`;
    return sql`(select ${is}.${identifier(validity.from.name)} from ${is} where ${differs})`;
  }
}
