// The pages of this repository as a website. They stay plain files: their links, and the anchors of their headings, are those that a git host shows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";
import { writeChangelog } from "./changelog.mjs";
import { diagrams } from "./diagrams.mjs";
import { copyLinkedFiles, fileLinks, pageOf } from "./file-links.mjs";
import { apiSidebarOf, sidebarOf } from "./sidebar.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const website = join(repository, "website");
const docs = join(repository, "docs");
const readIndex = (folder) => readFileSync(join(folder, "README.md"), "utf8");

writeChangelog(repository, join(website, "changelog.md"));
const api = { text: "TypeScript API", link: "/docs/api/" };
const sidebar = sidebarOf(readIndex(docs), repository).map(({ text, items }) => ({
  text,
  items: text === "Reference" ? [...items, api] : items,
  collapsed: false,
}));
/** Has pages find the modules that their compiled form imports: they lie outside of this folder. */
const pageModules = {
  name: "page-modules",
  enforce: "pre",
  resolveId(name, importer = "", options) {
    if (!/^vue($|\/)/.test(name) || importer.startsWith(website)) return undefined;
    return this.resolve(name, join(website, "package.json"), { ...options, skipSelf: true });
  },
};

export default defineConfig({
  srcDir: "..",
  outDir: "dist",
  cacheDir: "node_modules/.cache",
  rewrites: pageOf,
  title: "Cadastre",
  description: "An OData query engine for real-estate data, and a complete RESO listing service built on it",
  lang: "en",
  head: [["link", { rel: "icon", href: "data:," }]],
  // One file for what all pages share, so that a change of one page leaves the others as they are.
  metaChunk: true,
  markdown: {
    // The usual light theme has words of too little contrast.
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    anchor: { slugify: (text) => slug(text) },
    config(md) {
      md.use(fileLinks, repository);
      md.use(diagrams);
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: {
          // Codes and settings, such as `unknown_property`, are found as a whole too.
          options: {
            tokenize: (text) => [...text.split(/[\n\r\p{Z}\p{P}]+/u), ...(text.match(/\w+_\w+/g) ?? [])],
          },
          // The names of the API are many: a page that explains a word comes first.
          searchOptions: { boostDocument: (id) => (id.startsWith("/docs/api/") ? 0.2 : 1) },
        },
      },
    },
    nav: sidebar.map(({ text, items }) => ({ text, items })),
    sidebar: {
      "/docs/api/": apiSidebarOf(readIndex(join(docs, "api")), repository),
      "/": sidebar,
    },
    docFooter: { prev: false, next: false },
    footer: { message: "Released under the Apache License 2.0" },
  },
  transformPageData: ({ relativePath }) =>
    relativePath === "index.md" ? { frontmatter: { sidebar: false } } : {},
  vite: {
    plugins: [pageModules],
    server: { fs: { allow: [repository] } },
    build: { chunkSizeWarningLimit: 4000 },
  },
  buildEnd: ({ outDir }) => copyLinkedFiles(repository, outDir),
});
