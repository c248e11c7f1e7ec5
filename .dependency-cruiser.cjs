/**
 * The arrows of docs/architecture.md as rules: a package, or a folder of the sources of a package, may import only
 * what its row lists. Imports of types count. Files beside the folders may be imported by all of them.
 */
const packages = {
  odata: [],
  server: ["odata"],
  "create-server": ["server"],
  reso: ["odata"],
  entitlement: ["odata"],
  manifest: [],
  explorer: ["odata"],
  client: ["manifest"],
  store: ["odata", "entitlement"],
  sample: ["reso"],
  delivery: ["odata", "entitlement", "manifest", "store"],
  service: ["odata", "server", "reso", "entitlement", "store", "sample", "manifest", "client", "delivery"],
};

/** Folders of packages, and of folders with folders of their own. */
const folders = {
  odata: {
    syntax: [],
    options: ["syntax"],
    model: ["syntax"],
    sql: ["syntax", "model"],
    geodesy: ["syntax"],
    functions: ["model", "sql", "geodesy"],
    bound: ["syntax", "model", "functions"],
    compile: ["syntax", "model", "sql", "geodesy", "functions", "bound", "evaluate", "lru-cache", "json"],
    evaluate: ["syntax", "model", "bound", "json"],
    paging: [],
    "lru-cache": [],
    tree: ["syntax", "options", "bound"],
    json: ["model"],
    run: ["model", "sql", "evaluate", "json"],
    sqlite: ["syntax", "model", "sql", "functions", "bound", "evaluate"],
    postgres: ["functions"],
    knex: ["sql", "bound", "compile"],
    csdl: ["model"],
    editor: ["syntax", "model", "functions", "bound"],
    apply: ["syntax", "model", "sql", "bound", "compile", "evaluate", "json"],
  },
  server: {
    protocol: [],
    answer: ["protocol"],
    batch: ["protocol", "answer"],
    parts: ["protocol", "answer", "batch"],
    model: [],
    print: [],
    csdl: ["print"],
    introspect: ["model", "print"],
    source: ["answer", "model", "introspect"],
    memory: ["answer", "model", "source"],
    sqlite: ["source", "introspect"],
    pg: ["source", "introspect"],
    knex: ["source", "introspect"],
    handler: ["protocol", "answer", "batch", "model", "source", "introspect"],
    express: ["protocol", "answer", "model", "handler"],
    fetch: ["protocol", "answer", "model", "handler"],
  },
  delivery: {
    source: [],
    format: ["source"],
    profiles: ["source", "format"],
    outbound: [],
    "object-store": [],
    destinations: ["outbound", "object-store"],
    ledger: ["destinations"],
    parts: ["object-store", "ledger"],
    exports: ["source", "profiles", "destinations", "ledger", "parts"],
    publication: ["object-store", "destinations", "ledger", "parts"],
    build: ["source", "format", "profiles", "destinations", "ledger", "parts", "exports", "publication"],
    subscriptions: ["source", "profiles", "destinations", "ledger", "exports", "build"],
    webhooks: ["outbound", "ledger", "subscriptions"],
    operations: ["destinations", "ledger", "subscriptions", "webhooks"],
  },
  store: {
    checksum: [],
    database: [],
    record: [],
    schema: ["record"],
    read: ["record", "schema"],
    write: ["database", "record", "schema"],
    coverage: ["database", "record", "schema"],
    build: ["database", "record", "schema", "write", "coverage"],
    migration: ["database", "record", "schema", "write", "coverage", "build"],
    sqlite: ["checksum", "database", "record", "schema", "read", "write", "coverage", "build", "migration"],
    postgres: ["database", "record", "schema", "read", "write", "coverage", "build", "migration"],
    registry: ["checksum", "database"],
    changes: [],
    market: [],
    property: ["registry"],
  },
  "store/sqlite": { layout: [], read: ["layout"], write: ["layout"], check: ["layout"] },
  "store/postgres": {
    connection: [],
    layout: [],
    read: ["connection", "layout"],
    write: ["connection", "layout"],
    wall: ["connection", "layout", "read"],
  },
  client: {
    terminal: [],
    http: [],
    webhook: [],
    listen: ["http", "webhook"],
    bucket: ["http"],
    fetch: ["http"],
    content: ["fetch"],
    load: ["fetch", "content"],
    pull: ["http", "fetch", "content", "load"],
    replicate: ["http", "fetch", "load"],
    follow: ["http", "bucket", "fetch", "pull"],
    subscriptions: ["http", "fetch", "load"],
    cli: [
      "terminal",
      "http",
      "webhook",
      "listen",
      "bucket",
      "fetch",
      "content",
      "load",
      "pull",
      "replicate",
      "follow",
      "subscriptions",
    ],
  },
  explorer: {
    address: [],
    api: [],
    theme: [],
    model: ["api"],
    session: ["api", "model"],
    query: ["address", "api", "model", "session"],
    compare: ["address", "api", "query", "session"],
    table: ["address", "api", "compare", "model", "query", "session"],
    facets: ["address", "api", "model", "query", "session", "table"],
    search: ["address", "api", "facets", "model", "query", "session"],
    map: ["address", "api", "theme", "model", "compare", "query", "session", "table"],
    record: ["address", "api", "model", "query", "session", "table"],
    copy: ["address", "api", "query"],
    coverage: ["address", "api", "model", "query", "session", "table"],
    market: ["address", "api", "query", "session", "table"],
    delivery: ["api", "query", "session", "table"],
    app: [
      "address",
      "theme",
      "session",
      "query",
      "compare",
      "table",
      "facets",
      "search",
      "map",
      "record",
      "copy",
      "coverage",
      "market",
      "delivery",
    ],
  },
  service: {
    telemetry: [],
    http: ["telemetry"],
    identity: [],
    ingest: ["identity"],
    gates: ["identity", "ingest"],
    replicate: ["ingest"],
    learn: ["ingest", "replicate"],
    data: ["identity", "ingest", "gates"],
    feeds: ["ingest", "gates", "replicate", "data"],
    receive: ["ingest", "gates", "data"],
    access: ["http", "data"],
    audit: ["data"],
    endpoint: ["telemetry", "http", "access", "audit"],
    v1: ["http", "identity", "endpoint"],
    "heat-map": ["v1"],
    events: ["http", "identity"],
    delivery: ["telemetry", "http", "endpoint", "v1", "gates", "data", "access", "audit", "events"],
    settings: ["telemetry", "http", "data", "delivery"],
    demo: ["http", "data", "access"],
    odata: ["telemetry", "http", "identity", "access", "events"],
    backup: ["data", "delivery"],
    mcp: ["telemetry", "http", "access", "endpoint", "v1", "odata"],
    explorer: ["http"],
    openapi: ["http", "endpoint", "v1", "delivery", "odata", "explorer"],
    readiness: ["http", "gates", "data", "access", "delivery"],
    check: ["data", "access", "delivery", "demo", "backup"],
    cli: [
      "telemetry",
      "identity",
      "ingest",
      "v1",
      "gates",
      "heat-map",
      "replicate",
      "feeds",
      "receive",
      "learn",
      "data",
      "access",
      "audit",
      "delivery",
      "settings",
      "backup",
      "check",
    ],
    processes: ["http", "data", "access", "check", "cli"],
  },
};

