import type { BoundQuery, CompiledSql, Compiler, SqlFragment } from "@cadastre/odata";
import { cachedMergedCompiler } from "@cadastre/odata/compile";
import type { Planned } from "../record/plan.ts";
import type { TableSchema } from "../schema/table.ts";
import { columnsOfRecord, type ReadForms } from "./forms.ts";
import type { VersionMapping } from "./versions.ts";

/** The versions to read: the current ones, the closed ones, or both. */
export type ChangedPart = "current" | "closed" | "both";

type OfSelection = Map<string, Compiler["page"]>;

/** Caches compilers of pages over the versions that changed, by selection, because the computed columns are part of their statements. */
export class ChangedCompilers {
  readonly #table: TableSchema;
  readonly #mapping: VersionMapping;
  readonly #forms: ReadForms;
  readonly #plain: OfSelection = new Map();
  readonly #computing = new WeakMap<Planned, OfSelection>();

  constructor(table: TableSchema, mapping: VersionMapping, forms: ReadForms) {
    this.#table = table;
    this.#mapping = mapping;
    this.#forms = forms;
  }

  /** @param few see `HistoricalState` */
  page(query: BoundQuery, planned: Planned, part: ChangedPart, few: boolean): CompiledSql {
    const compilers = this.#of(planned);
    const name = `${part} ${few}`;
    const compile = compilers.get(name) ?? this.#make(query, planned, part, few);
    compilers.set(name, compile);
    return compile(query);
  }

  #of(planned: Planned): OfSelection {
    if (planned.computed.length === 0) return this.#plain;
    const known = this.#computing.get(planned) ?? new Map();
    this.#computing.set(planned, known);
    return known;
  }

  #make(query: BoundQuery, { computed }: Planned, part: ChangedPart, few: boolean): Compiler["page"] {
    const { current, closed } = this.#mapping.changed(few);
    const partitions = { current: [current], closed: [closed], both: [current, closed] }[part];
    const ofRecord = columnsOfRecord(this.#table, this.#forms);
    const columns = new Map(
      partitions.map((of): [typeof of, readonly SqlFragment[]] => [
        of,
        [...ofRecord, ...computed.map((projection) => this.#forms.computed(query, projection, of))],
      ]),
    );
    return cachedMergedCompiler(this.#forms.dialect, partitions, (of) => columns.get(of) ?? []);
  }
}
