/**
 * `$metadata` documents of an entity model.
 *
 * @module
 */
export { writeCsdlXml } from "./xml.ts";
