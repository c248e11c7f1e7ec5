import { typedCommand } from "@cadastre/client/terminal";
import { textLiteral } from "@cadastre/odata/tree";
import type { Examples } from "./data/examples.ts";
import type { Demo } from "./demo/demo-file.ts";

/** State of access to the service that the text tells of. */
type AccessState = {
  /** Demo customers with valid keys that are not in `demo.json`. */
  readonly lost?: readonly string[];
  /** True if entitlements are signed by a private key that the service does not have. */
  readonly hasExternalIssuer?: boolean;
  /** Settings file that commands must be given. Undefined if they find it. */
  readonly settingsFile?: string | undefined;
  /** Address of the page, with the code of its sign-in if there is one. Undefined if the page is switched off. */
  readonly page?: string | undefined;
};

/**
 * Returns the text that is printed after every start of the service: its addresses; if the demo's customers have access, their keys and requests
 * to try; else how to let a customer in.
 */
export function startText(
  { baseUrl, keys }: Demo,
  { examples, isServing }: { readonly examples: Examples | undefined; readonly isServing: boolean },
  demoFile: string,
  { lost = [], hasExternalIssuer = false, settingsFile, page }: AccessState = {},
): string {
  const command = `  ${typedCommand("cadastre")}${settingsFile === undefined ? "" : ` --config ${settingsFile}`}`;
  const [first] = keys;
  const width = Math.max(...keys.map(({ name }) => name.length));
  const lines = [
    "",
    ...(page === undefined ? [] : [`Open ${page}`]),
    `Cadastre is serving ${baseUrl}/reso/odata`,
    "",
    ...(first === undefined ? letIn(command, hasExternalIssuer) : [`Keys, also in ${demoFile}:`]),
    ...keys.map(
      ({ name, apiKey, summary }) => `  ${name.padEnd(width)}  ${apiKey}\n  ${" ".repeat(width)}  ${summary}`,
    ),
  ];
  if (lost.length > 0) lines.push("", ...lostKeys(command, lost, demoFile));
  if (first !== undefined && examples !== undefined) {
    lines.push("", "Try:", ...requestsToTry(baseUrl, first.apiKey, examples).map((line) => `  ${line}`));
  }
  if (!isServing) lines.push("", ...withoutListings(command));
  lines.push("", "Stop with Ctrl-C.", "");
  return lines.join("\n");
}

/** Lines that are printed if there are no demo keys. */
const letIn = (command: string, hasExternalIssuer: boolean): readonly string[] => [
  "To let a customer in, and get its key:",
  `${command} customer add <customer> --template idx --systems all${hasExternalIssuer ? " --issuer-key <file>" : ""}`,
];

const lostKeys = (command: string, customers: readonly string[], demoFile: string): readonly string[] => [
  `${demoFile} lacks the keys of ${customers.join(", ")}, which are still valid. Copy the file from a backup, or make other keys:`,
  ...customers.map((customer) => `${command} key create ${customer}`),
];

/** Lines that are printed if nothing is published yet. */
const withoutListings = (command: string): readonly string[] => [
  "There are no listings yet. To load some, run in another shell:",
  `${command} system add <system> --name <name> --states <codes>`,
  `${command} ingest --resource Property --source <system> <file>`,
  `${command} publish Property`,
  "The systems are listed by:",
  `${command} system list`,
];

/** Returns shell commands that work when pasted. */
function requestsToTry(baseUrl: string, apiKey: string, examples: Examples): readonly string[] {
  const { city, state, listingKey, placekey } = examples;
  const collection = `${baseUrl}/reso/odata/Property`;
  const filter = `City eq ${textLiteral(city)} and StateOrProvince eq ${textLiteral(state)} and StandardStatus eq 'Active'`;
  return [
    `${collection}?$filter=${quoted(filter)}&$select=ListingKey,City,ListPrice,BedroomsTotal&$orderby=ListPrice&$top=5&$count=true`,
    `${collection}(${quoted(textLiteral(listingKey))})?$ignorenulls=true`,
    `${collection}?placekey=${quoted(placekey)}&$select=ListingKey,OriginatingSystemName,StandardStatus,ListPrice`,
    `${baseUrl}/v1/properties/${quoted(placekey)}`,
  ].map((url) => `curl -H 'x-api-key: ${apiKey}' '${url}'`);
}

/** Percent-encodes text, including apostrophes, which would end the shell's quotes. */
const quoted = (text: string) => encodeURIComponent(text).replaceAll("'", "%27");
