import * as odata from "@cadastre/odata";
import * as apply from "@cadastre/odata/apply";
import { beforeAll, describe, expect, test } from "vitest";
import { Sources } from "./support/sources.ts";

/** It follows which sets have passed their gates, and reads restricted pages. */
const worker = "packages/service/src/delivery/start-worker.ts";
const prepare = "packages/service/src/data/prepare-listings.ts";
const fill = "packages/service/src/data/fill-listings.ts";
/** It commits the sample that a thread has encoded. */
const sampleCommit = "packages/service/src/data/commit-of-threads.ts";
const service = "packages/service/src/service.ts";
const servedCatalog = "packages/service/src/serve-catalog.ts";
const listings = "packages/service/src/listings.ts";
const restore = "packages/service/src/backup/restore.ts";
const dependencies = "packages/service/src/data/registry-dependencies.ts";
const registry = "packages/service/src/data/registry.ts";
const pruning = "packages/service/src/data/pruning.ts";
const buildCheck = "packages/service/src/check/check-builds.ts";
const changedRecords = "packages/service/src/gates/changed.ts";
const doctorFolder = "packages/service/src/cli/doctor/folder-checks.ts";
const buildCommands = "packages/service/src/cli/builds.ts";
const gateCommands = "packages/service/src/cli/gates.ts";
const retireCommands = "packages/service/src/cli/system/retire.ts";
const listCommand = "packages/service/src/cli/system/list.ts";
const catalogChange = "packages/service/src/data/change-catalog.ts";
/** It looks for records of a system that is to have another name. */
const renamedSystems = "packages/service/src/data/renamed-systems.ts";
/** It tells an operator which condition hides a record, and asks whether the set is active and its system retired. */
const explainCommand = "packages/service/src/cli/entitlement/explain.ts";
const recordExplanation = "packages/service/src/cli/entitlement/record-explanation.ts";
/** It counts a record under one condition of a document and everything else granted: which one fails is for the operator alone. */
const recordConditions = "packages/service/src/cli/entitlement/record-conditions.ts";
/** It lists the counties of stored listings, to tell an operator that a document names an unknown one. */
const storedCounties = "packages/service/src/cli/entitlement/stored-counties.ts";
/** It counts what is stored beside what a document would show, before it is signed. */
const visibleCounts = "packages/service/src/cli/entitlement/visible-counts.ts";
const gate = "packages/service/src/gates/gate.ts";
const served = "packages/service/src/ingest/served.ts";
const servedProperty = "packages/service/src/identity/served-property.ts";
const command = "packages/service/src/cli/data.ts";
/** It compares where the sources of what it receives are. */
const receivedStreams = "packages/service/src/receive/received-streams.ts";
const ingest = "packages/service/src/ingest/ingest.ts";
const replication = "packages/service/src/replicate/replicate.ts";
const stageDeletions = "packages/service/src/replicate/stage-deletions.ts";
const toldDeletions = "packages/service/src/replicate/told-deletions.ts";
const removal = "packages/service/src/replicate/remove-gone.ts";
const engine = "packages/service/src/data/database-engine.ts";
const sqliteFiles = "packages/service/src/data/sqlite-databases.ts";
const postgresDatabase = "packages/service/src/data/postgres-databases.ts";
const migration = "packages/service/src/data/migrate-folder.ts";
const databaseNotes = "packages/service/src/data/notes.ts";
const publication = "packages/service/src/gates/publication.ts";
const coverageMap = "packages/service/src/cli/coverage.ts";
const fieldCompleteness = "packages/service/src/v1/field-completeness.ts";
const everySet = "packages/service/src/gates/every-set.ts";
const checkedBatch = "packages/service/src/ingest/check-batch.ts";
const fullSet = "packages/service/src/ingest/full-set.ts";
const storedValues = "packages/service/src/data/stored-values.ts";
const places = "packages/service/src/gates/places.ts";
const parcels = "packages/service/src/gates/parcels.ts";
const policies = "packages/service/src/gates/policies.ts";
const storeReads = "packages/store/src/read/compile.ts";
const storeApplied = "packages/store/src/read/applied.ts";
/** Restricts in the mapping itself: its tests hold it to that. */
const ownTables = "packages/server/src/source/sql-source.ts";
const changedCompiler = "packages/store/src/read/changed-compiler.ts";
const cached = [
  ownTables,
  "packages/store/src/postgres/read/readable-table.ts",
  changedCompiler,
  "packages/store/src/sqlite/read/readable-table.ts",
];
const computed = [
  "packages/store/src/postgres/layout/columns.ts",
  "packages/store/src/sqlite/layout/columns.ts",
];

