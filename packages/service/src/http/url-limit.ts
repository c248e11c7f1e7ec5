import { Refused } from "../errors.ts";
import type { Step } from "./chain.ts";

/** Longest path and query, in bytes. Source: the project's default limits. */
export const maxUrlLength = 65_536;

/** Refuses a URL that is too long, before anything parses it. */
export const urlLimit: Step = ({ originalUrl }) => {
  if (originalUrl.length > maxUrlLength) throw new Refused("uri_too_long");
};
