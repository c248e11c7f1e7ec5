import { address, go } from "../address/current-address.ts";
import { comparedRows } from "../compare/compared-rows.ts";
import { shownColumns } from "../query/current-query.ts";
import { firstRecords, secondRecords } from "../query/table-records.ts";
import { secondKey } from "../session/api-keys.ts";
import { Grid } from "./grid.tsx";
import "./table.css";

function loadMore(): void {
  firstRecords.more();
  secondRecords.more();
}

/** Table of the query's records. */
export function RecordTable() {
  const { count, isLoading, error } = firstRecords.state.value;
  const rows = comparedRows.value;
  if (error !== undefined && rows.length === 0)
    return (
      <div class="empty">
        <h2>No answer yet</h2>
        <p>The line above says what is wrong with the query.</p>
      </div>
    );
  if (rows.length === 0 && !isLoading && count !== undefined) {
    return (
      <div class="empty">
        <h2>Nothing matches</h2>
        <p>No record that this key sees satisfies the filter.</p>
        <button type="button" class="button" onClick={() => go({ filter: "" })}>
          Clear the filter
        </button>
      </div>
    );
  }
  // A grid without columns or rows would be none.
  if (rows.length === 0) return <div class="empty" aria-busy="true" />;
  return (
    <Grid
      label={`${address.value.entitySet} records`}
      rows={rows}
      columns={shownColumns.value}
      count={count ?? rows.length}
      comparing={secondKey.value !== undefined}
      isLoading={isLoading}
      openKey={address.value.record}
      onOpen={(key) => go({ record: key })}
      onEnd={loadMore}
    />
  );
}
