import { basename, isAbsolute, relative, resolve } from "node:path";
import { type InspectedDatabase, withoutPassword } from "./inspect-database.ts";
import { type PackageName, packageVersions } from "./package-versions.ts";
import type { ServerPlan } from "./server-plan.ts";
import { printServerProgram } from "./server-program.ts";

/** Packages that a server needs, and those that compile it, by what it is written for. */
const packagesFor: Readonly<
  Record<ServerPlan["framework"] | InspectedDatabase["dialect"], readonly [PackageName[], PackageName[]]>
> = {
  express: [["express"], ["@types/express"]],
  fetch: [["@hono/node-server", "hono"], []],
  sqlite: [["better-sqlite3"], ["@types/better-sqlite3"]],
  postgres: [["pg"], ["@types/pg"]],
};

/**
 * Returns the files of a server by name. No file holds the password of the database.
 *
 * @param serverVersion version of `@cadastre/server`
 */
export function serverFiles(
  plan: ServerPlan,
  inspected: InspectedDatabase,
  serverVersion: string,
): ReadonlyMap<string, string> {
  const { dialect, declarations } = inspected;
  const isSqlite = dialect === "sqlite";
  const path = isSqlite ? databasePath(plan) : "";
  return new Map([
    [".gitignore", "node_modules/\n.env\n"],
    ...(isSqlite ? [] : [[".env.example", printEnvExample(plan.database)] as const]),
    ["README.md", printReadme(plan, inspected)],
    ["listings.ts", declarations],
    ["package.json", printPackage(plan, dialect, serverVersion)],
    ["server.ts", printServerProgram(plan, inspected, path)],
    ["tsconfig.json", printJson({ compilerOptions, include: ["*.ts"] })],
  ]);
}

/** Returns the path of the SQLite file from the folder of the server, with slashes on every system. */
function databasePath({ folder, database }: ServerPlan): string {
  const path = relative(resolve(folder), resolve(database));
  return isAbsolute(path) ? path : path.replaceAll("\\", "/");
}

const compilerOptions = {
  target: "es2023",
  module: "nodenext",
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ["node"],
} as const;

const printJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function printPackage(
  { folder, framework }: ServerPlan,
  dialect: InspectedDatabase["dialect"],
  serverVersion: string,
): string {
  const [needed, compiling] = [0, 1].map((i) => [
    ...(packagesFor[framework][i as 0 | 1] ?? []),
    ...(packagesFor[dialect][i as 0 | 1] ?? []),
  ]);
  const versions = (names: readonly PackageName[] = []): readonly (readonly [string, string])[] =>
    names.map((name) => [name, packageVersions[name]]);
  const sorted = (entries: readonly (readonly [string, string])[]) =>
    Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return printJson({
    name: packageName(folder),
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: { start: "tsx server.ts", check: "tsc" },
    dependencies: sorted([["@cadastre/server", `^${serverVersion}`], ...versions(needed)]),
    devDependencies: sorted(versions(["@types/node", "tsx", "typescript", ...(compiling ?? [])])),
    // npm runs only the install scripts that are allowed here; without its own, better-sqlite3 does not work.
    allowScripts: dialect === "sqlite" ? { "better-sqlite3": true, esbuild: true } : { esbuild: true },
  });
}

/** Makes the name of a folder into one of a package of npm, which no dependency has. */
function packageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, 200);
  return name === "" || Object.hasOwn(packageVersions, name) ? `${name}-server`.replace(/^-/, "") : name;
}

const printEnvExample = (url: string): string =>
  `# Copy this file to .env, which git ignores, and write the password after the user: postgres://user:password@host:5432/name
DATABASE_URL=${withoutPassword(url)}
`;

function printReadme({ namespace }: ServerPlan, { dialect, entitySets, omitted }: InspectedDatabase): string {
  const [first = ""] = entitySets;
  const url = `http://127.0.0.1:8080/odata`;
  return `# OData server

\`\`\`sh
npm install${dialect === "postgres" ? "\ncp .env.example .env # and write the password into it" : ""}
npm start
curl -g '${url}/${first}?$top=2&$count=true'
curl '${url}/$metadata'
\`\`\`

| file | what it holds |
|---|---|
| \`listings.ts\` | what clients see: entity sets, their properties, and the columns that they are in |
| \`server.ts\` | the database, the service in the namespace \`${namespace}\`, and who sees what |

Give the properties in \`listings.ts\` the names that clients are to see; their columns stay named by \`.column("…")\`. \`npm run check\` compiles
both files. When the server starts it compares the declarations with the tables, and prints each difference with the line that puts it right,
such as the index that a page needs.

Everybody who reaches the server sees every row: \`restrict: unrestricted\` in \`server.ts\`. It listens to this machine only. Before you let others
reach it, say who sees what, as "Who sees what" of the README of \`@cadastre/server\` shows.
${
  dialect === "postgres"
    ? `
At each start \`preparePostgres\` creates functions named \`cadastre_…\` in the current schema, which queries call. It may be a step of a migration
instead: then the role of the server needs no right but to read the tables and to call these functions.
`
    : ""
}${omitted.length === 0 ? "" : `\n## Left out\n\n${omitted.map((one) => `- ${one.replace(/^Left out: /, "")}`).join("\n")}\n`}`;
}
