import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import GithubSlugger from "github-slugger";
import markdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { pages } from "./pages.ts";

const markdown = markdownIt({ html: true });

/** The attribute that has the target, by the type of the token. */
const linkAttributes: Readonly<Record<string, string>> = { link_open: "href", image: "src" };

type Parsed = {
  readonly links: readonly string[];
  /** The anchors as a git host makes them of headings, and those that the page names itself. */
  readonly anchors: ReadonlySet<string>;
  /** The names of the HTML tags of the text. */
  readonly tags: readonly string[];
};

function parse(text: string): Parsed {
  const slugger = new GithubSlugger();
  const tokens = markdown.parse(text, {});
  const inline = tokens.flatMap(({ children }) => children ?? []);
  const html = [...tokens, ...inline].flatMap(({ type, content }) =>
    type === "html_block" || type === "html_inline" ? [content] : [],
  );
  const headings = tokens.flatMap((token, i) =>
    token.type === "heading_open"
      ? [(tokens[i + 1]?.children ?? []).map(({ type, content }) => (type === "html_inline" ? "" : content))]
      : [],
  );
  const named = html.flatMap((one) => [...one.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id));
  return {
    links: inline.flatMap((token) => token.attrGet(linkAttributes[token.type] ?? "") ?? []),
    anchors: new Set([...named, ...headings.map((parts) => slugger.slug(parts.join("")))]),
    tags: html.flatMap((one) => [...one.matchAll(/<\/?([a-z][\w-]*)/gi)].map(([, tag = ""]) => tag)),
  };
}

const parsed = new Map<string, Parsed>();
const parsedPage = (page: string): Parsed => {
  const known = parsed.get(page) ?? parse(readFileSync(page, "utf8"));
  parsed.set(page, known);
  return known;
};

/** Returns the page that a link to a file or folder shows, if it shows one. */
function pageAt(path: string): string | undefined {
  const page = statSync(path).isDirectory() ? join(path, "README.md") : path;
  return page.endsWith(".md") && existsSync(page) ? page : undefined;
}

/** Returns why a link of a page leads nowhere, or undefined. */
function faultOf(page: string, link: string): string | undefined {
  const [path = "", anchor] = decodeURI(link).split("#");
  const target = path === "" ? page : normalize(join(dirname(page), path));
  if (!existsSync(target)) return `${link}: there is no ${target}`;
  const shown = pageAt(target);
  if (anchor === undefined || (shown !== undefined && parsedPage(shown).anchors.has(anchor)))
    return undefined;
  return `${link}: ${shown ?? target} has no heading of that name`;
}

const isElsewhere = (link: string): boolean => /^[a-z][a-z+.-]*:/i.test(link);

describe.each(pages)("%s", (page) => {
  const { links, tags } = parsedPage(page);

  test("links files and headings that exist", () => {
    const faults = links.filter((link) => !isElsewhere(link)).map((link) => faultOf(page, link));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  test("has no bare `<name>`, which is read as a tag and not shown", () => {
    expect(tags.filter((tag) => !["a", "br", "sup", "sub"].includes(tag))).toEqual([]);
  });
});

test("docs/README.md lists every page of docs", () => {
  const listed = parsedPage("docs/README.md").links.map((link) =>
    normalize(join("docs", link.split("#")[0] ?? "")),
  );
  const own = pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  expect(own.filter((page) => !listed.includes(page))).toEqual([]);
});

test("anchors are found as a git host makes them", () => {
  const { anchors, tags, links } = parse(
    '# A `b` [c](d.md)\n\n## Twice\n\n## Twice\n\n<a id="own"></a> <file>\n',
  );
  expect([...anchors]).toEqual(["own", "a-b-c", "twice", "twice-1"]);
  expect([tags, links]).toEqual([["a", "a", "file"], ["d.md"]]);
});
