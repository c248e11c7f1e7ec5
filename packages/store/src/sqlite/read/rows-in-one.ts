import type { RecordRow } from "./record-row.ts";

/** Number of rows from which on it is cheaper to read them as one. */
export const manyRows = 100;

/**
 * Returns a statement with one row for all rows of a statement that selects a {@link RecordRow} with a key of one column, and perhaps values
 * after it, which are left out: SQLite joins the values of each column. A row of its own costs as much as half of its reading, for the
 * values that the driver creates.
 *
 * @param columns number of columns of the statement
 */
export function rowsInOne(text: string, columns: number): string {
  const more = Array.from({ length: columns - selected.length }, (_, i) => `more${i}`);
  return `with page(${[...selected, ...more].join(", ")}) as (${text})
select count(*), sum(typeof(record_key) = 'text'), group_concat(ifnull(dataset, ''), ' '), group_concat(length(record), ' '),
cast(group_concat(record, '') as blob), group_concat(members, ' '), group_concat(ifnull(checksum, ''), ' '),
group_concat(record_key, char(0)) from page`;
}

const selected = ["dataset", "record", "members", "checksum", "record_key"];

/** A row of {@link rowsInOne}. The last values are null if there are no rows. */
export type JoinedRows = readonly [
  count: bigint,
  texts: bigint | null,
  datasets: string,
  lengths: string,
  records: Buffer,
  members: string,
  checksums: string,
  keys: string,
];

/** Returns the rows that were joined; undefined if a value contains what separates them, or a key is no text. */
export function separateRows([count, texts, ...joined]: JoinedRows): RecordRow[] | undefined {
  if (count === 0n) return [];
  if (texts !== count) return undefined;
  const [inDatasets, inLengths, records, inMembers, inChecksums, inKeys] = joined;
  const length = Number(count);
  const lists = [inDatasets, inLengths, inMembers, inChecksums].map((list) => list.split(" "));
  const keys = inKeys.split("\0");
  if ([...lists, keys].some((list) => list.length !== length)) return undefined;
  const [datasets = [], lengths = [], members = [], checksums = []] = lists;
  const bytes = new Uint8Array(records.buffer, records.byteOffset, records.length);
  const numbers = new Map([...new Set(datasets)].map((one) => [one, one === "" ? null : BigInt(one)]));
  const rows: RecordRow[] = [];
  let at = 0;
  for (let i = 0; i < length; i++) {
    const end = at + Number(lengths[i]);
    const dataset = numbers.get(datasets[i] ?? "") ?? null;
    rows.push([dataset, bytes.subarray(at, end), members[i] ?? "", checksums[i] ?? "", keys[i]]);
    at = end;
  }
  return rows;
}
