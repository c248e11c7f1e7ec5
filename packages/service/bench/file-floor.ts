/*
 * The least server of files that Node can have: it streams the file of the path, and checks nothing.
 *
 *   node file-floor.js <folder>
 */
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";

const [, , root = ""] = process.argv;

const server = createServer((request, response) => {
  const file = join(root, request.url ?? "");
  response.setHeader("content-type", "application/octet-stream");
  response.setHeader("content-length", statSync(file).size);
  pipeline(createReadStream(file), response, () => {});
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port, keys: {} });
});
