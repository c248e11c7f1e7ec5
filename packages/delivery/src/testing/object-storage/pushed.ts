import { buffer } from "node:stream/consumers";
import { folderOf } from "../../publication/layout.ts";
import { objectsInOrder, type PublishedObjects } from "../../publication/publication.ts";

type Pushed = { readonly name: string; readonly key: string; readonly bytes: Buffer };

/** Returns the objects that a push writes, in order, with keys below the destination's prefix. */
export const pushedObjects = (
  delivery: Parameters<typeof folderOf>[0],
  publication: PublishedObjects,
): Promise<readonly Pushed[]> =>
  Promise.all(
    objectsInOrder(publication).map(async ({ name, open }) => ({
      name,
      key: `${folderOf(delivery)}/${name}`,
      bytes: await buffer(await open()),
    })),
  );
