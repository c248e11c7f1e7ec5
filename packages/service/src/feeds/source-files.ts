import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileReason } from "../file-error.ts";
import { FeedError } from "../replicate/feed-error.ts";

/** A file of a feed, with a version that changes with its content. */
export type SourceFile = { readonly path: string; readonly version: string };

/**
 * Returns the files of a path whose last segment may have the wildcards `*` and `?`, ordered by name.
 *
 * @throws {FeedError} if the folder cannot be read
 */
export async function sourceFiles(glob: string): Promise<readonly SourceFile[]> {
  const folder = dirname(glob);
  const names = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    throw new FeedError(`the folder ${folder} cannot be read: ${fileReason(cause)}`, { cause });
  });
  const pattern = wildcardPattern(basename(glob));
  const files: SourceFile[] = [];
  for (const name of names.filter((one) => pattern.test(one)).sort()) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true) files.push({ path, version: `${found.size}:${found.mtimeMs}` });
  }
  return files;
}

function wildcardPattern(name: string): RegExp {
  const parts = name.split(/([*?])/).map((part) => {
    if (part === "*") return ".*";
    return part === "?" ? "." : part.replaceAll(/[\\^$.|+()[\]{}]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}
