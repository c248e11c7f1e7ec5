import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launch } from "./support/chromium.ts";
import { violationsOf } from "./support/violations.ts";

// Of the site that `npm run docs` has built: WEBSITE=required npx vitest run packages/explorer/test/browser/website.long.test.ts
const isRequired = process.env["WEBSITE"] === "required";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

function serveSite(): Promise<Server> {
  const server = createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(new URL(url, "http://site").pathname.replace(/\/$/, "/index.html"));
    try {
      const body = readFileSync(join("website/dist", path));
      response.setHeader("content-type", types[extname(path)] ?? "application/octet-stream").end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

describe.runIf(isRequired)("the website for everybody", () => {
  let server: Server;
  let browser: Awaited<ReturnType<typeof launch>>;
  beforeAll(async () => {
    [server, browser] = await Promise.all([serveSite(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const pages = ["/", "/docs/tutorials/first-query.html", "/docs/errors.html", "/docs/api/"];
  const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
    [1440, 400].map((width) => ({ colorScheme, width })),
  );

  test.each(pages.flatMap((path) => looks.map((look) => ({ path, ...look }))))(
    "$path, $colorScheme, $width pixels wide",
    async ({ path, colorScheme, width }) => {
      const page = await browser.newPage({
        viewport: { width, height: 900 },
        colorScheme,
        reducedMotion: "reduce",
      });
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
      await page.waitForLoadState("networkidle");
      expect(await violationsOf(page)).toEqual([]);
      await page.close();
    },
    60_000,
  );
});
