// The sidebar is the list of pages in docs/README.md: its headings, and the links under them.
import { posix } from "node:path";
import { addressOf } from "./file-links.mjs";

const linksOf = (text, folder, repository) =>
  [...text.matchAll(/^- \[([^\]]+)\]\(([^)#]+)(#[^)]*)?\)/gm)].map(([, name, target, hash = ""]) => ({
    text: name.replaceAll(/[`\\]/g, ""),
    link: addressOf(repository, posix.join(folder, target)).replace(/\.md$/, ".html") + hash,
  }));

/** Returns the groups of the sidebar: one for each heading of docs/README.md. */
export const sidebarOf = (index, repository) =>
  index
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf("\n")),
      items: linksOf(section, "docs", repository),
    }));

/** Returns the entries of the packages, which typedoc lists in its index. */
export const apiSidebarOf = (index, repository) => [
  { text: "TypeScript API", items: linksOf(index, "docs/api", repository) },
];
