import type { CompiledSql } from "@cadastre/odata";
import { StoreError } from "../errors.ts";
import type { PageRequest, PageResult, ReadResult, Versions } from "../read/request.ts";
import { RecordAssembler, RecordLayout } from "../record/assemble.ts";
import { computedText } from "../record/computed.ts";
import type { RecordPlan } from "../record/plan.ts";
import { earliestCheckpoint, lastCheckpoint } from "./bookkeeping.ts";
import { readValue } from "./read-value.ts";
import type { Run } from "./reader-pool.ts";
import type { Fields, Query } from "./round-trip.ts";

/** What a page's walk starts from: the order's values in the record of its bookmark. */
export type Start = {
  readonly values: readonly unknown[];
  /** Whether a version was closed since the walk's checkpoint. */
  readonly isClosed: boolean;
};

/** @throws {StoreError} `bookmark_expired` if none of `orderValues` has a row. */
export async function findStart(
  run: Run,
  orderValues: readonly CompiledSql[],
  closings: CompiledSql,
): Promise<Start> {
  let values: Fields | undefined;
  let isClosed = false;
  const onRow = (fields: Fields) => {
    values ??= fields;
  };
  await run([
    ...orderValues.map((statement) => ({ ...statement, onRow })),
    {
      ...closings,
      onRow: () => {
        isClosed = true;
      },
    },
  ]);
  if (values === undefined) throw new StoreError("bookmark_expired");
  return { values, isClosed };
}

export type PageAndCount = { readonly page?: PageRequest | undefined; readonly count?: Versions | undefined };

/**
 * Read a page and a count from one state of the store. As of a checkpoint, closed versions are read only if there
 * are some since: `isClosed` guesses, and the state that is read decides.
 *
 * @throws {StoreError} `bookmark_expired`
 */
export async function read(run: Run, { page, count }: PageAndCount, isClosed = false): Promise<ReadResult> {
  const asOf = (page ?? count)?.asOf;
  const choose = ({ current, asOf: then }: Versions) =>
    then !== undefined && isClosed ? then.merged : current;
  let checkpoint = 0;
  let earliest = 0;
  let hasClosed = false;
  let counted: number | undefined;
  const rows = page === undefined ? undefined : new PageRows(page);
  const queries: Query[] = [
    numberOf(lastCheckpoint, (number) => {
      checkpoint = number;
    }),
  ];
  if (asOf !== undefined)
    queries.push(
      numberOf(earliestCheckpoint, (number) => {
        earliest = number;
      }),
      numberOf(asOf.closings, () => {
        hasClosed = true;
      }),
    );
  if (page !== undefined) queries.push({ ...choose(page), onRow: (fields) => rows?.add(fields) });
  if (count !== undefined)
    queries.push(
      numberOf(choose(count), (number) => {
        counted = number;
      }),
    );
  await run(queries);
  if (asOf !== undefined && asOf.checkpoint < earliest) throw new StoreError("bookmark_expired");
  if (hasClosed && !isClosed) return read(run, { page, count }, true);
  return { checkpoint, page: rows?.finish(), count: counted };
}

/** Give the number in a statement's one row to `take`. */
const numberOf = (statement: CompiledSql, take: (number: number) => void): Query => ({
  ...statement,
  onRow: ([text]) => take(Number(text)),
});

const layouts = new WeakMap<RecordPlan, RecordLayout>();

function layoutOf(plan: RecordPlan): RecordLayout {
  const layout = layouts.get(plan) ?? new RecordLayout(plan);
  layouts.set(plan, layout);
  return layout;
}

/** Puts the rows of a page together as they arrive: dataset, text, members, then the key and what is computed. */
class PageRows {
  readonly #request: PageRequest;
  readonly #assembler: RecordAssembler;
  #length = 0;
  #last: Fields = [];
  #more = false;

  constructor(request: PageRequest) {
    this.#request = request;
    this.#assembler = new RecordAssembler(layoutOf(request.plan.plan));
  }

  add(fields: Fields): void {
    const { top, key, computed } = this.#request;
    if (this.#length === top) {
      this.#more = true;
      return;
    }
    const [dataset = null, text, members] = fields;
    const values = computed.length === 0 ? "" : computedText(computed, fields.slice(3 + key), readValue);
    this.#assembler.add(Buffer.from(text ?? ""), bytesOf(members ?? ""), dataset, values);
    this.#length++;
    this.#last = fields;
  }

  finish(): PageResult {
    return {
      records: this.#assembler.finish(),
      length: this.#length,
      last: this.#last.slice(3, 3 + this.#request.key),
      more: this.#more,
    };
  }
}

/** Bytes of `\x0aff`, as the server writes them. */
const bytesOf = (hexadecimal: string): Uint8Array => Buffer.from(hexadecimal.slice(2), "hex");
