// The page of changes: what is unreleased, from the changesets, and what was released, from the CHANGELOG of each package.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the entries of a kind, as sections of the packages that they name. */
function unreleased(folder) {
  const sections = new Map();
  for (const name of readdirSync(folder).toSorted()) {
    const [, head, text] =
      /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(readFileSync(join(folder, name), "utf8")) ?? [];
    if (head === undefined) continue;
    for (const [, package_] of head.matchAll(/^"([^"]+)":/gm))
      sections.set(package_, [...(sections.get(package_) ?? []), text.trim()]);
  }
  return [...sections]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([package_, texts]) => [`### ${package_}`, ...texts.map(asItem)].join("\n\n"));
}

const asItem = (text) => `- ${text.replaceAll("\n", "\n  ")}`;

/** Returns what was released of each package, a level below. */
function released(packages) {
  return readdirSync(packages).flatMap((name) => {
    const file = join(packages, name, "CHANGELOG.md");
    return existsSync(file) ? [readFileSync(file, "utf8").replaceAll(/^#/gm, "##").trim()] : [];
  });
}

/** Writes the page. */
export function writeChangelog(repository, file) {
  const now = unreleased(join(repository, ".changeset"));
  const before = released(join(repository, "packages"));
  const text = ["# Changelog", ...(now.length > 0 ? ["## Not released yet", ...now] : []), ...before].join(
    "\n\n",
  );
  writeFileSync(file, `${text}\n`);
}
