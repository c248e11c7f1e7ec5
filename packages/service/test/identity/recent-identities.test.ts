import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteRegistry } from "@cadastre/store/registry";
import { expect, test } from "vitest";
import { recentIdentities } from "../../src/identity/recent-identities.ts";

test("what is resolved is known within two seconds, and read again only then", async () => {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-identities-"));
  const { identities, close } = await openSqliteRegistry({ file: join(folder, "registry.sqlite") });
  let [now, reads] = [0, 0];
  const recent = recentIdentities(
    {
      revision: identities.revision,
      resolutions: async () => {
        if (++reads === 1) throw new Error("gone");
        return identities.resolutions();
      },
    },
    () => now,
  );
  await expect(recent()).rejects.toThrow("gone");
  const idOf = async () => (await recent())("prov:1").id;
  expect([await idOf(), reads]).toEqual(["prov:1", 2]);
  await identities.resolve("prov:1", "p", 0);
  expect(await idOf()).toBe("prov:1");
  now += 2000;
  expect([await idOf(), await idOf(), reads]).toEqual(["p", "p", 3]);
  now += 60_000;
  expect([await idOf(), reads]).toEqual(["p", 3]);
  await identities.release("prov:1");
  now += 2000;
  expect([await idOf(), reads]).toEqual(["prov:1", 4]);
  await close();
  await rm(folder, { recursive: true });
});
