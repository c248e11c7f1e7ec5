import type { Database } from "better-sqlite3";
import type { RowsOf } from "../../read/access.ts";

/** Time in milliseconds before statistics are read again, because another process may have updated them. */
const life = 10_000;

const select = `select "idx", "stat" from "sqlite_stat1" where "idx" is not null`;

/** SQLite's statistics on indexes. Source: The SQLITE_STAT1 table, SQLite file format, section 2.6.4. */
export class IndexStatistics {
  readonly #database: Database;
  #rows: ReadonlyMap<string, readonly number[]> = new Map();
  #until = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  readonly rowsOf: RowsOf = ({ name }, columns) => {
    if (performance.now() >= this.#until) this.#read();
    return this.#rows.get(name)?.[columns];
  };

  #read(): void {
    this.#until = performance.now() + life;
    if (
      this.#database.prepare(`select 1 from "sqlite_schema" where "name" = 'sqlite_stat1'`).get() ===
      undefined
    )
      return;
    const found = this.#database.prepare(select).raw().all() as [string, string][];
    this.#rows = new Map(found.map(([index, stat]) => [index, stat.split(" ").map(Number)]));
  }
}

/** Lets SQLite update its index statistics if enough has been written since, or if there are new indexes. */
export function gatherStatistics(database: Database): void {
  database.pragma("analysis_limit = 1000");
  database.pragma("optimize = 0x10002");
}