/** Refuses a table whose arrows form a circle, such as two rows that name each other. */
for (const [owner, rows] of Object.entries({ packages, ...folders })) {
  const placed = new Set();
  const next = () =>
    Object.keys(rows).find((name) => !placed.has(name) && rows[name].every((one) => placed.has(one)));
  for (let name = next(); name !== undefined; name = next()) placed.add(name);
  const inCircle = Object.keys(rows).filter((name) => !placed.has(name));
  if (inCircle.length > 0)
    throw new Error(`${owner}: ${inCircle.join(", ")} import each other, or a folder without a row`);
}

/** The sources of a package, or of a folder in them, by a key of `folders`. */
const sourcesOf = (owner) => `packages/${owner.replace(/^\w+/, "$&/src")}/`;

const only = (names, prefix, suffix = "") =>
  names.length === 0 ? "^$" : `^${prefix}(${names.join("|")})${suffix}/`;

/** Test support that packages share: the entry `./testing`, which is not published. */
const testing = "^packages/[^/]+/src/testing/";

/** What opens a database. In the sources only the store may know it, and of the store these files may hold it. */
const drivers = "(^node:sqlite$|node_modules/(@types/)?(better-sqlite3|knex|pg)/)";
const openers = [
  "database/postgres-connections",
  "database/postgres-transactions",
  "database/sqlite-connection",
  "postgres/connection/cancel",
  "postgres/connection/connect",
  "registry/audit",
  "registry/changes",
  "registry/read-thread",
  "registry/sqlite",
  "sqlite/backup",
  "sqlite/check/check-file",
  "sqlite/compact",
  "sqlite/lock",
  "sqlite/migrate",
  "sqlite/read/worker",
  "sqlite/store",
  "sqlite/write/encoder",
];

