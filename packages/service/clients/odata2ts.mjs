import fetchClient from "@odata2ts/http-client-fetch";
import queryObjects from "@odata2ts/odata-query-objects";
import { generate, runProgram } from "./generated.mjs";
import { pageSize, unknownField } from "./task.mjs";

const { QStringPath } = queryObjects;

export const name = "@odata2ts/odata2ts";

const compilerOptions = {
  target: "es2022",
  module: "nodenext",
  strict: true,
  skipLibCheck: true,
  types: [],
  rootDir: "ts",
  outDir: "js",
};

/** True for the path of a field, and not of related entities. */
const isField = (path) => path?.getPath !== undefined && !path.constructor.name.startsWith("QEntity");

/** It makes a typed client from `$metadata`, which must compile. */
export async function connect(service, { city, price, key, pictured }) {
  const options = ["--service-name", "cadastre", "--mode", "all", "--emit-mode", "ts"];
  const folder = await generate(
    service,
    "odata2ts",
    "@odata2ts/odata2ts/lib/run-cli.js",
    ["--source", "in/cadastre.edmx", "--output", "ts", ...options],
    { "tsconfig.json": { compilerOptions, include: ["ts"] } },
  );
  await runProgram("typescript/bin/tsc", ["-p", "."], folder);
  const { cadastreService } = (await import(`${folder}/js/cadastreService.js`)).default;
  const { qProperty } = (await import(`${folder}/js/Qcadastre.js`)).default;

  const clientWith = (headers) =>
    new cadastreService(
      new fetchClient.FetchClient({ headers: { ...service.headers, ...headers } }),
      service.root,
    );
  const client = clientWith({});
  const keysOf = ({ data }) => data.value.map(({ ListingKey }) => ListingKey);
  return {
    metadata: async () => Object.values(qProperty).filter(isField).length,
    filter: async () => {
      const filtered = await client
        .Property()
        .query((query, q) =>
          query.select("ListingKey").filter(q.City.eq(city), q.ListPrice.gt(price)).top(1000),
        );
      return keysOf(filtered).sort();
    },
    sort: async () =>
      keysOf(
        await client
          .Property()
          .query((query, q) => query.orderBy(q.ListPrice.desc(), q.ListingKey.asc()).top(5)),
      ),
    // It has no next links: pages are skipped to.
    pages: async () => {
      const keys = [];
      for (let more = [undefined]; more.length > 0; keys.push(...more.filter(Boolean))) {
        more = keysOf(
          await client
            .Property()
            .query((query) => query.select("ListingKey").top(pageSize).skip(keys.length)),
        );
      }
      return keys.sort();
    },
    count: async () => {
      const counted = await client
        .Property()
        .query((query, q) => query.count().top(0).filter(q.StandardStatus.eq("Active")));
      return counted.data["@odata.count"];
    },
    entity: async () =>
      (await client.Property(key).query((query) => query.select("ListingKey"))).data.ListingKey,
    expand: async () => {
      const { data } = await client
        .Property(pictured)
        .query((query) => query.select("ListingKey").expanding("Media", (media) => media.select("MediaKey")));
      return data.Media.map(({ MediaKey }) => MediaKey).sort();
    },
    error: async () => {
      try {
        await client.Property().query((query) => query.filter(new QStringPath(unknownField).eq("")));
      } catch (error) {
        return error.status;
      }
    },
  };
}
