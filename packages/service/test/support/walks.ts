import { ask } from "./ask.ts";

/** A page walk that an earlier release has begun. */
export type BegunWalk = {
  /** Name of the key property. */
  readonly key: string;
  /** The `@odata.nextLink` of the first page, without the address of the service. */
  readonly next: string;
  /** Keys of the records after the first page. */
  readonly rest: readonly string[];
};

type Page = {
  readonly value: readonly Readonly<Record<string, string>>[];
  readonly "@odata.nextLink"?: string;
};
type Served = { readonly baseUrl: string; readonly apiKey: string };

const queries = [
  ["Property", "ListingKey", "$select=ListingKey&$top=60"],
  [
    "Property",
    "ListingKey",
    "$select=ListingKey,ListPrice&$orderby=ListPrice desc,City&$filter=ListPrice gt 100000",
  ],
  ["Property", "ListingKey", "$select=ListingKey&$filter=City ge 'M'&$orderby=City"],
  ["Media", "MediaKey", "$select=MediaKey"],
  ["Member", "MemberKey", "$select=MemberKey&$orderby=ModificationTimestamp desc"],
] as const;

/** Follows next links to the last page. Returns the keys, or the status and code of the first error. */
export async function walkFrom(
  { baseUrl, apiKey }: Served,
  { key, next }: Pick<BegunWalk, "key" | "next">,
): Promise<readonly string[] | { readonly status: number; readonly code: string }> {
  const keys: string[] = [];
  for (let target: string | undefined = next; target !== undefined; ) {
    const { status, text } = await ask(baseUrl, target, {
      "x-api-key": apiKey,
      prefer: "odata.maxpagesize=7",
    });
    if (status !== 200) return { status, code: (JSON.parse(text) as { error: { code: string } }).error.code };
    const page = JSON.parse(text) as Page;
    keys.push(...page.value.map((record) => record[key] ?? ""));
    target = page["@odata.nextLink"]?.slice(baseUrl.length);
  }
  return keys;
}

/** Begins page walks over several sets and orders. Their tokens expire after the service's token life. */
export async function beginWalks(served: Served): Promise<readonly BegunWalk[]> {
  const walks: BegunWalk[] = [];
  for (const [set, key, query] of queries) {
    const target = `/reso/odata/${set}?${query.replaceAll(" ", "%20")}`;
    const { text } = await ask(served.baseUrl, target, {
      "x-api-key": served.apiKey,
      prefer: "odata.maxpagesize=7",
    });
    const next = (JSON.parse(text) as Page)["@odata.nextLink"]?.slice(served.baseUrl.length);
    const rest = next === undefined ? undefined : await walkFrom(served, { key, next });
    if (next === undefined || !Array.isArray(rest)) throw new Error(`${target} has no second page: ${text}`);
    walks.push({ key, next, rest: rest as readonly string[] });
  }
  return walks;
}