/** Each way to what is stored that no `restrict` stands in, and who takes it: whoever joins them is written down here first. */
const ways: readonly (readonly [declared: string, name: string, users: readonly string[]])[] = [
  // Who holds more than the half of a store that reads.
  ["packages/store/src/sqlite/store.ts", "openSqliteStore", [sqliteFiles]],
  ["packages/store/src/postgres/store.ts", "openPostgresStore", [postgresDatabase]],
  [
    "packages/store/src/writable-store.ts",
    "WritableStore",
    [sampleCommit, databaseNotes, prepare, pruning, listings, removal],
  ],
  ["packages/store/src/writable-store.ts", "commit", [fill]],
  ["packages/store/src/writable-store.ts", "commitEncoded", [fill]],
  ["packages/store/src/writable-store.ts", "prune", [pruning]],
  ["packages/store/src/writable-store.ts", "notes", [fill, migration, databaseNotes, prepare, service]],
  ["packages/store/src/writable-store.ts", "explain", []],
  // Who reads what is counted of all records: what it gives is of a restricted query.
  ["packages/store/src/store.ts", "coverage", [coverageMap, fieldCompleteness]],
  // Who fills it by builds; a publication shows its check all records of the candidate state.
  [
    "packages/store/src/writable-store.ts",
    "builds",
    [
      buildCheck,
      buildCommands,
      doctorFolder,
      explainCommand,
      recordExplanation,
      gateCommands,
      listCommand,
      retireCommands,
      catalogChange,
      renamedSystems,
      fullSet,
      ingest,
      receivedStreams,
      removal,
      replication,
      stageDeletions,
      toldDeletions,
      service,
    ],
  ],
  [
    "packages/store/src/build/build.ts",
    "stage",
    [catalogChange, fullSet, ingest, removal, replication, stageDeletions, toldDeletions],
  ],
  ["packages/store/src/build/build.ts", "keys", [renamedSystems, fullSet]],
  ["packages/store/src/build/build.ts", "publish", [publication]],
  ["packages/store/src/build/build.ts", "rollback", [buildCommands]],
  ["packages/store/src/build/build.ts", "retire", [retireCommands]],
  ["packages/store/src/build/build.ts", "reinstate", [retireCommands]],
  ["packages/store/src/build/build.ts", "forgetRetired", [retireCommands]],
  ["packages/store/src/build/build.ts", "Candidate", [everySet, gate, publication]],
  ["packages/store/src/build/build.ts", "all", [parcels, places, policies]],
  ["packages/store/src/build/build.ts", "removed", [everySet]],
  ["packages/store/src/build/build.ts", "changed", [changedRecords, places]],
  ["packages/store/src/build/build.ts", "related", [policies]],
  // Who holds the digests of keys and the entitlements, beside the records.
  ["packages/store/src/registry/sqlite.ts", "openSqliteRegistry", [sqliteFiles]],
  ["packages/store/src/registry/postgres.ts", "openPostgresRegistry", [postgresDatabase]],
  ["packages/store/src/registry/sqlite.ts", "openSqliteRegistryAudit", [restore, sqliteFiles]],
  ["packages/store/src/registry/postgres.ts", "openPostgresRegistryAudit", [postgresDatabase]],
  // Who runs statements of its own: it creates the database and its roles.
  [
    "packages/store/src/postgres/connection/connect.ts",
    "withPostgresConnection",
    ["packages/service/src/data/set-up-postgres.ts"],
  ],
  // Who reaches its tables.
  ["packages/store/src/registry/registry.ts", "database", [registry, worker, servedCatalog]],
  // Who makes SQL of a query: the store, of those that it has taken restricted, and a server over tables of a host.
  [
    "packages/odata/src/compile/query.ts",
    "compilePage",
    [storeApplied, "packages/store/src/read/cells.ts", storeReads],
  ],
  ["packages/odata/src/compile/query.ts", "compileCount", [ownTables, storeApplied]],
  ["packages/odata/src/compile/query.ts", "compileValue", computed],
  ["packages/odata/src/compile/partitions.ts", "compileMergedPage", [storeReads]],
  ["packages/odata/src/compile/partitions.ts", "compileMergedCount", [storeReads]],
  ["packages/odata/src/compile/cache.ts", "cachedCompiler", cached],
  ["packages/odata/src/compile/cache.ts", "cachedMergedCompiler", [changedCompiler]],
  ["packages/odata/src/compile/query.ts", "compileCondition", [ownTables]],
  ["packages/odata/src/compile/expand.ts", "compileExpand", []],
  ["packages/odata/src/compile/expand.ts", "compileExpandCount", []],
  ["packages/odata/src/apply/applied-records.ts", "compileAppliedPage", [ownTables]],
  ["packages/odata/src/apply/applied-mapping.ts", "appliedMapping", [ownTables, storeApplied]],
];