module.exports = {
  forbidden: [
    {
      name: "no-driver",
      severity: "error",
      from: {
        path: "^packages/[^/]+/src/",
        pathNot: [
          "^packages/(store/src|client/src/load)/",
          // It reads the tables of a database once, to declare them.
          "^packages/create-server/src/inspect-database\\.ts$",
          testing,
        ],
      },
      to: { path: drivers },
    },
    {
      name: "no-other-opener",
      comment: "Types of a driver may go anywhere in the store",
      severity: "error",
      from: {
        path: "^packages/store/src/",
        pathNot: [`^packages/store/src/(${openers.join("|")})\\.ts$`, testing],
      },
      to: { path: drivers, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "no-record-in-registry",
      comment: "It opens a database beside the records', and reaches none of them: see its row too",
      severity: "error",
      from: { path: "^packages/store/src/(registry|database|checksum)/" },
      to: { path: "^packages/store/src/[^/]+$", pathNot: "/(errors|ulid)\\.ts$" },
    },
    {
      name: "odata-without-node",
      comment: "The package runs in browsers too. The compiled forms of the last four need nothing of Node",
      severity: "error",
      from: {
        path: "^packages/odata/src/",
        pathNot: [
          "^packages/odata/src/(paging/skip-token|json/content-tag)\\.ts$",
          "^packages/odata/src/(postgres/sql-files|syntax/grammar/chevrotain|functions/re2js|geodesy/geographiclib)\\.ts$",
          testing,
        ],
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "no-cycle",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    { name: "not-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-orphan",
      severity: "error",
      from: { orphan: true, path: "^packages/[^/]+/src", pathNot: "index\\.ts$" },
      to: {},
    },
    ...Object.entries(packages).map(([name, allowed]) => ({
      name: `package-${name}`,
      severity: "error",
      from: { path: `^packages/${name}/src/` },
      to: {
        path: "^packages/[^/]+/src/",
        pathNot: [`^packages/${name}/src/`, only(allowed, "packages/", "/src")],
      },
    })),
    ...Object.entries(folders).flatMap(([owner, rows]) => {
      const sources = sourcesOf(owner);
      return Object.entries(rows).map(([name, allowed]) => ({
        name: `${owner}-${name}`.replace("/", "-"),
        severity: "error",
        from: { path: `^${sources}${name}/` },
        to: { path: `^${sources}[^/]+/`, pathNot: [`^${sources}${name}/`, only(allowed, sources)] },
      }));
    }),
    ...Object.entries(folders).map(([owner, rows]) => ({
      name: `${owner}-no-unlisted-folder`.replace("/", "-"),
      severity: "error",
      from: {
        path: `^${sourcesOf(owner)}[^/]+/`,
        pathNot: [only(Object.keys(rows), sourcesOf(owner)), testing],
      },
      to: {},
    })),
    {
      name: "no-unlisted-package",
      comment: "A package that is not in the table above may import none of the others",
      severity: "error",
      from: { path: "^packages/([^/]+)/src/", pathNot: only(Object.keys(packages), "packages/", "/src") },
      to: { path: "^packages/([^/]+)/src/", pathNot: "^packages/$1/" },
    },
    {
      name: "no-deep-import",
      comment: "Cross a package border only through one of its entry points",
      severity: "error",
      from: { path: "^((packages|examples)/[^/]+)/" },
      to: {
        path: "^(packages|examples)/[^/]+/",
        pathNot: ["^$1/", "^packages/[^/]+/src/index\\.ts$", "^packages/[^/]+/src/[^/]+/index\\.ts$"],
      },
    },
    {
      name: "no-relative-import-of-package",
      comment: "Another package is imported by its name",
      severity: "error",
      from: { path: "^((packages|examples)/[^/]+)/" },
      to: { path: "^(packages|examples)/", pathNot: "^$1/", dependencyTypes: ["local"] },
    },
    {
      name: "no-testing-in-sources",
      comment: "Test support is neither compiled nor published",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: testing },
      to: { path: testing },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@cadastre/source", "import", "default"],
    },
    doNotFollow: { path: "node_modules" },
    // The clients of others have dependencies of their own, which are installed on demand.
    exclude: { path: "(^|/)dist/|packages/service/clients/" },
  },
};
