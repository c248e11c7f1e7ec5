import buildQuery from "odata-query";
import { unknownField } from "./task.mjs";

export const name = "odata-query";

/** It writes queries; `fetch` sends them. */
export function connect({ root, headers }, { city, price, key, pictured }) {
  const send = (query) =>
    fetch(`${root}/Property${buildQuery.default?.(query) ?? buildQuery(query)}`, { headers });
  const ask = async (query) => (await send(query)).json();
  const keysOf = ({ value }) => value.map(({ ListingKey }) => ListingKey);
  return {
    filter: async () =>
      keysOf(await ask({ top: 1000, filter: { City: city, ListPrice: { gt: price } } })).sort(),
    sort: async () => keysOf(await ask({ top: 5, orderBy: ["ListPrice desc", "ListingKey"] })),
    count: async () => {
      const answer = await send({ count: { StandardStatus: "Active" } });
      return Number(await answer.text());
    },
    entity: async () => (await ask({ key, select: ["ListingKey"] })).ListingKey,
    expand: async () =>
      (await ask({ key: pictured, expand: { Media: { select: ["MediaKey"] } } })).Media.map(
        ({ MediaKey }) => MediaKey,
      ).sort(),
    error: async () => (await send({ filter: { [unknownField]: 1 } })).status,
  };
}
