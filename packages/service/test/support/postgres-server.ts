import { startPostgres } from "@cadastre/odata/testing";

/** Starts the PostgreSQL server of a test run with `DATABASE=postgres`, and returns the function that stops it. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  process.env["TEST_POSTGRES"] = server.url;
  return server.stop;
}
