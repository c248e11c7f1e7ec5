import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  compilePackages,
  freePort,
  hasPostgres,
  type PostgresServer,
  startPostgres,
} from "@cadastre/odata/testing";
import Database from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const own = fileURLToPath(new URL("..", import.meta.url));
const workspace = join(own, "../..");

/** Three tables, in either database. */
const tables = (instant: string, changed: string, collation = "") => `
  create table office (id integer primary key, "office name" varchar(80) not null);
  create table listing (key varchar(20) primary key, office integer references office (id), town text, price integer, changed ${instant} not null);
  create table photo (listing varchar(20) references listing (key), place integer, url text not null, primary key (listing, place));
  create index listing_by_key on listing (key${collation});
  create index photo_by_key on photo (listing${collation}, place);
  create table log (line text);
  insert into office values (1, 'Main');
  insert into listing values ('L1', 1, 'Austin', 5, ${changed}), ('L2', null, 'O''Fallon', null, ${changed});
  insert into photo values ('L1', 1, 'https://photos.example/1.jpg'), ('L1', 2, 'https://photos.example/2.jpg');`;

/** Stands for the server of Hono, which the workspace does not install: it has the part of it that the program calls. */
const honoServer = `import { createServer } from "node:http";
export function serve({ fetch, port, hostname }, listening) {
  const server = createServer(async (request, response) => {
    const answer = await fetch(new Request(\`http://\${request.headers.host}\${request.url}\`, { method: request.method, headers: request.headers }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return server.listen(port, hostname, listening);
}`;
const honoTypes = `export declare function serve(options: { fetch: (request: Request) => Response | Promise<Response>; port: number; hostname: string }, listening: () => void): unknown;`;

/** Links the packages that a server depends on, as the workspace has them. */
function linkPackages(folder: string): void {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Readonly<Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>>;
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    if (name === "hono") continue;
    if (name === "@hono/node-server") {
      mkdirSync(join(modules, name));
      writeFileSync(
        join(modules, name, "package.json"),
        '{"type":"module","main":"index.js","types":"index.d.ts"}',
      );
      writeFileSync(join(modules, name, "index.js"), honoServer);
      writeFileSync(join(modules, name, "index.d.ts"), honoTypes);
      continue;
    }
    const owner = [own, workspace].find((one) => {
      try {
        return realpathSync(join(one, "node_modules", name));
      } catch {
        return false;
      }
    });
    symlinkSync(realpathSync(join(owner ?? "", "node_modules", name)), join(modules, name));
  }
  symlinkSync(join(modules, "tsx/dist/cli.mjs"), join(modules, ".bin/tsx"));
  symlinkSync(join(modules, "typescript/bin/tsc"), join(modules, ".bin/tsc"));
}

