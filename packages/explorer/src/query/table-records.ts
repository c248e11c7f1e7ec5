import { address } from "../address/current-address.ts";
import { collectionPath } from "../api/odata.ts";
import { firstKey, secondKey } from "../session/api-keys.ts";
import { secondSet, shownColumns, shownKeyName, shownSet } from "./current-query.ts";
import { pagedRecords } from "./paged-records.ts";

/** Records of a page of the table. */
const pageSize = 200;

const pathOf = (names: readonly string[]): string => {
  const { entitySet: set, filter, orderBy } = address.value;
  return collectionPath(set, {
    $filter: filter,
    $select: [...new Set([shownKeyName.value, ...names])].join(","),
    $orderby: orderBy,
    $count: "true",
    $top: String(pageSize),
  });
};

const columnNames = () => shownColumns.value.map(({ name }) => name);

/** Records of the table, as the first key sees them. */
export const firstRecords = pagedRecords(() => {
  const key = firstKey.value;
  if (key === undefined || shownSet.value === undefined) return undefined;
  return { path: pathOf(columnNames()), apiKey: key.apiKey };
});

/** The same query under the second key, with those of the columns that it sees. */
export const secondRecords = pagedRecords(() => {
  const key = secondKey.value;
  const set = secondSet.value;
  if (key === undefined || set === undefined || shownSet.value === undefined) return undefined;
  const seen = columnNames().filter((name) => set.type.properties.has(name));
  return { path: pathOf(seen), apiKey: key.apiKey };
});
