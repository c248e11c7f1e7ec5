import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Of the site that `npm run docs` has built: WEBSITE=required npx vitest run docs/website.test.ts
const isRequired = process.env["WEBSITE"] === "required";
const site = "website/dist";

const files = isRequired
  ? readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"))
  : [];
const texts = new Map(files.map((name) => [`/${name}`, readFileSync(join(site, name), "utf8")]));
const idsOf = (text: string) => new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));

/** Serves the site from a thread of its own, because the test waits for the browser. Posts its port. */
const server = `
  const { createServer } = require("node:http"), { readFileSync } = require("node:fs"), { parentPort } = require("node:worker_threads");
  const types = { html: "text/html", js: "text/javascript", css: "text/css" };
  createServer(({ url }, response) => {
    const path = new URL(url, "http://site").pathname.replace(/\\/$/, "/index.html");
    try {
      const body = readFileSync("${site}" + decodeURIComponent(path));
      response.setHeader("content-type", types[path.split(".").pop()] ?? "application/octet-stream").end(body);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1", function () { parentPort.postMessage(this.address().port); });`;

describe.runIf(isRequired)("the website", () => {
  test("has headings for all links between its pages", () => {
    const faults: string[] = [];
    for (const [page, text] of texts)
      for (const [, path = "", id = ""] of text.matchAll(/<a [^>]*?href="([^"#:]*)#([^"]+)"/g)) {
        const target = path === "" ? page : path.replace(/\/$/, "/index.html");
        const shown = texts.get(decodeURI(target));
        if (shown === undefined || !idsOf(shown).has(decodeURI(id))) faults.push(`${page}: ${path}#${id}`);
      }
    expect(texts.size).toBeGreaterThan(50);
    expect(faults).toEqual([]);
  });

  test("loads nothing from elsewhere", () => {
    const loaded = /<(?:script|link|img|iframe)\b[^>]*?(?:src|href)="((?:https?:)?\/\/[^"]+)"/g;
    for (const [page, text] of texts)
      expect([page, [...text.matchAll(loaded)].map(([, url]) => url)]).toEqual([page, []]);
  });

  let worker: Worker;
  let origin: string;
  beforeAll(async () => {
    worker = new Worker(server, { eval: true });
    const port = await new Promise((resolve) => worker.once("message", resolve));
    origin = `http://127.0.0.1:${String(port)}`;
  });
  afterAll(() => worker.terminate());

  /** Returns what a page is once its scripts have run, and what they wrote to the console. */
  const open = (path: string) => {
    const { stdout, stderr } = spawnSync(
      "chromium",
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--virtual-time-budget=10000",
        "--dump-dom",
        origin + path,
      ],
      { encoding: "utf8", maxBuffer: 2 ** 27 },
    );
    return { text: stdout, console: stderr.split("\n").filter((line) => line.includes("CONSOLE")) };
  };

  test.each(["/", "/docs/", "/docs/entitlement.html", "/docs/api/", "/packages/server/"])(
    "runs its scripts on %s, without an error",
    (path) => {
      const page = open(path);
      expect(page.console).toEqual([]);
      // The list of headings beside a page is made by its scripts.
      expect(page.text).toMatch(/class="[^"]*outline-link/);
    },
  );

  test("draws diagrams", () => {
    expect(open("/docs/glossary.html").text).toMatch(/<figure class="diagram"><svg /);
  });
});
