/**
 * Creates OData servers over existing databases: what `npm create @cadastre/server` runs.
 *
 * @module
 */
export { type CreatedServer, createServer } from "./create-server.ts";
export { CreateServerError } from "./errors.ts";
export type { Framework, ServerPlan } from "./server-plan.ts";
