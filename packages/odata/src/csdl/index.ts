/**
 * `$metadata` documents of an entity model.
 *
 * @module
 */
export { writeCsdlJson } from "./json.ts";
export { writeCsdlXml } from "./xml.ts";
