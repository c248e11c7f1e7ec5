import { Agent } from "node:http";
import type { WritableStore } from "@cadastre/store";
import type { Engine } from "../interference/engines.ts";
import { openSide } from "../interference/side.ts";
import { followHistory } from "./both-laws.ts";
import type { History } from "./histories.ts";

/** One store and one service of it, which all histories of a run are made in. */
type FollowedStore = {
  /** Throws if a copy that is kept by delta links or by events differs from a fresh one. */
  readonly follow: (given: History) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** @param isDirect true if requests are answered without a connection, which costs less */
export async function openFollowed(engine: Engine, isDirect: boolean): Promise<FollowedStore> {
  const store = (await engine.open("followed")) as WritableStore;
  const registry = await engine.openRegistry("followed");
  const agent = new Agent({ keepAlive: true });
  const side = await openSide(store, { agent, registry, isDirect });
  const numbers = { one: new Map(), other: new Map() };
  return {
    follow: (given) => followHistory({ side, store, numbers }, given),
    close: async () => {
      agent.destroy();
      await side.stop();
      await registry.close();
      await store.close();
      await engine.close();
    },
  };
}
