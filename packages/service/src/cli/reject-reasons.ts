import { quotedName } from "../ingest/quoted-text.ts";
import type { RejectReason } from "../ingest/reject-reasons.ts";
import { unknownFieldCures } from "../ingest/unknown-columns.ts";
import { number } from "./progress.ts";
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
    ...(others > 0 ? [`and ${number(others)} more reasons`] : []),
    ...(reasons.some(({ code }) => code === "unknown_field")
      ? [`For unknown fields ${unknownFieldCures}.`]
      : []),
  ].join("\n");
}
