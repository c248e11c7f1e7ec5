import { extname } from "node:path";
import { ok } from "@cadastre/server/parts";
import type { RequestHandler } from "express";
import { Refused } from "../errors.ts";
import { sendAnswer } from "../http/answer.ts";
import { readAsset } from "./explorer-files.ts";

/** Names of files contain a hash of their content, so clients may keep them for good. */
const forGood = { "cache-control": "public, max-age=31536000, immutable" };

/** Returns the handler of the files below `/assets`: those that are there when they are asked for. */
export const assetHandler =
  (folder: string, compressed: boolean): RequestHandler =>
  async (req, res, next) => {
    const name = req.path.slice(1);
    const accepted = compressed ? req.get("accept-encoding") : undefined;
    const asset = await readAsset(folder, name, accepted);
    if (asset === undefined) return next();
    if (req.method !== "GET" && req.method !== "HEAD")
      throw new Refused("method_not_allowed", { headers: { allow: "GET, HEAD" } });
    const { bytes, coding, varies } = asset;
    if (varies) res.vary("accept-encoding");
    if (coding !== undefined) res.setHeader("content-encoding", coding);
    const type = String(res.type(extname(name)).get("content-type"));
    sendAnswer(res, { ...ok(type, [bytes]), headers: forGood });
  };
