import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";

// Of the site that `npm run docs` has built: WEBSITE=required npx vitest run docs/website-search.test.ts
const isRequired = process.env["WEBSITE"] === "required";
const chunks = resolve("website/dist/assets/chunks");

type Options = Readonly<Record<string, unknown>>;
type SearchIndex = { readonly search: (words: string) => readonly { readonly id: string }[] };
type MiniSearch = { readonly loadJSON: (text: string, options: Options) => SearchIndex };
type SiteConfig = {
  readonly themeConfig: {
    readonly search: {
      readonly options: { readonly miniSearch: Readonly<Record<"options" | "searchOptions", Options>> };
    };
  };
};

/** Opens the index of the built site with the options of its search box. Source: vitepress, `VPLocalSearchBox.vue`. */
async function openIndex(): Promise<SearchIndex> {
  const MiniSearch = createRequire(resolve("website/package.json"))("minisearch") as MiniSearch;
  const [name] = readdirSync(chunks).filter((file) => file.startsWith("@localSearchIndexroot"));
  const { default: text } = (await import(resolve(chunks, String(name)))) as { readonly default: string };
  const { default: site } = (await import(resolve("website/.vitepress/config.mjs"))) as {
    readonly default: SiteConfig;
  };
  const { options, searchOptions } = site.themeConfig.search.options.miniSearch;
  return MiniSearch.loadJSON(text, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, ...searchOptions },
    ...options,
  });
}

describe.runIf(isRequired)("a new reader who only searches the website", () => {
  test.each([
    ["receive data daily", "/docs/tutorials/receive-data-daily.html"],
    ["add a local field", "/docs/systems.html"],
    ["errors code list", "/docs/errors.html"],
    ["read in pandas", "/docs/how-to/python.html"],
    ["own server over PostgreSQL", "/docs/tutorials/your-own-server.html"],
  ])("finds the page for `%s` among the first three results", async (words, page) => {
    const index = await openIndex();
    const found = index.search(words).slice(0, 3);
    expect(found.map(({ id }) => id.replace(/#.*$/, ""))).toContain(page);
  });
});
