/**
 * Declares the entity sets of another service, by its `$metadata`.
 *
 * @module
 */
export { CsdlError, type CsdlErrorCode } from "@cadastre/odata/csdl";
export { declarationsOfCsdl } from "./declarations-of-csdl.ts";
