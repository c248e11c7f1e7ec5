import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import express from "express";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { addExplorer } from "../src/explorer/routes.ts";
import { listen } from "../src/http/server.ts";
import { release } from "../src/release.ts";
import { ask } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

/** The header that browsers send for a page. */
const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const program = "globalThis.x = 1;\n".repeat(200);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-explorer-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>page</title>");
  await writeFile(join(folder, "secret.txt"), "secret");
  await writeFile(join(folder, "assets", "main-abc.js"), program);
  await writeFile(join(folder, "assets", "main-abc.js.gz"), gzipSync(program));
  await writeFile(join(folder, "assets", "icon-abc.svg"), "<svg/>");
});
afterAll(() => rm(folder, { recursive: true }));

const stops: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

/** Serves the routes alone. */
async function serve(files: string, baseUrl?: string): Promise<string> {
  const app = express();
  app.disable("etag");
  addExplorer(app, { baseUrl, compression: true, mcp: false }, files);
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  stops.push(() => server.stop(0));
  return `http://127.0.0.1:${server.port}`;
}

describe("the address /", () => {
  test("answers a browser with the page, under a policy that allows nothing from elsewhere but pictures", async () => {
    const base = await serve(folder);
    const page = await ask(base, "/", browser);
    expect([page.status, page.text]).toEqual([200, "<!doctype html><title>page</title>"]);
    expect(page.headers).toMatchObject({
      "content-type": "text/html;charset=utf-8",
      "cache-control": "no-cache",
    });
    expect(page.headers["vary"]).toMatch(/accept\b(?!-)/i);
    expect(page.headers["content-security-policy"]).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data: https:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script'",
    );
    const again = await ask(base, "/", { ...browser, "if-none-match": String(page.headers["etag"]) });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test.each([
    [{}],
    [{ accept: "*/*" }],
    [{ accept: "application/json" }],
    [{ accept: "image/png" }],
    [{ accept: "application/json, text/html;q=0.5" }],
  ])("answers a program that sends %j with an index", async (headers) => {
    const reply = await ask(await serve(folder), "/", headers);
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(JSON.parse(reply.text)).toMatchObject({ name: "Cadastre", version: release });
  });

  test("answers a browser with the index too if the page is switched off", async () => {
    const base = await serve("off");
    expect((await ask(base, "/", browser)).headers["content-type"]).toBe("application/json");
    expect((await ask(base, "/assets/main-abc.js")).status).toBe(404);
  });

  test("tells a browser how to build a page that is not built, and answers programs", async () => {
    const base = await serve(join(folder, "assets"));
    const page = await ask(base, "/", browser);
    expect([page.status, page.headers["cache-control"]]).toEqual([503, "no-store"]);
    expect(page.text).toContain("npm run build --prefix packages/explorer");
    expect((await ask(base, "/")).status).toBe(200);
  });

  test("is answered from the files there are while the page is built anew", async () => {
    const own = await mkdtemp(join(tmpdir(), "cadastre-explorer-"));
    const build = async (hash: string) => {
      await mkdir(join(own, "assets"));
      await writeFile(join(own, "assets", `main-${hash}.js`), hash);
      await writeFile(join(own, "assets", `main-${hash}.js.gz`), gzipSync(hash));
      await writeFile(join(own, "index.html"), `<title>${hash}</title>`);
    };
    const empty = async () => {
      await rm(join(own, "assets"), { recursive: true });
      await rm(join(own, "index.html"));
    };
    try {
      await build("one");
      const base = await serve(own);
      const seen = async (hash: string) =>
        Promise.all(
          ["/", `/assets/main-${hash}.js`].map(async (target) => {
            const { status, text } = await ask(base, target, browser);
            return status === 200 ? text : status;
          }),
        );
      expect(await seen("one")).toEqual(["<title>one</title>", "one"]);
      await empty();
      expect(await seen("one")).toEqual([503, 404]);
      await build("two");
      expect(await seen("two")).toEqual(["<title>two</title>", "two"]);
      expect(await seen("one")).toEqual(["<title>two</title>", 404]);
      const gone = await ask(base, "/assets/main-one.js", { "accept-encoding": "gzip" });
      expect([gone.status, gone.headers["cache-control"], gone.headers["content-encoding"]]).toEqual([
        404,
        undefined,
        undefined,
      ]);
    } finally {
      await rm(own, { recursive: true });
    }
  });

  test("begins its links with the path of the base URL", async () => {
    const base = await serve(join(folder, "assets"), "https://feed.example/listings");
    const { links } = JSON.parse((await ask(base, "/")).text) as { links: Record<string, string> };
    expect(links["odata"]).toBe("/listings/reso/odata");
    expect((await ask(base, "/", browser)).text).toContain('href="/listings/reference"');
  });
});

describe("files of the page", () => {
  test("are kept by clients, and sent as the compressed copy that the client accepts", async () => {
    const base = await serve(folder);
    const plain = await ask(base, "/assets/main-abc.js", { "accept-encoding": "br, gzip;q=0" });
    expect([plain.status, plain.text]).toEqual([200, program]);
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
    });
    const coded = await fetch(`${base}/assets/main-abc.js`, { headers: { "accept-encoding": "br, gzip" } });
    expect([coded.headers.get("content-encoding"), await coded.text()]).toEqual(["gzip", program]);
    expect(Number(coded.headers.get("content-length"))).toBe(gzipSync(program).length);
    expect(gunzipSync(gzipSync(program)).toString()).toBe(program);
    const picture = await ask(base, "/assets/icon-abc.svg", { "accept-encoding": "br, gzip" });
    expect([picture.headers["content-type"], picture.headers["content-encoding"]]).toEqual([
      "image/svg+xml",
      undefined,
    ]);
    const head = await ask(base, "/assets/icon-abc.svg", {}, "HEAD");
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", "6"]);
  });

  test.each([
    "/assets/../secret.txt",
    "/assets/%2e%2e/secret.txt",
    "/assets/main-abc.js.gz",
    "/assets/",
    "/secret.txt",
    "/assets/..%2fsecret.txt",
  ])("do not include %s", async (target) => {
    const reply = await ask(await serve(folder), target);
    expect([reply.status, reply.text.includes("secret</")]).toEqual([404, false]);
  });
});

