import { extname, join } from "node:path";
import type { RequestHandler } from "express";
import { Refused } from "../errors.ts";
import { contentCodingOf } from "../http/compression.ts";
import { copySuffixes, type ExplorerFiles } from "./explorer-files.ts";

/** Returns the handler of the files below `/assets`, of which there are none before the page is built. Their names contain a hash of their content, so that clients may keep them for good. */
export const assetHandler =
  (files: ExplorerFiles | undefined, compressed: boolean): RequestHandler =>
  (req, res, next) => {
    const name = req.path.slice(1);
    const codings = files?.assets.get(name);
    if (files === undefined || codings === undefined) return next();
    if (req.method !== "GET" && req.method !== "HEAD")
      throw new Refused("method_not_allowed", { headers: { allow: "GET, HEAD" } });
    res.type(extname(name));
    res.setHeader("cache-control", "public, max-age=31536000, immutable");
    const coding = compressed ? contentCodingOf(req.get("accept-encoding"), codings) : undefined;
    if (codings.length > 0) res.vary("accept-encoding");
    if (coding !== undefined) res.setHeader("content-encoding", coding);
    const suffix = coding === undefined ? "" : copySuffixes[coding];
    const options = { root: join(files.folder, "assets"), cacheControl: false, lastModified: false };
    res.sendFile(name + suffix, { ...options, acceptRanges: false });
  };
