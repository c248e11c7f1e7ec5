export { type SystemOptionName, systemOptionNames } from "./decode.ts";
export {
  type OptionText,
  parseQueryOptions,
  type QueryOptionSettings,
  type QueryOptions,
} from "./query-options.ts";
export { type OptionValue, readAlias, readAliases, readOption } from "./read-option.ts";
export { parseRelativeUri, type RelativeUri } from "./relative-uri.ts";
export {
  type PathArgument,
  type PathSegment,
  parseResourcePath,
  type SystemSegmentName,
} from "./resource-path.ts";