describe("a service", () => {
  let running: Running;
  beforeAll(async () => {
    running = await run({ CADASTRE_LISTINGS: "50", CADASTRE_EXPLORER: "false" });
  });
  afterAll(() => running.stop());

  test("has an index whose links answer", async () => {
    const base = running.service.baseUrl;
    const { links } = JSON.parse((await ask(base, "/", browser)).text) as { links: Record<string, string> };
    for (const link of Object.values(links))
      expect([link, (await ask(base, link, { "x-api-key": running.key("national") })).status]).toEqual([
        link,
        200,
      ]);
  });

  test("links the tools of language models if they are on, and only then", async () => {
    const linksOf = async ({ service: { baseUrl } }: Running) =>
      (JSON.parse((await ask(baseUrl, "/")).text) as { links: Record<string, string> }).links;
    expect(await linksOf(running)).not.toHaveProperty("mcp");
    const withTools = await run({ CADASTRE_LISTINGS: "50", CADASTRE_MCP: "true" });
    try {
      const { mcp } = await linksOf(withTools);
      expect(mcp).toBe("/mcp");
      const call = await ask(withTools.service.baseUrl, String(mcp), {
        "x-api-key": withTools.key("national"),
      });
      expect([call.status, call.headers["allow"]]).toEqual([405, "POST"]);
    } finally {
      await withTools.stop();
    }
  });

  test("answers what browsers and crawlers ask for without a key, and refuses other methods", async () => {
    const base = running.service.baseUrl;
    const icon = await ask(base, "/favicon.ico");
    expect([icon.status, icon.headers["content-type"]]).toEqual([200, "image/x-icon"]);
    expect((await ask(base, "/robots.txt")).text).toBe("User-agent: *\nDisallow: /\n");
    for (const target of ["/", "/favicon.ico", "/robots.txt"])
      expect((await ask(base, target, {}, "POST")).status).toBe(405);
  });
});
