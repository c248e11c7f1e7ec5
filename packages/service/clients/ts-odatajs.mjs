import odatajs from "ts-odatajs";
import { pageSize, unknownField } from "./task.mjs";

const { oData } = odatajs;

export const name = "ts-odatajs";

export function connect({ root, headers }, { city, price, key, pictured }) {
  const read = (requestUri, more = {}, handler = undefined) =>
    new Promise((resolve, reject) => {
      oData.read({ requestUri, headers: { ...headers, ...more } }, resolve, reject, handler);
    });
  const ask = (target, more) => read(`${root}/${encodeURI(target)}`, more);
  const keysOf = ({ value }) => value.map(({ ListingKey }) => ListingKey);
  return {
    metadata: async () => {
      const { dataServices } = await read(
        `${root}/$metadata`,
        { Accept: "application/xml" },
        oData.metadataHandler,
      );
      return dataServices.schema[0].entityType[0].property.length;
    },
    filter: async () =>
      keysOf(await ask(`Property?$top=1000&$filter=City eq '${city}' and ListPrice gt ${price}`)).sort(),
    sort: async () => keysOf(await ask("Property?$top=5&$orderby=ListPrice desc,ListingKey")),
    pages: async () => {
      const keys = [];
      for (let next = `${root}/Property`; next !== undefined; ) {
        const page = await read(next, {
          Prefer: `maxpagesize=${pageSize}`,
          Accept: "application/json;odata.metadata=full",
        });
        keys.push(...keysOf(page));
        next = page["@odata.nextLink"];
      }
      return keys.sort();
    },
    count: async () =>
      (await ask("Property?$top=0&$count=true&$filter=StandardStatus eq 'Active'"))["@odata.count"],
    entity: async () => (await ask(`Property('${key}')`)).ListingKey,
    expand: async () =>
      (await ask(`Property('${pictured}')?$expand=Media($select=MediaKey)`)).Media.map(
        ({ MediaKey }) => MediaKey,
      ).sort(),
    error: async () => {
      try {
        await ask(`Property?$filter=${unknownField} eq 1`);
      } catch (error) {
        return error.response.statusCode;
      }
    },
  };
}
