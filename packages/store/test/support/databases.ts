import type { PostgresServer } from "@cadastre/odata/testing";

/**
 * Returns a function that returns the URL of the database that has a schema. Databases are created as they are needed.
 *
 * @param most number of schemas in one database: opening a store reads the catalog, which has the tables of all stores of its database
 */
export function databasesOfSchemas(
  server: () => Pick<PostgresServer, "createDatabase">,
  most: number,
): (schema: string) => Promise<string> {
  const databases = new Map<string, Promise<string>>();
  let newest: Promise<string>;
  return (schema) => {
    const known = databases.get(schema);
    if (known !== undefined) return known;
    if (databases.size % most === 0) newest = server().createDatabase();
    databases.set(schema, newest);
    return newest;
  };
}
