import { signal } from "@preact/signals";
import { comparedRows, isComparing } from "../compare/compared-rows.ts";
import { differs, type SeenBy } from "../compare/merged-rows.ts";
import { CopyDialog } from "../copy/copy-dialog.tsx";
import { shownColumns, shownSet } from "../query/current-query.ts";
import type { PagedRecords } from "../query/paged-records.ts";
import { firstRecords, secondRecords } from "../query/table-records.ts";
import { firstKey, secondKey } from "../session/api-keys.ts";
import { ColumnChooser } from "../table/column-chooser.tsx";
import { formatCount } from "../table/format.ts";

const choosesColumns = signal(false);
const copies = signal(false);

const countText = ({ count, error }: PagedRecords): string =>
  count === undefined ? (error ? "–" : "…") : formatCount(count);

function Comparison() {
  const [first, second] = [firstKey.value, secondKey.value];
  if (first === undefined || second === undefined) return null;
  const rows = comparedRows.value;
  const onlyOne = (side: SeenBy, name: string) => {
    const number = rows.filter(({ seenBy }) => seenBy === side).length;
    return number === 0 ? "" : `, ${formatCount(number)} only ${name} sees`;
  };
  const names = shownColumns.value.map(({ name }) => name);
  const different = rows.filter((row) => names.some((name) => differs(row, name))).length;
  const { error } = secondRecords.state.value;
  return (
    <>
      <span class="count count-second">
        <strong>{countText(secondRecords.state.value)}</strong> {second.name}
      </span>
      {error === undefined ? (
        <span class="quiet" aria-live="polite">
          {isComparing.value
            ? "comparing …"
            : `${formatCount(different)} differ${onlyOne("first", first.name)}${onlyOne("second", second.name)}, of ${formatCount(rows.length)} rows here`}
        </span>
      ) : (
        <span class="quiet">
          {second.name}: {error.message}
        </span>
      )}
    </>
  );
}

/** Count of the query, the time it took, and the columns. */
export function QueryStatus() {
  const { count, time, isLoading } = firstRecords.state.value;
  const second = secondKey.value;
  return (
    <div class="status-line" aria-busy={isLoading}>
      <span class={`count ${second === undefined ? "" : "count-first"}`} aria-live="polite">
        <strong>{countText(firstRecords.state.value)}</strong>{" "}
        {second === undefined ? (count === 1 ? "record" : "records") : firstKey.value?.name}
      </span>
      <Comparison />
      {second === undefined && time !== undefined && !isLoading && (
        <span class="quiet query-time">{Math.max(1, Math.round(time))} ms</span>
      )}
      <span class="spring" />
      {shownSet.value !== undefined && (
        <button
          type="button"
          class="button button-small"
          onClick={() => {
            choosesColumns.value = true;
          }}
        >
          Columns {shownColumns.value.length} of {formatCount(shownSet.value.type.properties.size)}
        </button>
      )}
      <button
        type="button"
        class="button button-small"
        onClick={() => {
          copies.value = true;
        }}
      >
        Copy as …
      </button>
      {copies.value && (
        <CopyDialog
          onClose={() => {
            copies.value = false;
          }}
        />
      )}
      {choosesColumns.value && (
        <ColumnChooser
          onClose={() => {
            choosesColumns.value = false;
          }}
        />
      )}
    </div>
  );
}
