/** A query as text for a program: where the service is, and what it is asked. */
export type CopiedQuery = {
  /** Address of the OData service, without a slash at its end. */
  readonly service: string;
  readonly entitySet: string;
  /** System query options by name, decoded. */
  readonly options: Readonly<Record<string, string>>;
};

/** Environment variable that every program reads the key from: a copied text never holds a key. */
const keyVariable = "CADASTRE_KEY";

const entries = ({ options }: CopiedQuery) => Object.entries(options).filter(([, value]) => value !== "");

/** Returns the address with its options encoded, spaces as `%20`. */
export function addressOfQuery(query: CopiedQuery): string {
  const pairs = entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("'", "%27")}`,
  );
  return `${query.service}/${query.entitySet}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
}

/** Quotes a text for a POSIX shell. */
const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function toCurl(query: CopiedQuery): string {
  return [
    `curl -sG ${shellText(`${query.service}/${query.entitySet}`)}`,
    `  -H "x-api-key: $${keyVariable}"`,
    ...entries(query).map(([name, value]) => `  --data-urlencode ${shellText(`${name}=${value}`)}`),
  ].join(" \\\n");
}

function toTypeScript(query: CopiedQuery): string {
  const parameters = entries(query).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return `const options = new URLSearchParams({
${parameters.join("\n")}
});
// The service reads a plus sign as a plus sign.
let next: string | undefined = \`${query.service}/${query.entitySet}?\${options.toString().replaceAll("+", "%20")}\`;
const records: unknown[] = [];
while (next !== undefined) {
  const response = await fetch(next, { headers: { "x-api-key": process.env["${keyVariable}"] ?? "" } });
  if (!response.ok) throw new Error(await response.text());
  const page = (await response.json()) as { value: unknown[]; "@odata.nextLink"?: string };
  records.push(...page.value);
  next = page["@odata.nextLink"];
}
console.log(records.length);
`;
}

function toPython(query: CopiedQuery): string {
  const parameters = entries(query).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return `import os
import urllib.parse

import requests

options = {
${parameters.join("\n")}
}
# The service reads a plus sign as a plus sign.
url = "${query.service}/${query.entitySet}?" + urllib.parse.urlencode(options, quote_via=urllib.parse.quote)
session = requests.Session()
session.headers["x-api-key"] = os.environ["${keyVariable}"]
records = []
while url:
    response = session.get(url)
    response.raise_for_status()
    page = response.json()
    records += page["value"]
    url = page.get("@odata.nextLink")
print(len(records))
`;
}

/** Quotes a text for Power Query M. */
const powerQueryText = (text: string): string => `"${text.replaceAll('"', '""').replaceAll("#(", "#(#)(")}"`;

function toPowerQuery(query: CopiedQuery): string {
  return `let
    // Make a parameter ${keyVariable} (Manage Parameters) that holds the key.
    Source = OData.Feed(
        ${powerQueryText(addressOfQuery(query))},
        [#"x-api-key" = ${keyVariable}],
        [Implementation = "2.0", ODataVersion = 4]
    )
in
    Source
`;
}

/** Quotes a text for SQL. */
const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function toDuckDb(query: CopiedQuery): string {
  return `-- In the duckdb program, with the key in the environment variable ${keyVariable}. Reads one page, of at most 1,000 records.
install httpfs;
load httpfs;
set variable api_key = getenv('${keyVariable}');
create or replace secret cadastre (
  type http,
  extra_http_headers map {'x-api-key': getvariable('api_key')}
);
select unnest(value, max_depth := 2)
from read_json(${sqlText(addressOfQuery(query))}, format := 'auto');
`;
}

/** Programs that a query can be copied as. */
export const copyForms = {
  curl: { title: "curl", print: toCurl },
  typescript: { title: "TypeScript", print: toTypeScript },
  python: { title: "Python", print: toPython },
  powerQuery: { title: "Power Query", print: toPowerQuery },
  duckDb: { title: "DuckDB", print: toDuckDb },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly print: (query: CopiedQuery) => string }>
>;

export type CopyForm = keyof typeof copyForms;
