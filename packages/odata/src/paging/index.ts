/**
 * Skip tokens of server-driven paging, and the links that carry them, delta links among them. Tokens are sealed by `node:crypto`.
 *
 * @module
 */
export { deltaLink, nextChangesLink, nextLink, wholeResultLink } from "./links.ts";
export {
  openSkipToken,
  type SkipToken,
  type SkipTokenKey,
  sealSkipToken,
} from "./skip-token.ts";
