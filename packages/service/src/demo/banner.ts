import type { Examples } from "../data/examples.ts";
import type { Demo } from "./demo-file.ts";

/**
 * Returns the text that is printed after a start: the URL of the service, the demo's keys, and requests to try.
 *
 * @param lost demo customers with valid keys that are not in `demo.json`
 */
export function banner(
  { baseUrl, keys }: Demo,
  { examples, isServing }: { readonly examples: Examples | undefined; readonly isServing: boolean },
  demoFile: string,
  lost: readonly string[] = [],
): string {
  const [first] = keys;
  const width = Math.max(...keys.map(({ name }) => name.length));
  const lines = [
    "",
    `Cadastre is serving ${baseUrl}/reso/odata`,
    "",
    ...(first === undefined ? withoutDemo : [`Keys, also in ${demoFile}:`]),
    ...keys.map(
      ({ name, apiKey, summary }) => `  ${name.padEnd(width)}  ${apiKey}\n  ${" ".repeat(width)}  ${summary}`,
    ),
  ];
  if (lost.length > 0) lines.push("", ...lostKeys(lost, demoFile));
  if (first !== undefined && examples !== undefined) {
    lines.push("", "Try:", ...requestsToTry(baseUrl, first.apiKey, examples).map((line) => `  ${line}`));
  }
  if (!isServing) lines.push("", ...withoutListings);
  lines.push("", "Stop with Ctrl-C.", "");
  return lines.join("\n");
}

/** Lines that are printed with an external issuer, for which there are no demo keys. */
const withoutDemo = [
  "To let a customer in:",
  "  npm run cadastre -- entitlement install <file>",
  "  npm run cadastre -- key create <customer>",
];

const lostKeys = (customers: readonly string[], demoFile: string): readonly string[] => [
  `${demoFile} lacks the keys of ${customers.join(", ")}, which are still valid. Copy the file from a backup, or make other keys:`,
  ...customers.map((customer) => `  npm run cadastre -- key create ${customer}`),
];

/** Lines that are printed if nothing is published yet. */
const withoutListings = [
  "There are no listings yet, so no entity set is served. To load some, run in another shell:",
  "  npm run cadastre -- system add <system> --name <name> --states <codes>",
  "  npm run cadastre -- ingest --resource Property --source <system> <file>",
  "  npm run cadastre -- publish Property",
  "The systems are listed by: npm run cadastre -- system list",
];

/** Returns shell commands that work when pasted. */
function requestsToTry(baseUrl: string, apiKey: string, examples: Examples): readonly string[] {
  const { city, state, listingKey, placekey } = examples;
  const collection = `${baseUrl}/reso/odata/Property`;
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const filter = `City eq ${text(city)} and StateOrProvince eq ${text(state)} and StandardStatus eq 'Active'`;
  return [
    `${collection}?$filter=${quoted(filter)}&$select=ListingKey,City,ListPrice,BedroomsTotal&$orderby=ListPrice&$top=5&$count=true`,
    `${collection}(${quoted(text(listingKey))})?$ignorenulls=true`,
    `${collection}?placekey=${quoted(placekey)}&$select=ListingKey,OriginatingSystemName,StandardStatus,ListPrice`,
    `${baseUrl}/v1/properties/${quoted(placekey)}`,
  ].map((url) => `curl -H 'x-api-key: ${apiKey}' '${url}'`);
}

/** Percent-encodes text, including apostrophes, which would end the shell's quotes. */
const quoted = (text: string) => encodeURIComponent(text).replaceAll("'", "%27");
