import { createReadStream, existsSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

/** Policy that the service sends with the page. */
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** A key by its name, as `demo.json` of a data folder has them. */
export type DemoKey = { readonly name: string; readonly apiKey: string; readonly summary: string };

/** A server of the built page, which passes everything else on to a service. */
export type PageServer = { readonly address: string; readonly stop: () => Promise<void> };

/** Serves the page in front of a service. `code` signs in to `keys` once. */
export async function servePage(
  service: string,
  keys: readonly DemoKey[],
  code: string,
  port: number,
): Promise<PageServer> {
  const server: Server = createServer((req, res) => {
    const path = new URL(req.url ?? "/", "http://page").pathname;
    const file = normalize(join(dist, path === "/" ? "index.html" : path));
    if (path === "/demo-keys") {
      let body = "";
      req.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      req.on("end", () => {
        const isRight = body === JSON.stringify({ code });
        res.writeHead(isRight ? 200 : 403, {
          "content-type": "application/json",
          "cache-control": "no-store",
        });
        res.end(JSON.stringify(isRight ? { data: keys } : { error: "wrong_code" }));
      });
    } else if (file.startsWith(dist) && existsSync(file) && extname(file) in types) {
      res.writeHead(200, {
        "content-type": types[extname(file)],
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
      });
      createReadStream(file).pipe(res);
    } else {
      const onward = httpRequest(
        new URL(req.url ?? "/", service),
        { method: req.method, headers: req.headers },
        (answer) => {
          res.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(res);
        },
      );
      onward.on("error", () => res.destroy());
      req.pipe(onward);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
