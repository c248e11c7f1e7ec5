import type { AccessRegistry } from "../registry/index.ts";

let opened = 0;

/**
 * Returns a function that runs a test with a new registry, which has an entitlement of one customer. The test can open the same
 * registry again, as another process would. All of them are closed afterwards.
 *
 * @param open opens the registry of a name, and creates it if it does not exist
 */
export const newRegistries =
  <Registry extends Pick<AccessRegistry, "entitlements" | "close">>(
    open: (name: string) => Promise<Registry>,
    customer: string,
    installed: number,
  ) =>
  async (use: (registry: Registry, again: () => Promise<Registry>) => Promise<void>): Promise<void> => {
    const own = `registry_${++opened}`;
    const first = await open(own);
    const registries = [first];
    const again = async () => {
      const other = await open(own);
      registries.push(other);
      return other;
    };
    try {
      await first.entitlements.install({ customer, version: 1, jws: "a.b.c", installed });
      await use(first, again);
    } finally {
      for (const registry of registries) await registry.close();
    }
  };