/** Runs the command as npm does. Returns what it prints, on both streams. */
const create = (folder: string, ...args: string[]): string =>
  execFileSync(process.execPath, [join(own, "dist/main.js"), folder, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Starts a server by `npm start`, once it says where it serves. */
async function start(
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly origin: string; readonly stop: () => Promise<void>; readonly log: () => string }> {
  const port = await freePort();
  const child: ChildProcess = spawn("npm", ["start", "--silent"], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: "", ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let log = "";
  const stop = async () => {
    const ended = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGTERM");
    await ended;
  };
  await new Promise<void>((resolve, reject) => {
    const read = (text: Buffer) => {
      log += text.toString();
      if (log.includes("Serving")) resolve();
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", () => reject(new Error(`the server has ended:\n${log}`)));
  });
  expect(log).toContain(`Serving http://127.0.0.1:${port}/odata`);
  return { origin: `http://127.0.0.1:${port}/odata`, stop, log: () => log };
}

/** An object with these members, and maybe others. */
const having = (members: object): unknown => expect.objectContaining(members);
const value = (...rows: readonly object[]): unknown => having({ value: rows.map(having) });

const requests: readonly (readonly [path: string, status: number, answer: unknown])[] = [
  ["", 200, value({ name: "listing" }, { name: "office" }, { name: "photo" })],
  [
    "/$metadata",
    200,
    expect.stringContaining('<NavigationProperty Name="office_2" Type="My.Office.office" Partner="listing">'),
  ],
  [
    "/listing?$filter=town eq 'O''Fallon'",
    200,
    value({ key: "L2", price: null, changed: "2026-03-01T08:40:00.000Z" }),
  ],
  [
    "/listing?$expand=photo($select=place),office_2&$filter=office_2/office_name eq 'Main'",
    200,
    value({
      photo: [{ place: 1 }, { place: 2 }].map(having),
      office_2: having({ office_name: "Main" }),
    }),
  ],
  [
    "/listing?$orderby=changed desc,key desc&$top=1&$count=true&$select=key",
    200,
    having({ "@odata.count": 2, value: [{ key: "L2" }] }),
  ],
  ["/listing('L1')", 200, having({ key: "L1", town: "Austin", price: 5 })],
  ["/listing('L1')/town/$value", 200, "Austin"],
  ["/photo(listing='L1',place=2)", 200, having({ url: "https://photos.example/2.jpg" })],
  ["/photo/$count", 200, "2"],
  [
    "/listing?$filter=twon eq 'York'",
    400,
    {
      error: having({
        code: "unknown_property",
        message: "unknown property `twon`, did you mean `town`?",
      }),
    },
  ],
  ["/log", 404, having({ error: having({ code: "not_found" }) })],
];

async function askAll(origin: string): Promise<void> {
  for (const [path, status, expected] of requests) {
    const response = await fetch(origin + path);
    const text = await response.text();
    const answer: unknown = response.headers.get("content-type")?.startsWith("application/json")
      ? JSON.parse(text)
      : text;
    expect([path, response.status, answer]).toEqual([path, status, expected]);
  }
}

const place = mkdtempSync(join(tmpdir(), "cadastre-create-"));
let postgres: PostgresServer | undefined;
beforeAll(async () => {
  await compilePackages();
  const database = new Database(join(place, "listings.db"));
  database.exec(tables("datetime", "1772354400"));
  database.close();
  if (!hasPostgres) return;
  postgres = await startPostgres();
  const pool = new pg.Pool({ connectionString: postgres.url });
  await pool.query(tables("timestamptz", "'2026-03-01T08:40:00Z'", ' collate "C"'));
  await pool.end();
}, 600_000);
afterAll(async () => {
  await postgres?.stop();
  rmSync(place, { recursive: true, force: true });
});

describe.each(["express", "fetch"])("a server for %s", (framework) => {
  test("over a SQLite file starts and answers", async () => {
    const folder = join(place, `sqlite-${framework}`);
    const told = create(
      folder,
      "--database",
      join(place, "listings.db"),
      "--framework",
      framework,
      "--namespace",
      "My.Office",
    );
    expect(told).toContain("npm start");
    linkPackages(folder);
    execFileSync("npm", ["run", "check", "--silent"], { cwd: folder, encoding: "utf8" });
    const server = await start(folder, {});
    try {
      await askAll(server.origin);
    } finally {
      await server.stop();
    }
    // Nothing differs between what is declared and what is there.
    expect(server.log().trim().split("\n")).toHaveLength(1);
  }, 300_000);

  test.runIf(hasPostgres)(
    "over PostgreSQL starts and answers, and has no password in its files",
    async () => {
      const folder = join(place, `postgres-${framework}`);
      const url = new URL(postgres?.url ?? "");
      url.password = "very-secret";
      create(folder, "--database", url.href, "--framework", framework, "--namespace", "My.Office");
      for (const name of readdirSync(folder))
        expect(readFileSync(join(folder, name), "utf8")).not.toContain("very-secret");
      linkPackages(folder);
      execFileSync("npm", ["run", "check", "--silent"], { cwd: folder, encoding: "utf8" });
      await expect(start(folder, { DATABASE_URL: "" })).rejects.toThrow(
        "set DATABASE_URL, or copy .env.example to .env and complete it",
      );
      writeFileSync(join(folder, ".env"), `DATABASE_URL=${url.href}\n`);
      const { DATABASE_URL: _, ...env } = process.env;
      const server = await start(folder, env);
      try {
        await askAll(server.origin);
      } finally {
        await server.stop();
      }
      expect(server.log().trim().split("\n")).toHaveLength(1);
    },
    300_000,
  );
});
