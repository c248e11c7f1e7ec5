/**
 * Supports the tests of every package: a PostgreSQL server, free ports, compiled programs, and queries that try what
 * the language allows. Inside the workspace only: it is left out of the published package.
 *
 * @module
 */

export { sourceHash } from "../../../../scripts/compiled.mjs";
export { callTexts } from "./calls.ts";
export { type Authority, type CertifiedKey, createAuthority, hasOpenssl } from "./certificates.ts";
export { compilePackages } from "./compiled-packages.ts";
export { compileProgram } from "./compiled-program.ts";
export { testExampleListings } from "./example-listings.ts";
export { freePort } from "./free-port.ts";
export { type Haproxy, hasHaproxy, startHaproxy } from "./haproxy.ts";
export { hostileQuery } from "./hostile-queries.ts";
export { hasPgbouncer, type Pgbouncer, startPgbouncer } from "./pgbouncer.ts";
export { hasPostgres, isRoot, type PostgresServer, runPostgresProgram, startPostgres } from "./postgres.ts";
export { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
