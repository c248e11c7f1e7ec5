/**
 * Skip tokens of server-driven paging, and the links that carry them. Tokens are sealed by `node:crypto`.
 *
 * @module
 */
export {
  nextLink,
  openSkipToken,
  type SkipToken,
  type SkipTokenKey,
  sealSkipToken,
} from "./skip-token.ts";
