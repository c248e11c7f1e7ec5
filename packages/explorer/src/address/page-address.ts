/** Views of the page: what is shown below the search. */
export const views = ["explore", "table", "map", "coverage", "market", "delivery"] as const;
export type View = (typeof views)[number];

/** The state of the page that its address holds. It never holds a key. */
export type PageAddress = {
  readonly entitySet: string;
  /** Text of `$filter`. Empty: no filter. */
  readonly filter: string;
  /** Columns of the table. Empty: those that the page chooses. */
  readonly select: readonly string[];
  /** Text of `$orderby`. Empty: the order of the service. */
  readonly orderBy: string;
  readonly view: View;
  /** Key of the record that is open. Empty: none. */
  readonly record: string;
};

export const firstAddress: PageAddress = {
  entitySet: "Property",
  filter: "",
  select: [],
  orderBy: "",
  view: "explore",
  record: "",
};

const isView = (text: string): text is View => (views as readonly string[]).includes(text);

/** Names of entity sets. A fragment with anything else, such as `#sign-in=…`, is no address of the page. */
const isIdentifier = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*$/u;

// The characters that a browser keeps in a fragment and that carry no meaning here stay readable.
const readable: Readonly<Record<string, string>> = {
  "%20": "%20",
  "%2C": ",",
  "%2F": "/",
  "%3A": ":",
  "%3B": ";",
  "%24": "$",
  "%40": "@",
};

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/%2C|%2F|%3A|%3B|%24|%40/g, (code) => readable[code] ?? code);

/** Decodes one part of a fragment. Text that is no UTF-8 in percent codes is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** Returns the fragment of an address, such as `#/Property?$filter=City%20eq%20'Austin'&view=map`. Members that are as in {@link firstAddress} are left out. */
export function printFragment({ entitySet, filter, select, orderBy, view, record }: PageAddress): string {
  const options: readonly (readonly [string, string])[] = [
    ["$filter", filter],
    ["$select", select.join(",")],
    ["$orderby", orderBy],
    ["view", view === firstAddress.view ? "" : view],
    ["record", record],
  ];
  const query = options.flatMap(([name, value]) => (value === "" ? [] : [`${name}=${encode(value)}`]));
  return `#/${entitySet}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** Reads a fragment. Members that it does not state, or states wrongly, are as in {@link firstAddress}. */
export function readFragment(fragment: string): PageAddress {
  const [path = "", ...rest] = fragment.replace(/^#?\/?/, "").split("?");
  const options = new Map(
    rest
      .join("?")
      .split("&")
      .map((pair) => {
        const at = pair.indexOf("=");
        return at < 0 ? [decode(pair), ""] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
      }),
  );
  const view = options.get("view") ?? "";
  return {
    entitySet: isIdentifier.test(path) ? path : firstAddress.entitySet,
    filter: options.get("$filter") ?? "",
    select: (options.get("$select") ?? "").split(",").filter((name) => name !== ""),
    orderBy: options.get("$orderby") ?? "",
    view: isView(view) ? view : firstAddress.view,
    record: options.get("record") ?? "",
  };
}
