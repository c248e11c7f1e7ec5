import type { Catalog, OriginatingSystem } from "@cadastre/reso";
import { CommandRefused } from "../outcome.ts";

/** Returns the system with an id. @throws {CommandRefused} names the systems that there are */
export function requireSystem({ systems }: Pick<Catalog, "systems">, id: string): OriginatingSystem {
  const system = systems.find((one) => one.id === id);
  if (system !== undefined) return system;
  const known =
    systems.length === 0 ? "there is none yet" : `there are ${systems.map((one) => one.id).join(", ")}`;
  throw new CommandRefused(
    `no system is called \`${id}\`: ${known}; \`cadastre system add ${id} --name …\` adds it`,
  );
}
