import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe } from "vitest";
import { crashes } from "./crashes.ts";

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  crashes("PostgreSQL", (schema) => ({ connection: server.url, schema }), [
    "after_part_announce",
    "before_part_commit",
    "after_manifest",
  ]);
});
