import { Refused } from "../errors.ts";
import type { Step } from "./steps.ts";

/** Longest path and query, in bytes. Source: the project's default limits. */
export const maxUrlLength = 65_536;

/** Refuses an address that is too long, before anything reads it. */
export const urlLimit: Step = ({ originalUrl }) => {
  if (originalUrl.length > maxUrlLength) throw new Refused("uri_too_long");
};
