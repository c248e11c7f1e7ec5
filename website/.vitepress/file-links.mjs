// Links between pages are written as a git host reads them: relative, to files and folders. Here they become addresses of the site.
import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

/** Returns the file of a page in the site: a README is the index of its folder. */
export const pageOf = (file) =>
  file.replace(/^website\//, "").replace(/(^|\/)README\.md$/, (_, before) => `${before}index.md`);

/** Files that pages link and that are no pages, by their paths in the repository. */
const linkedFiles = new Set();

/** Browsers download or play files of these kinds; as text they are shown. */
const shownAsText = /\.(?:[cm]?[jt]s|json|ya?ml|sql|service|py)$|(?:^|\/)[A-Z]+$/;
const addressOfFile = (file) => (shownAsText.test(file) ? `${file}.txt` : file);

/** Copies what pages link beside them. */
export function copyLinkedFiles(repository, outDir) {
  for (const file of linkedFiles) {
    const copy = join(outDir, addressOfFile(file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(repository, file), copy);
  }
}

/** Returns the address of a file or folder of the repository, or undefined if it is a folder without a README. */
export function addressOf(repository, target) {
  if (target === ".changeset") return "/changelog.html";
  const path = join(repository, target);
  // A missing file stays as it is: the build fails of it.
  if (!existsSync(path)) return `/${target}`;
  if (statSync(path).isDirectory())
    return existsSync(join(path, "README.md")) ? `/${target}/`.replace("/./", "/") : undefined;
  if (target.endsWith(".md")) return `/${pageOf(target)}`.replace(/\/index\.md$/, "/");
  linkedFiles.add(target);
  return `/${addressOfFile(target)}`;
}

const isElsewhere = (href) => /^(?:[a-z][a-z+.-]*:|#|\/)/i.test(href);

/** A markdown-it plugin that rewrites the links of a page. */
export function fileLinks(md, repository) {
  md.core.ruler.push("file_links", ({ tokens, env }) => {
    const page = env.realPath ?? env.path;
    if (page === undefined) return;
    const folder = relative(repository, dirname(page));
    for (const { children } of tokens)
      for (const [at, token] of (children ?? []).entries()) {
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        if (href === null || isElsewhere(href)) continue;
        const [, path, hash] = /^([^#]*)(.*)$/.exec(href);
        const address = addressOf(repository, posix.join(folder, path).replace(/\/$/, ""));
        if (address !== undefined) token.attrSet("href", address + hash);
        else unlink(children, at);
      }
  });
}

/** Leaves the text of a link alone. */
function unlink(tokens, at) {
  const end = tokens.findIndex(({ type }, i) => i > at && type === "link_close");
  for (const token of [tokens[at], tokens[end]]) Object.assign(token, { type: "text", content: "", tag: "" });
}
