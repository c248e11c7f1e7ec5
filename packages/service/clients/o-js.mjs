import odata from "odata";
import { pageSize, unknownField } from "./task.mjs";

export const name = "odata";

export function connect({ root, headers }, { city, price, key, pictured }) {
  const handler = odata.o(`${root}/`, { headers });
  const ask = (resource, query) => handler.get(resource).query(query);
  const keysOf = (rows) => rows.map(({ ListingKey }) => ListingKey);
  return {
    filter: async () => {
      const filter = `City eq '${city}' and ListPrice gt ${price}`;
      return keysOf(await ask("Property", { $filter: filter, $top: 1000 })).sort();
    },
    sort: async () => keysOf(await ask("Property", { $orderby: "ListPrice desc,ListingKey", $top: 5 })),
    pages: async () => {
      const paged = odata.o(`${root}/`, {
        headers: { ...headers, prefer: `maxpagesize=${pageSize}` },
        fragment: "",
      });
      const keys = [];
      for (let next = "Property?$select=ListingKey"; next !== undefined; ) {
        const page = await paged.get(next).query();
        keys.push(...keysOf(page.value));
        next = page["@odata.nextLink"];
      }
      return keys.sort();
    },
    count: () => ask("Property/$count", { $filter: "StandardStatus eq 'Active'" }),
    entity: async () => (await ask(`Property('${key}')`)).ListingKey,
    expand: async () =>
      (await ask(`Property('${pictured}')`, { $expand: "Media($select=MediaKey)" })).Media.map(
        ({ MediaKey }) => MediaKey,
      ).sort(),
    error: async () => {
      try {
        await ask("Property", { $filter: `${unknownField} eq 1` });
      } catch (response) {
        return response.status;
      }
    },
  };
}
