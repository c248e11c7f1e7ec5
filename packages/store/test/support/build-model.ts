type Record = { readonly city: string; readonly source: string | null };
type State = ReadonlyMap<string, Record>;

/** A change of a record: its new city, or null to remove it. */
export type ModelChange = readonly [key: string, city: string | null];

export type FullSet = "begins" | "ends" | "whole" | undefined;

type Source = {
  cursor: string | null;
  served: string | null;
  fullSet: "open" | "whole" | null;
  staged: Map<string, { readonly city: string | null; readonly batch: number }>;
};

/** Simple in-memory model of a store's builds. A cursor is the number of its batch. */
export class BuildModel {
  state: State = new Map();
  readonly builds: { readonly state: State; readonly cursors: ReadonlyMap<string, string | null> }[] = [];
  readonly #sources = new Map<string, Source>();

  sourceOf(name: string): Source {
    const source = this.#sources.get(name) ?? {
      cursor: null,
      served: null,
      fullSet: null,
      staged: new Map(),
    };
    this.#sources.set(name, source);
    return source;
  }

  stage(name: string, changes: readonly ModelChange[], cursor: string, fullSet: FullSet): boolean {
    const source = this.sourceOf(name);
    if (fullSet === "ends" && source.fullSet !== "open") return false;
    if (fullSet === "begins" || fullSet === "whole") source.staged = new Map();
    for (const [key, city] of changes) source.staged.set(key, { city, batch: Number(cursor) });
    if (fullSet !== undefined) source.fullSet = fullSet === "begins" ? "open" : "whole";
    source.cursor = cursor;
    return true;
  }

  discard(name: string): void {
    const source = this.sourceOf(name);
    Object.assign(source, { cursor: source.served, fullSet: null, staged: new Map() });
  }

  commit(changes: readonly ModelChange[]): void {
    const state = new Map(this.state);
    for (const [key, city] of changes)
      if (city === null) state.delete(key);
      else state.set(key, { city, source: null });
    this.state = state;
  }

  publish(): void {
    const ready = [...this.#sources].filter(([, { fullSet }]) => fullSet !== "open");
    const changes = ready.flatMap(([name, { staged, fullSet, ...source }]) => {
      const named = [...staged].map(([key, change]) => ({ key, name, ...change }));
      if (fullSet !== "whole") return named;
      const missing = [...this.state].filter(([key, one]) => one.source === name && !staged.has(key));
      const batch = Number(source.cursor);
      return [...named, ...missing.map(([key]) => ({ key, name, city: null, batch }))];
    });
    const state = new Map(this.state);
    for (const { key, city, name } of changes.toSorted((a, b) => a.batch - b.batch))
      if (city === null) state.delete(key);
      else state.set(key, { city, source: name });
    for (const [, source] of ready)
      Object.assign(source, { served: source.cursor, fullSet: null, staged: new Map() });
    this.#serve(state);
  }

  rollback(index: number): boolean {
    const build = this.builds[index];
    if (build === undefined) return false;
    for (const [name, source] of this.#sources) {
      const cursor = build.cursors.get(name) ?? null;
      Object.assign(source, { cursor, served: cursor, fullSet: null, staged: new Map() });
    }
    this.#serve(build.state);
    return true;
  }

  #serve(state: State): void {
    const cursors = new Map([...this.#sources].map(([name, { served }]) => [name, served]));
    this.state = state;
    this.builds.push({ state, cursors });
  }
}
