/** What every client is asked to do, in the order of the table. */
export const steps = {
  metadata: "reads `$metadata`: the number of fields of Property",
  filter: "keys of the listings of a city above a price",
  sort: "keys of the five dearest listings",
  pages: "keys of all listings, in pages of 50, by next links",
  count: "number of active listings",
  entity: "one listing by its key",
  expand: "keys of a listing's media, by `$expand`",
  error: "status of the answer to an unknown field",
};

/** How long a page is that the clients ask for, in records. */
export const pageSize = 50;

/** Fields that the clients ask with. */
export const unknownField = "NoSuchField";

/**
 * The values that the clients ask with, and the right answer of each step, found with plain requests. Undefined where a server has nothing to ask for.
 *
 * @param {{ root: string, headers: Record<string, string> }} service
 */
export async function findTask({ root, headers }) {
  const select = "$select=ListingKey,City,ListPrice,StandardStatus";
  const rows = [];
  for (let next = `${root}/Property?${select}`; next !== undefined; ) {
    const page = await (await fetch(next, { headers })).json();
    rows.push(...page.value);
    next = page["@odata.nextLink"];
  }
  const { City: city } = rows.find(({ City }) => City !== null);
  const prices = rows.filter(({ City }) => City === city).map(({ ListPrice }) => ListPrice);
  const price = Math.min(...prices);
  const { ListingKey: key } = rows[7];
  const metadata = await (await fetch(`${root}/$metadata`, { headers })).text();
  const [propertyType] = metadata.match(/<EntityType Name="Property".*?<\/EntityType>/s);
  const byPrice = rows.toSorted(
    (a, b) => b.ListPrice - a.ListPrice || (a.ListingKey < b.ListingKey ? -1 : 1),
  );
  const shown = await (await fetch(`${root}/Media?$top=1`, { headers })).json();
  const pictured = shown.value?.[0]?.ResourceRecordKey;
  const media =
    pictured === undefined
      ? undefined
      : await (await fetch(`${root}/Property('${pictured}')/Media?$select=MediaKey`, { headers })).json();
  const keysOf = (list) => list.map(({ ListingKey }) => ListingKey);
  return {
    city,
    price,
    key,
    /** Key of a listing with media; undefined if the server has none. */
    pictured,
    expected: {
      metadata: propertyType.match(/<Property /g).length,
      filter: keysOf(rows.filter(({ City, ListPrice }) => City === city && ListPrice > price)).sort(),
      sort: keysOf(byPrice.slice(0, 5)),
      pages: keysOf(rows).sort(),
      count: rows.filter(({ StandardStatus }) => StandardStatus === "Active").length,
      entity: key,
      expand: media?.value.map(({ MediaKey }) => MediaKey).sort(),
      error: 400,
    },
  };
}