describe("past restriction", () => {
  let sources: Sources;
  // Reads and resolves all sources, which the tests after it need not do again.
  beforeAll(() => {
    sources = new Sources();
    for (const [file, name] of ways.slice(0, 1)) sources.usersOf(file, name);
  }, 120_000);

  test.each(ways)("%s: %s is used where it is known to be", (file, name, users) => {
    expect(sources.usersOf(file, name)).toEqual(users);
  });

  test("the databases are opened where it is known", () => {
    expect(sources.otherUsersOf("packages/service/src/data/databases.ts", "databasesOf")).toEqual([
      buildCheck,
      "packages/service/src/check/check.ts",
      command,
      "packages/service/src/cli/doctor/doctor.ts",
      doctorFolder,
      storedCounties,
      "packages/service/src/cli/init/prepare.ts",
      "packages/service/src/cli/sample.ts",
      catalogChange,
      migration,
      prepare,
      dependencies,
      registry,
      renamedSystems,
      "packages/service/src/data/secret-place.ts",
      worker,
      "packages/service/src/feeds/start-feeds.ts",
      servedCatalog,
    ]);
  });

  test("listings that can be written to are held where it is known", () => {
    expect(sources.otherUsersOf(listings, "Listings")).toEqual([
      command,
      recordExplanation,
      catalogChange,
      engine,
      fill,
      migration,
      storedValues,
      "packages/service/src/feeds/staging-run.ts",
      "packages/service/src/feeds/try-feed.ts",
      servedProperty,
      checkedBatch,
      fullSet,
      ingest,
      served,
      replication,
      servedCatalog,
    ]);
  });

  test.each([
    ["RestrictedQuery", "packages/entitlement/src/restrict.ts"],
    ["Scope", "packages/entitlement/src/scope.ts"],
  ])("a %s is made in one file", (type, file) => {
    expect(sources.castersTo(type)).toEqual([file]);
  });

  test("the scope that sees everything is that of the gates, the ingest and the operator", () => {
    const users = sources.otherUsersOf("packages/service/src/identity/system-scope.ts", "systemScope");
    expect(users).toEqual([
      coverageMap,
      recordConditions,
      storedCounties,
      visibleCounts,
      storedValues,
      everySet,
      policies,
      servedProperty,
      served,
    ]);
  });

  test("the scope by which changes are read once for all customers is that of the making of events", () => {
    const users = sources.otherUsersOf("packages/service/src/identity/system-scope.ts", "changeScope");
    expect(users).toEqual([
      "packages/service/src/events/change-query.ts",
      "packages/service/src/events/commit-changes.ts",
    ]);
  });

  test("no function that makes SQL of a query is left out", () => {
    const compiling = Object.keys({ ...odata, ...apply }).filter((name) =>
      /^compile|Compiler$|^appliedMapping$/.test(name),
    );
    const known = ways.map(([, name]) => name);
    expect(compiling.filter((name) => !known.includes(name))).toEqual([]);
  });
});
