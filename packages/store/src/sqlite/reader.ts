import { readValue, registerFunctions } from "@cadastre/odata/sqlite";
import type { Database } from "better-sqlite3";
import { StoreError } from "../errors.ts";
import type { PageRequest, PageResult, ReadRequest, ReadResult, Versions } from "../read/request.ts";
import { RecordAssembler, RecordLayout } from "../record/assemble.ts";
import { computedText } from "../record/computed.ts";
import { lastCheckpoint } from "./commit.ts";
import { Deadline } from "./deadline.ts";
import { earliestCheckpoint } from "./prune.ts";
import { StatementCache } from "./statement-cache.ts";

/** Plans kept ready, the least recently used one leaving first. */
const keptPlans = 256;

const head = { text: lastCheckpoint, values: [] };

/** Dataset, text, members, then the key and what is computed. */
type RecordRow = [string | null, Uint8Array, Uint8Array, ...unknown[]];

/** Runs reads on one connection, each in a transaction of its own. */
export class Reader {
  readonly #database: Database;
  readonly #statements: StatementCache;
  readonly #deadline: Deadline;
  readonly #layouts = new Map<number, RecordLayout>();

  /** @param canceled see {@link Deadline} */
  constructor(database: Database, canceled: Int32Array) {
    this.#database = database;
    registerFunctions(database);
    // Reads a file of up to 16 GB without copying; what the system has no memory for, it takes back.
    database.pragma("mmap_size = 17179869184");
    this.#statements = new StatementCache(database);
    this.#deadline = new Deadline(database, canceled);
  }

  /** @throws {StoreError} `query_timeout`, `query_canceled` */
  read({ page, count, timeout }: ReadRequest): ReadResult {
    this.#deadline.start(performance.now() + timeout);
    this.#database.exec("begin");
    try {
      return {
        checkpoint: this.#number(head),
        page: page === undefined ? undefined : this.#page(page),
        count: count === undefined ? undefined : this.#number(this.#choose(count)),
      };
    } finally {
      this.#database.exec("commit");
    }
  }

  /** The first row of a statement, in database form. */
  row({ text, values }: Versions["current"]): readonly unknown[] | undefined {
    return this.#statements.prepare({ text, values }).get(...values) as readonly unknown[] | undefined;
  }

  close(): void {
    this.#database.close();
  }

  /** @throws {StoreError} `bookmark_expired` */
  #choose({ current, asOf }: Versions): Versions["current"] {
    if (asOf !== undefined && asOf.checkpoint < this.#number(earliestCheckpoint))
      throw new StoreError("bookmark_expired");
    return asOf !== undefined && this.row(asOf.closings) !== undefined ? asOf.merged : current;
  }

  /** The database's plan for a statement, a step a line. */
  explain({ text, values }: Versions["current"]): readonly string[] {
    const plan = this.#database.prepare(`explain query plan ${text}`).all(...values) as { detail: string }[];
    return plan.map(({ detail }) => detail);
  }

  checkpoint(): number {
    return this.#number(head);
  }

  #number(statement: Versions["current"]): number {
    return Number(this.row(statement)?.[0] ?? 0);
  }

  #page(request: PageRequest): PageResult {
    const { text, values } = this.#choose(request);
    const layout = this.#layoutOf(request);
    const rows = this.#statements.prepare({ text, values }).all(...values) as RecordRow[];
    const length = Math.min(rows.length, request.top);
    const assembler = new RecordAssembler(layout, capacityFor(rows, length, layout));
    let last: readonly unknown[] = [];
    for (let i = 0; i < length; i++) {
      const [dataset, record, members, ...rest] = rows[i] as RecordRow;
      assembler.add(
        record,
        members,
        dataset,
        computedText(request.computed, rest.slice(request.key), readValue),
      );
      last = rest;
    }
    return {
      records: assembler.finish(),
      length,
      last: last.slice(0, request.key),
      more: rows.length > length,
    };
  }

  #layoutOf({ plan: { id, plan } }: PageRequest): RecordLayout {
    const layout = this.#layouts.get(id) ?? new RecordLayout(plan);
    this.#layouts.delete(id);
    this.#layouts.set(id, layout);
    const [oldest] = this.#layouts.keys();
    if (this.#layouts.size > keptPlans && oldest !== undefined) this.#layouts.delete(oldest);
    return layout;
  }
}

function capacityFor(rows: readonly RecordRow[], length: number, { template }: RecordLayout): number {
  let size = 16;
  for (let i = 0; i < length; i++) size += (rows[i] as RecordRow)[1].length + 3;
  return size + length * template.length;
}
