import { Agent } from "node:http";
import type { WritableStore } from "@cadastre/store";
import type { Engine } from "../interference/engines.ts";
import { openSide } from "../interference/side.ts";
import { followHistory, type History } from "./delta-law.ts";

/** One store and one service of it, which all histories of a run are made in. */
type FollowedStore = {
  /** Throws if a copy that is kept by delta links differs from a fresh walk. */
  readonly follow: (given: History) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openFollowed(engine: Engine): Promise<FollowedStore> {
  const store = (await engine.open("followed")) as WritableStore;
  const agent = new Agent({ keepAlive: true });
  const side = await openSide(store, { agent });
  return {
    follow: (given) => followHistory(side, store, given),
    close: async () => {
      agent.destroy();
      await side.stop();
      await store.close();
      await engine.close();
    },
  };
}
