/**
 * The listing data service: the Express application, and a function that starts it on a data folder.
 *
 * @module
 */
export { createApp, type Services } from "./app.ts";
export { type Config, ConfigError, readConfig } from "./config.ts";
export type { RunningService } from "./running-service.ts";
export { startService } from "./service.ts";
