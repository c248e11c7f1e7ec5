import { signal } from "@preact/signals";
import { address } from "../address/current-address.ts";
import type { JsonObject } from "../api/json.ts";
import { collectionPath, requestPage } from "../api/odata.ts";
import { firstModel } from "../query/current-query.ts";
import { filterOf, termsOf } from "../query/filter-terms.ts";
import { loaded } from "../query/loaded.ts";
import { firstKey } from "../session/api-keys.ts";
import type { Sale } from "./medians.ts";

/** Fields that sales are grouped by. */
export const placeFieldNames = ["City", "PostalCode", "CountyOrParish", "StateOrProvince"] as const;
export type PlaceField = (typeof placeFieldNames)[number];

export const placeField = signal<PlaceField>("City");

/** Sales that are read, the latest first: more would keep the service busy for one picture. */
export const mostSales = 10_000;
const pageSize = 1000;

function saleOf(record: JsonObject, field: string): readonly Sale[] {
  const [date, price, place] = [record["CloseDate"], record["ClosePrice"], record[field]];
  return typeof date === "string" && typeof price === "number" && typeof place === "string"
    ? [{ date, price, place }]
    : [];
}

/** Returns the filter of the page for sales: its status would exclude them. */
const salesFilter = (filter: string): string =>
  filterOf([
    ...termsOf(filter).filter((term) => !term.startsWith("StandardStatus ")),
    "StandardStatus eq 'Closed'",
    "ClosePrice gt 20000",
  ]);

/** Latest sales of what the filter of the page matches, as far as the first key sees them. */
export const closedSales = loaded((abort) => {
  const apiKey = firstKey.value?.apiKey;
  const type = firstModel.value.value?.entitySets.find(({ name }) => name === "Property")?.type;
  const { entitySet, filter } = address.value;
  const field = placeField.value;
  if (apiKey === undefined || type === undefined) return undefined;
  const lacking = ["CloseDate", "ClosePrice", "StandardStatus", field].filter(
    (name) => !type.properties.has(name),
  );
  if (lacking.length > 0)
    return Promise.reject(
      new Error(`this key does not see ${lacking.join(" and ")}, which sales are read from`),
    );
  return (async () => {
    const sales: Sale[] = [];
    let path: string | undefined = collectionPath("Property", {
      $filter: salesFilter(entitySet === "Property" ? filter : ""),
      $select: ["CloseDate", "ClosePrice", field].join(","),
      $orderby: "CloseDate desc",
      $top: String(pageSize),
    });
    for (let read = 0; path !== undefined && read < mostSales; read += pageSize) {
      const page = await requestPage(path, apiKey, abort);
      sales.push(...page.records.flatMap((record) => saleOf(record, field)));
      path = page.next;
    }
    return sales;
  })();
});
