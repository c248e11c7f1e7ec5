/**
 * Tests of the service that `DATABASE=postgres` leaves out, with the reason. All others run on either database; single tests that are
 * about files say so by `runIf(onFiles)`.
 */
export const leftOutOnPostgres: Readonly<Record<string, string>> = {
  "backup/**":
    "about copies of database files: PostgreSQL has pg_dump, see packages/store/test/postgres-dump.test.ts",
  "data-error.test.ts": "about faults of database files: postgres.test.ts has those of a server",
  "first-start.test.ts": "about the creation of database files: postgres.test.ts has that of tables",
  "full-disk.long.test.ts": "about the disk of database files",
  "upgrade.long.test.ts": "about data folders of earlier releases, which have database files",
  "attack/**": "about the memory and time of the server process",
  "drain.long.test.ts":
    "about connections and answers; one test needs pages that take longer than to accept connections",
  "{streaming,cross-origin,compression,http-edge,protocol-traps,links,direct-path,methods}.test.ts":
    "about connections, addresses, answers and their headers",
  "{explorer,openapi,mcp,metrics,cli-coverage}.test.ts":
    "about other forms of answers that other tests read on either database",
  "{key-directory,clock,cli-customer,trust}.test.ts":
    "about keys, entitlements and issuers: packages/store/test/registry keeps the first two in either database",
  "sample-threads.test.ts": "about how a sample is made",
  "{body-size,head-budget,request-body,client-requests,rates}.test.ts":
    "about requests before any is answered",
  "{formats,file-formats,certification/*}.test.ts":
    "about the form of answers: agreement.property.test.ts compares their bytes",
  "learn/**": "about the sources that mappings are learnt from",
  "{hostile-feeds,feeds-guide}.test.ts": "about the sources of feeds, and their faults",
  "start-bundle.test.ts": "about the compiled start",
  "cli-{process,conventions}.test.ts": "about how commands are called and what they print",
  "{demo,main}.test.ts":
    "about the sample, and what a start does and prints: postgres.test.ts starts with a database",
  "delivery/canaries.test.ts": "about the bytes of parts, as interference/ is, which runs on both databases",
  "delivery/damaged-parts.test.ts": "about stored parts",
  "{cli-replicate,replicate-faults}.test.ts": "about the source that is copied, and its faults",
  "agreement.property.test.ts": "starts a service on each database",
  "follower-month.long.test.ts": "starts a service on each database",
  "serve-your-mls.long.test.ts": "starts a service on each database",
  "worker-heartbeat.long.test.ts": "starts a service on each database",
  "delivery/equal-tables.long.test.ts":
    "about the databases of copies: delivery/typed-tables.long.test.ts has those of a service on PostgreSQL",
  "ingest/law/**": "runs on both databases in every run",
  "interference/**": "runs on both databases in every run",
  "replication/*.property.test.ts": "runs on both databases in every run",
  "delivery/seed-and-deltas.property.test.ts": "runs on both databases in every run",
  "v1/identities.test.ts": "runs on both databases in every run",
  "*postgres*.test.ts": "runs on PostgreSQL in every run",
  "{nodes,replicas}.long.test.ts": "runs on PostgreSQL in every run",
};
