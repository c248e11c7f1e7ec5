import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { fileReason } from "../file-error.ts";
import { rejectsEnding } from "../ingest/rejects.ts";
import { FeedError } from "../replicate/feed-error.ts";

/** A file of a feed. */
type SourceFile = {
  readonly path: string;
  /** Path without symbolic links, to read the file by. */
  readonly target: string;
  /** Text that changes with the content. */
  readonly version: string;
};

/**
 * Returns the files of a path whose last segment may have the wildcards `*` and `?`, ordered by name, without those of rejects. Who may write
 * into the folder could make a link to any file that the service may read, such as its secrets: a link must stay in the folder.
 *
 * @throws {FeedError} if the folder cannot be read, or a link leads out of it
 */
export async function sourceFiles(glob: string): Promise<readonly SourceFile[]> {
  const folder = dirname(glob);
  const refuse = (cause: NodeJS.ErrnoException) => {
    throw new FeedError(`the folder ${folder} cannot be read: ${fileReason(cause)}`, { cause });
  };
  const names = await readdir(folder).catch(refuse);
  const root = await realpath(folder).catch(refuse);
  const pattern = wildcardPattern(basename(glob));
  const files: SourceFile[] = [];
  for (const name of names.filter((one) => pattern.test(one) && !one.endsWith(rejectsEnding)).sort()) {
    const path = join(folder, name);
    const target = await realpath(path).catch(() => undefined);
    const found = target === undefined ? undefined : await stat(target).catch(() => undefined);
    if (target === undefined || found?.isFile() !== true) continue;
    if (relative(root, target).split(sep, 1)[0] === "..")
      throw new FeedError(
        `${path} is a link out of ${folder}: put the file itself there in place of the link`,
      );
    files.push({ path, target, version: `${found.size}:${found.mtimeMs}` });
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
