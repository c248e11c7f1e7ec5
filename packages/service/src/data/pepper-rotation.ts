import { isInForce } from "@cadastre/store/registry";
import { DataError, parseDataFile } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { checkOf, type Pepper } from "./pepper.ts";
import type { Registry } from "./registry.ts";
import { changeDocument } from "./secret-document.ts";
import { secretPlace } from "./secret-place.ts";
import { createPepper, parseSecrets, readSecrets, secretsText } from "./secrets.ts";

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
 * Creates a new pepper makes it the current one, and records its check value in the registry. An earlier one is accepted while a key in force uses it. The latest earlier one is
 * accepted in any case, because another process may just be creating a key with it.
 *
 * @param at milliseconds since 1970
 * @throws {DataError} if there are too many peppers, or another rotation is running
 */
export async function rotatePepper(
  folder: DataFolder,
  registry: Pick<Registry, "keys" | "guards" | "sealed">,
  at: number,
): Promise<PepperRotation> {
  const place = secretPlace(folder, "secrets", registry);
  await readSecrets(folder, registry);
  const { current, ...rotation } = await changeDocument(place, async (text) => {
    const live = (await registry.keys.list()).filter((key) => isInForce(key, at));
    const keysUnder = ({ version }: Pepper) => live.filter(({ pepper }) => pepper === version).length;
    const secrets = parseDataFile(place.label, text, parseSecrets, place.remedy);
    const [latest] = secrets.peppers;
    const kept = secrets.peppers.filter((pepper) => pepper === latest || keysUnder(pepper) > 0);
    const oldest = kept.at(-1)?.version;
    if (kept.length >= maxPeppers)
      throw new DataError(
        `${place.label} has ${kept.length} peppers in use, which is the most: use or revoke the keys under version ${oldest} first`,
      );
    const pepper = createPepper(latest.version + 1);
    const forgotten = secrets.peppers.filter((known) => !kept.includes(known));
    return {
      text: secretsText({ ...secrets, peppers: [pepper, ...kept] }),
      result: {
        current: pepper,
        forgotten: forgotten.map(({ version }) => version),
        waiting: kept
          .map((known) => ({ version: known.version, keys: keysUnder(known) }))
          .filter(({ keys: count }) => count > 0),
      },
    };
  });
  await registry.guards.notePeppers([checkOf(current)]);
  return { current: current.version, ...rotation };
}
