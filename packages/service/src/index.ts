/**
 * The listing data service: the application, and its start from a folder of data.
 *
 * @module
 */
export { createApp, type Services } from "./app.ts";
export { type Config, ConfigError, readConfig } from "./config.ts";
export { type RunningService, startService } from "./service.ts";
