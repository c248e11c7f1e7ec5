/**
 * `$metadata` documents: written of an entity model, and read.
 *
 * @module
 */
export {
  type CsdlDocument,
  type CsdlEntitySet,
  type CsdlEnumeration,
  CsdlError,
  type CsdlErrorCode,
  type CsdlMember,
  type CsdlNavigation,
  type CsdlProperty,
  type CsdlType,
  withInherited,
} from "./csdl-document.ts";
export { entityModelOf } from "./entity-model.ts";
export { writeCsdlJson } from "./json.ts";
export { readCsdl } from "./read-csdl.ts";
export { writeCsdlXml } from "./xml.ts";
