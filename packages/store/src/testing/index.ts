/**
 * Supports tests and benches of code that uses a store: entity sets, grants, registries, a clock that a test sets, and
 * databases to measure. Inside the workspace only: it is left out of the published package.
 *
 * @module
 */
export { registerChecksum } from "../checksum/checksums.ts";
export { type BenchDatabase, openBenchDatabases, ownCpuTime, serverCpuTime } from "./bench-databases.ts";
export { entitySetOf, property } from "./entity-sets.ts";
export { grantsOf } from "./grants.ts";
export { newRegistries } from "./new-registry.ts";
export { type ShiftedClock, shiftClock } from "./shifted-clock.ts";
