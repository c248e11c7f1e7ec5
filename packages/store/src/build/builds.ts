import { StoreError } from "../errors.ts";
import type { Builds } from "./build.ts";
import type { BuildDatabase, BuiltTable } from "./build-database.ts";
import { readBuilds } from "./history.ts";
import { publishBuild } from "./publish.ts";
import { rollback } from "./rollback.ts";
import { readSourceKeys } from "./source-keys.ts";
import { readSources } from "./sources.ts";
import { discardStaged, stageBatch } from "./staging.ts";

/** Creates the `Builds` of a store. */
export function createBuilds(ground: BuildDatabase): Builds {
  const { tables, formOf, read, write } = ground;
  const find = (resource: string): BuiltTable => {
    const built = tables.get(resource);
    if (built === undefined) throw new StoreError("unknown_resource", resource);
    return built;
  };
  return {
    stage: async (resource, source, changes, options) => {
      const built = find(resource);
      return write(({ session }) => stageBatch(session, built, formOf, source, changes, options));
    },
    cursor: async (resource, source) => {
      const sources = await read((session) => readSources(session, find(resource).table.name));
      return sources.find((one) => one.source === source)?.cursor ?? null;
    },
    keys: async (resource, source, after) => {
      const { table } = find(resource);
      return read((session) => readSourceKeys(session, table, source, after));
    },
    discard: async (resource, source) => {
      const { table } = find(resource);
      return write(({ session }) => discardStaged(session, table, source));
    },
    publish: async (resources, check) => publishBuild(ground, [...new Set(resources)].map(find), check),
    rollback: async (resource, build, review) => {
      const built = find(resource);
      return write((open) => rollback(open, ground, built, build, review));
    },
    list: async (resource) => read((session) => readBuilds(session, find(resource).table.name)),
    current: async (resource) => {
      const [serving] = await read((session) => readBuilds(session, find(resource).table.name, 1));
      return serving;
    },
  };
}
