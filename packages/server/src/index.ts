/**
 * Answers OData requests over tables of your own: `odata` of `./express` or `./fetch` takes entity sets that `./model` declares, and a
 * source of their records from `./sqlite`, `./pg`, `./knex` or `./memory`.
 *
 * @module
 */
export { HttpError, ProtocolError, type ProtocolErrorCode, protocolErrors } from "./errors.ts";
export {
  type OdataService,
  odataService,
  type ServiceAnswer,
  type ServiceRequest,
} from "./handler/odata-service.ts";
export { type ServiceLimits, type ServiceOptions, unrestricted } from "./handler/service-options.ts";
export type { DeclarationMismatch, MismatchCode } from "./introspect/compare-declarations.ts";
export { everything, filter, nothing, type Restriction } from "./source/restriction.ts";
