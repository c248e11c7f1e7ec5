import { piecesOfRecords, walkRecord } from "./record-walk.ts";

const lineEnd = "\r\n";

/** First characters that make a spreadsheet take a text for a formula. Source: OWASP, CSV Injection. */
const formulaStart = /^[=+\-@\t\r]/;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Returns the cell of a text. A text that a spreadsheet would compute begins with an apostrophe. The empty text is `""`, unlike null. */
function textCell(text: string): string {
  const safe = formulaStart.test(text) ? `'${text}` : text;
  return safe === "" || /[",\r\n]/.test(safe) ? quoted(safe) : safe;
}

/** Returns the cell of a JSON value: null is empty, and a list or an object is its JSON text. */
function cellOf(value: string): string {
  if (value.startsWith('"')) return textCell(value.includes("\\") ? parseText(value) : value.slice(1, -1));
  if (value.startsWith("{") || value.startsWith("[")) return quoted(value);
  return value === "null" ? "" : value;
}

const parseText = (value: string): string => JSON.parse(value) as string;

/**
 * Writes records as CSV: a header line, then a line for each record. Source: RFC 4180.
 *
 * @param records JSON texts of records without white space, separated by commas, in UTF-8
 * @param columns names of the members, in the order of the columns; other members are left out
 */
export function* toCsv(records: Buffer, columns: readonly string[]): Generator<string> {
  const places = new Map(columns.map((name, place) => [name, place]));
  let cells: string[] = [];
  const visit = (at: number, start: number, end: number) => {
    const place = places.get(records.toString("utf8", at + 1, start - 2));
    if (place !== undefined) cells[place] = cellOf(records.toString("utf8", start, end));
  };
  yield columns.map(textCell).join(",") + lineEnd;
  yield* piecesOfRecords(records, (from, add) => {
    cells = Array.from(columns, () => "");
    const end = walkRecord(records, from, visit);
    add(cells.join(",") + lineEnd);
    return end;
  });
}
