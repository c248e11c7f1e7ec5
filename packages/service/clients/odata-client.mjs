import client from "@odata/client";
import { pageSize, unknownField } from "./task.mjs";

const { OData } = client;

export const name = "@odata/client";

export function connect({ root, headers }, { city, price, key, pictured }) {
  const odata = OData.New4({ serviceEndpoint: `${root}/`, commonHeaders: headers });
  const property = odata.getEntitySet("Property");
  const keysOf = (rows) => rows.map(({ ListingKey }) => ListingKey);
  return {
    filter: async () => {
      const filter = OData.newFilter().field("City").eqString(city).field("ListPrice").gt(price);
      return keysOf(await property.query(OData.newOptions().filter(filter).top(1000))).sort();
    },
    sort: async () =>
      keysOf(
        await property.query(
          OData.newOptions()
            .orderbyMulti([{ field: "ListPrice", order: "desc" }, { field: "ListingKey" }])
            .top(5),
        ),
      ),
    // It has no next links: pages are skipped to.
    pages: async () => {
      const keys = [];
      for (let page; page === undefined || page.length > 0; keys.push(...keysOf(page))) {
        page = await property.query(OData.newOptions().top(pageSize).skip(keys.length));
      }
      return keys.sort();
    },
    count: () => property.count(OData.newFilter().field("StandardStatus").eqString("Active")),
    entity: async () => (await property.retrieve(key)).ListingKey,
    expand: async () => {
      const filter = OData.newFilter().field("ListingKey").eqString(pictured);
      const [found] = await property.query(OData.newOptions().filter(filter).expand("Media"));
      return found.Media.map(({ MediaKey }) => MediaKey).sort();
    },
    // It gives the message of the answer, not its status.
    error: async () => {
      try {
        await property.query(OData.newFilter().field(unknownField).eq(1));
      } catch (error) {
        return /unknown property/.test(error.message) ? 400 : error.message;
      }
    },
  };
}
