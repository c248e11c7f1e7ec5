import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { CreateServerError, createServer } from "../src/index.ts";
import type { InspectedDatabase } from "../src/inspect-database.ts";
import { packageVersions } from "../src/package-versions.ts";
import { serverFiles } from "../src/server-files.ts";
import { completePlan, frameworks } from "../src/server-plan.ts";

const place = mkdtempSync(join(tmpdir(), "cadastre-create-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const database = join(place, "listings of #1.db");
const sqlite = new Database(database);
sqlite.exec(`create table listing (id text primary key, town text, seen datetime, changed datetime not null, mixed datetime, plan blob);
  create table photo (listing text references Listing, place integer, url text not null, primary key (listing, place));
  create table "date" (id integer primary key, "a b" text, a_b text);
  create table log (line text);
  create table odd (id blob primary key);
  create view towns as select town from listing;
  insert into listing values ('L1', 'Austin', null, 1772354400, 5, null), ('L2', 'York', null, 1772354401, '2026-03-01', null)`);
sqlite.close();

const plan = { database, framework: "express", namespace: "Office" } as const;
const into = (name: string) => join(place, name);

test("a server over a SQLite file is written, with what is left out told", async () => {
  const created = await createServer({ ...plan, folder: into("express") });
  expect(created).toEqual({
    dialect: "sqlite",
    entitySets: ["date", "listing", "photo"],
    files: [".gitignore", "README.md", "listings.ts", "package.json", "server.ts", "tsconfig.json"],
    omitted: [
      "Left out: the table `log`, because it has no primary key.",
      "Left out: the table `odd`, because `id` of its primary key is of the type `blob`, which does not say how its values are to be read.",
      "Left out: the view `towns`, because a view has no primary key: declare it with the properties that identify a row.",
      'Left out: `listing.seen` is of the type `datetime`, and has no values that tell how instants are stored: declare it as `instant("…")`.',
      'Left out: `listing.mixed` is of the type `datetime`, and its values, such as those of the form `0`, are not all stored in one way that `instant("…")` names.',
      "Left out: `listing.plan` is of the type `blob`, which does not say how its values are to be read.",
    ],
  });
  const read = (name: string) => readFileSync(join(into("express"), name), "utf8");
  expect(read("listings.ts")).toContain('photo: many("photo", { id: "listing" }),');
  expect(read("listings.ts")).toContain('changed: instant("seconds"),');
  expect(read("server.ts")).toContain('join(import.meta.dirname, "../listings of #1.db")');
  // npm installs no package that depends on one of its own name.
  expect(JSON.parse(read("package.json"))).toMatchObject({
    name: "express-server",
    allowScripts: { "better-sqlite3": true },
  });
  expect(read("README.md")).toContain("- `listing.plan` is of the type `blob`");
});

const inspected: InspectedDatabase = {
  dialect: "postgres",
  declarations: "",
  entitySets: ["listing"],
  omitted: [],
};

test.each(
  frameworks.flatMap((framework) =>
    (["sqlite", "postgres"] as const).map((dialect) => [framework, dialect] as const),
  ),
)(
  "the program for %s over %s has at most 25 lines, and only packages that it depends on",
  (framework, dialect) => {
    const url = "postgres://office:secret@db.example:5432/office?password=secret";
    const files = serverFiles(
      { folder: "server", database: dialect === "sqlite" ? database : url, framework, namespace: "Office" },
      { ...inspected, dialect },
      "1.2.3",
    );
    const program = files.get("server.ts") ?? "";
    expect(program.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
    const { dependencies } = JSON.parse(files.get("package.json") ?? "") as { readonly dependencies: object };
    const imported = Array.from(program.matchAll(/ from "((?:@[^/"]+\/)?[^/".]+)/g), ([, name = ""]) => name);
    expect(imported.filter((name) => !name.startsWith("node:")).every((name) => name in dependencies)).toBe(
      true,
    );
    for (const [name, text] of files)
      expect([name, text]).not.toEqual([name, expect.stringContaining("secret")]);
    expect(files.get(".env.example")?.split("\n")[1]).toBe(
      dialect === "sqlite" ? undefined : "DATABASE_URL=postgres://office@db.example:5432/office",
    );
  },
);

test("packages have the versions that the workspace is tested with", () => {
  const { catalog } = parse(readFileSync("pnpm-workspace.yaml", "utf8")) as {
    readonly catalog: Readonly<Record<string, string>>;
  };
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const tested = { ...devDependencies, ...catalog };
  for (const [name, range] of Object.entries(packageVersions))
    if (!["hono", "@hono/node-server"].includes(name))
      expect([name, range]).toEqual([name, `^${tested[name]}`]);
});

test.each([
  ["a folder with a file in it", { folder: place }, /is not empty: name another one/],
  ["a file in place of the folder", { folder: database }, /is a file: name a folder/],
  [
    "a database that is not there",
    { folder: into("a"), database: into("none.db") },
    /there is no file `.*none\.db`/,
  ],
  [
    "a file that is no database",
    { folder: into("b"), database: into("text.db") },
    /cannot be read as a SQLite database/,
  ],
  [
    "a database without tables",
    { folder: into("c"), database: into("empty.db") },
    /no table .* can be served.*\nIt has no tables\./,
  ],
  [
    "a database without keys",
    { folder: into("d"), database: into("log.db") },
    /\nLeft out: the table `log`, because it has no/,
  ],
  [
    "a URL that is not valid",
    { folder: into("e"), database: "postgres://a:b c@" },
    /the URL of the database is not valid/,
  ],
  [
    "a server that does not answer",
    { folder: into("f"), database: "postgres://office:secret@127.0.0.1:1/office" },
    /`postgres:\/\/office@127\.0\.0\.1:1\/office` cannot be read: .*ECONNREFUSED/,
  ],
])("%s is refused, and nothing is written", async (_, given, message) => {
  writeFileSync(
    into("text.db"),
    "This is a text, and no database: it is long enough to have a header. ".repeat(20),
  );
  new Database(into("empty.db")).close();
  const log = new Database(into("log.db"));
  log.exec("create table if not exists log (line text)");
  log.close();
  const before = readdirSync(place);
  const creating = createServer({ ...plan, ...given });
  await expect(creating).rejects.toThrow(CreateServerError);
  await expect(creating).rejects.toThrow(message);
  await expect(creating).rejects.not.toThrow(/secret/);
  expect(readdirSync(place)).toEqual(before);
});

test("an empty folder is taken", async () => {
  mkdirSync(into("empty"));
  await expect(createServer({ ...plan, folder: into("empty") })).resolves.toMatchObject({
    dialect: "sqlite",
  });
});

test("what is not given is asked, or has a default without a terminal", async () => {
  const asked: string[] = [];
  const answers = ["x", "fetch", "Org.Example"];
  const ask = async ({ asks }: { readonly asks: string }) => {
    asked.push(asks);
    return answers[asked.length - 1] ?? "";
  };
  expect(await completePlan({ database: "a.db" }, ask)).toEqual({
    folder: "x",
    database: "a.db",
    framework: "fetch",
    namespace: "Org.Example",
  });
  expect(asked).toHaveLength(3);
  expect(await completePlan({ database: "a.db" }, undefined)).toEqual({
    folder: "my-server",
    database: "a.db",
    framework: "express",
    namespace: "Office",
  });
});

test.each([
  [{}, "give the database: `--database listings.db`, or `--database postgres://…`"],
  [{ database: "a.db", framework: "koa" }, "--framework must be express or fetch: it is `koa`"],
  [{ database: "a.db", namespace: "1a" }, /--namespace must be names of letters/],
  [{ database: "a.db", folder: " " }, "the folder must be the path of a folder: it is ` `"],
  [{ database: "" }, /--database must be the path of a SQLite file/],
])("%j is refused with what must be given", async (given, message) => {
  await expect(completePlan(given, undefined)).rejects.toThrow(message);
});
