import odata from "@sap-cloud-sdk/odata-v4";
import { generate } from "./generated.mjs";
import { pageSize, unknownField } from "./task.mjs";

const { asc, desc } = odata;

export const name = "@sap-cloud-sdk/odata-v4";

/** True for what leads to related entities. */
const isLink = (field) => field.constructor.name.endsWith("Link");

/** It makes a typed client from `$metadata`, and compiles it. */
export async function connect(service, { city, price, key, pictured }) {
  const folder = await generate(service, "sap-cloud-sdk", "@sap-cloud-sdk/generator/dist/cli.js", [
    ...["--input", "in", "--outputDir", "out", "--transpile"],
  ]);
  const { cadastre } = (await import(`${folder}/out/cadastre/index.js`)).default;
  const { propertyApi, mediaApi } = cadastre();
  const { schema } = propertyApi;
  const { origin, pathname } = new URL(service.root);

  const send = (request) =>
    request.setBasePath(pathname).addCustomHeaders(service.headers).execute({ url: origin });
  const keysOf = (rows) => rows.map(({ listingKey }) => listingKey);
  const all = () => propertyApi.requestBuilder().getAll().select(schema.LISTING_KEY);
  return {
    metadata: async () =>
      Object.entries(schema).filter(([name, field]) => name !== "ALL_FIELDS" && !isLink(field)).length,
    filter: async () => {
      const filtered = all().filter(schema.CITY.equals(city), schema.LIST_PRICE.greaterThan(price)).top(1000);
      return keysOf(await send(filtered)).sort();
    },
    sort: async () =>
      keysOf(await send(all().orderBy(desc(schema.LIST_PRICE), asc(schema.LISTING_KEY)).top(5))),
    // It has no next links: pages are skipped to.
    pages: async () => {
      const keys = [];
      for (let page; page === undefined || page.length > 0; keys.push(...keysOf(page))) {
        page = await send(all().top(pageSize).skip(keys.length));
      }
      return keys.sort();
    },
    count: () =>
      send(propertyApi.requestBuilder().getAll().filter(schema.STANDARD_STATUS.equals("Active")).count()),
    entity: async () =>
      (await send(propertyApi.requestBuilder().getByKey(key).select(schema.LISTING_KEY))).listingKey,
    expand: async () => {
      const media = schema.MEDIA.select(mediaApi.schema.MEDIA_KEY);
      const one = propertyApi.requestBuilder().getByKey(pictured).select(schema.LISTING_KEY);
      const found = await send(one.expand(media));
      return found.media.map(({ mediaKey }) => mediaKey).sort();
    },
    error: async () => {
      try {
        await send(all().addCustomQueryParameters({ $orderby: unknownField }));
      } catch (error) {
        return error.rootCause?.response?.status;
      }
    },
  };
}
