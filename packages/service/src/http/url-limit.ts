import type { RequestHandler } from "express";
import { Refused } from "../errors.ts";

/** Longest path and query, in bytes. Source: the project's default limits. */
export const maxUrlLength = 65_536;

/** Refuses an address that is too long, before anything reads it. */
export const urlLimit: RequestHandler = (req, _res, next) => {
  next(req.originalUrl.length > maxUrlLength ? new Refused("uri_too_long") : undefined);
};
