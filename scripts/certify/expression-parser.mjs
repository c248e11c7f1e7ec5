/**
 * Stand-in for `@reso-standards/odata-expression-parser`, which `@reso-standards/reso-client` imports and npm does not have. The client checks
 * queries with it before it sends them; this one finds nothing to check.
 */
export class ExpandParseError extends Error {}

export const parseFilter = () => ({ type: "literal", value: true });
export const parseExpand = () => [];
