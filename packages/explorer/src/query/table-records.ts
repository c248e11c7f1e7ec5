import { address } from "../address/current-address.ts";
import { collectionPath } from "../api/odata.ts";
import { seenEntitySet } from "../model/service-model.ts";
import { firstKey, secondKey } from "../session/api-keys.ts";
import { shownColumns, shownKeyName, shownSet } from "./current-query.ts";
import { pagedRecords } from "./paged-records.ts";

/** Records of a page of the table. */
const pageSize = 200;

const pathOf = (
  names: readonly string[],
  { entitySet: set, filter, orderBy }: typeof address.value,
): string => {
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
  return { path: pathOf(columnNames(), address.value), apiKey: key.apiKey };
});

/** The same query under the second key, with those of the columns that it sees. */
export const secondRecords = pagedRecords(() => {
  const key = secondKey.value;
  if (key === undefined || shownSet.value === undefined) return undefined;
  const [query, names] = [address.value, columnNames()];
  const path = seenEntitySet(key.apiKey, query.entitySet).then((set) => {
    if (set === undefined) throw new Error(`this key does not see ${query.entitySet}`);
    return pathOf(
      names.filter((name) => set.type.properties.has(name)),
      query,
    );
  });
  return { path, apiKey: key.apiKey };
});
