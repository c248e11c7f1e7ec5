import { quotedName } from "../ingest/quoted-text.ts";
import { RecordsRejected, type RejectReason } from "../ingest/reject-reasons.ts";
import { unknownFieldCures } from "../ingest/unknown-columns.ts";
import { printMessage } from "./outcome.ts";
import { counted, number } from "./progress.ts";
import { table } from "./table.ts";

/** Maximum number of reasons in the table. */
const mostShown = 10;

/** Returns a table of the most frequent reasons why records were rejected, with the first record of each, for the terminal. */
export function reasonsText(reasons: readonly RejectReason[]): string {
  const shown = reasons.slice(0, mostShown);
  const rows = shown.map(({ records, code, field, reason, example: { line, key, value } }) => [
    number(records),
    code,
    field === null ? "" : quotedName(field),
    line === undefined ? "" : String(line),
    key ?? "",
    value ?? "",
    reason,
  ]);
  const others = reasons.length - shown.length;
  return [
    table(["RECORDS", "CODE", "FIELD", "FIRST LINE", "KEY", "VALUE", "REASON"], rows),
    ...(others > 0 ? [`and ${counted(others, "more reason")}`] : []),
    ...(reasons.some(({ code }) => code === "unknown_field")
      ? [`For unknown fields ${unknownFieldCures}.`]
      : []),
  ].join("\n");
}

/** Does the work. If it is given up since too many records are rejected, prints the reasons for people. */
export async function withReasons<T>(
  { json = false }: { readonly json?: boolean | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RecordsRejected && !json) printMessage(reasonsText(error.reasons));
    throw error;
  }
}
