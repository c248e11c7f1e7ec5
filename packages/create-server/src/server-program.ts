import type { InspectedDatabase } from "./inspect-database.ts";
import type { Framework, ServerPlan } from "./server-plan.ts";

/** How a database is opened in the program of a server. */
type ProgramSource = {
  readonly imports: readonly string[];
  readonly opens: readonly string[];
  readonly source: string;
};

/** How a service is mounted in the program of a server. */
type ProgramService = {
  readonly imports: readonly string[];
  /** The call of which the options of the service follow. */
  readonly call: string;
  readonly listens: readonly string[];
};

/** @param path of the SQLite file, from the folder of the server */
const sources: Readonly<Record<InspectedDatabase["dialect"], (path: string) => ProgramSource>> = {
  sqlite: (path) => ({
    imports: [
      'import { join } from "node:path";',
      'import { sqliteSource } from "@cadastre/server/sqlite";',
      'import Database from "better-sqlite3";',
    ],
    opens: [
      `const file = process.env["DATABASE"] ?? join(import.meta.dirname, ${JSON.stringify(path)});`,
      "const database = new Database(file, { readonly: true, fileMustExist: true });",
    ],
    source: "sqliteSource(database)",
  }),
  postgres: () => ({
    imports: [
      'import { existsSync } from "node:fs";',
      'import { postgresSource, preparePostgres } from "@cadastre/server/pg";',
      'import pg from "pg";',
    ],
    opens: [
      'if (existsSync(".env")) process.loadEnvFile(".env");',
      'const connectionString = process.env["DATABASE_URL"];',
      'if (!connectionString) throw new Error("set DATABASE_URL, or copy .env.example to .env and complete it");',
      'const pool = new pg.Pool({ connectionString }).on("error", console.error);',
      "await preparePostgres(pool); // creates functions named cadastre_…: see README.md",
    ],
    source: "postgresSource(pool)",
  }),
};

const services: Readonly<Record<Framework, ProgramService>> = {
  express: {
    imports: ['import { odata } from "@cadastre/server/express";', 'import express from "express";'],
    call: "odata({",
    listens: [
      "express()",
      '  .use("/odata", service)',
      `  .listen(port, "127.0.0.1", () => console.log(\`Serving http://127.0.0.1:\${port}/odata\`));`,
    ],
  },
  fetch: {
    imports: [
      'import { fetchOdata } from "@cadastre/server/fetch";',
      'import { serve } from "@hono/node-server";',
    ],
    call: 'fetchOdata("/odata", {',
    listens: [
      'serve({ fetch: service, port, hostname: "127.0.0.1" }, () =>',
      `  console.log(\`Serving http://127.0.0.1:\${port}/odata\`),`,
      ");",
    ],
  },
};

/** Prints the program of a server. @param path of the SQLite file, from the folder of the server */
export function printServerProgram(
  { framework, namespace }: Pick<ServerPlan, "framework" | "namespace">,
  { dialect }: Pick<InspectedDatabase, "dialect">,
  path: string,
): string {
  const source = sources[dialect](path);
  const service = services[framework];
  const imports = ['import { unrestricted } from "@cadastre/server";', ...service.imports, ...source.imports];
  const isOfNode = (line: string) => line.includes('"node:');
  const sorted = [
    ...imports.filter(isOfNode),
    ...imports.filter((line) => !isOfNode(line)).toSorted(bySource),
  ];
  return [
    ...sorted,
    'import { entitySets } from "./listings.ts";',
    "",
    ...source.opens,
    "",
    `const service = ${service.call}`,
    `  namespace: ${JSON.stringify(namespace)},`,
    "  entitySets,",
    `  source: ${source.source},`,
    "  restrict: unrestricted, // everybody sees every row: see README.md",
    "});",
    'const port = Number(process.env["PORT"] ?? 8080);',
    ...service.listens,
    "",
  ].join("\n");
}

const sourceOf = (line: string): string => / from (.*)$/.exec(line)?.[1] ?? "";
const bySource = (a: string, b: string): number => (sourceOf(a) < sourceOf(b) ? -1 : 1);
