import { open, rm } from "node:fs/promises";
import { isInForce } from "@cadastre/store/registry";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { checkOf, type Pepper } from "./pepper.ts";
import type { Registry } from "./registry.ts";
import { createPepper, readSecrets, writeSecrets } from "./secrets.ts";

/** Maximum number of accepted peppers: each one costs a digest per lookup of a key. */
const maxPeppers = 4;

export type PepperRotation = {
  /** Version of the new pepper. */
  readonly current: number;
  /** Versions that are no longer accepted. */
  readonly forgotten: readonly number[];
  /** Earlier versions that are still accepted, and the number of keys in force that use each. */
  readonly waiting: readonly { readonly version: number; readonly keys: number }[];
};

/**
 * Creates a new pepper and makes it the current one. An earlier one is accepted while a key in force uses it. The latest earlier one is
 * accepted in any case, because another process may just be creating a key with it.
 *
 * @param at milliseconds since 1970
 * @throws {DataError} if there are too many peppers, or another rotation is running
 */
export const rotatePepper = (
  folder: DataFolder,
  { keys, guards }: Pick<Registry, "keys" | "guards">,
  at: number,
): Promise<PepperRotation> =>
  alone(`${folder.secrets}.lock`, async () => {
    const secrets = await readSecrets(folder);
    const [latest] = secrets.peppers;
    const live = (await keys.list()).filter((key) => isInForce(key, at));
    const keysUnder = ({ version }: Pepper) => live.filter(({ pepper }) => pepper === version).length;
    const kept = secrets.peppers.filter((pepper) => pepper === latest || keysUnder(pepper) > 0);
    const oldest = kept.at(-1)?.version;
    if (kept.length >= maxPeppers)
      throw new DataError(
        `${folder.secrets} has ${kept.length} peppers in use, which is the most: use or revoke the keys under version ${oldest} first`,
      );
    const current = createPepper(latest.version + 1);
    await writeSecrets(folder, { ...secrets, peppers: [current, ...kept] });
    await guards.notePeppers([checkOf(current)]);
    return {
      current: current.version,
      forgotten: secrets.peppers.filter((pepper) => !kept.includes(pepper)).map(({ version }) => version),
      waiting: kept
        .map((pepper) => ({ version: pepper.version, keys: keysUnder(pepper) }))
        .filter(({ keys: count }) => count > 0),
    };
  });

/** Calls `work` while holding a lock file. */
async function alone<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const handle = await open(lock, "wx", 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EEXIST") throw cause;
    throw new DataError(`${lock} says that another rotation is under way: if none is, delete it`, { cause });
  });
  try {
    return await work();
  } finally {
    await handle.close();
    await rm(lock, { force: true });
  }
}
