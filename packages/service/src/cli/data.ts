import { existsSync } from "node:fs";
import type { Registry } from "@cadastre/store/registry";
import { type Config, readConfig } from "../config.ts";
import { withDataFolder } from "../data/data-error.ts";
import { type DataFolder, openDataFolder } from "../data/data-folder.ts";
import { withRegistry } from "../data/registry.ts";
import { CommandRefused } from "./outcome.ts";

/** Do `work` with the registry of the folder that the environment names. A folder without one is not made one. */
export function withServiceRegistry<T>(
  work: (registry: Registry, folder: DataFolder, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const { dataFolder } = config;
  return withDataFolder(dataFolder, async () => {
    if (!existsSync(dataFolder)) throw new CommandRefused(missing(dataFolder));
    const folder = await openDataFolder(dataFolder);
    if (!existsSync(folder.registry)) throw new CommandRefused(missing(folder.registry));
    return withRegistry(folder, (registry) => work(registry, folder, config));
  });
}

const missing = (path: string) =>
  `${path} does not exist: set CADASTRE_DATA to the folder of a service that was started once`;
