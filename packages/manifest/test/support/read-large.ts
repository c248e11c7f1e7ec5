// Reads 30 MB of JSON that is not a manifest, in a process of its own. Prints the error code, the number of calls of `JSON.parse`, and the
// growth of the process at its peak, in megabytes.
import { ManifestError, readManifest } from "@cadastre/manifest";

const size = 30_000_000;

const texts: Readonly<Record<string, () => string>> = {
  deep: () => "[".repeat(size / 2) + "]".repeat(size / 2),
  arrays: () => `[${"[],".repeat(size / 3)}0]`,
  objects: () => `[${"{},".repeat(size / 3)}0]`,
  names: () => `{${Array.from({ length: size / 12 }, (_, k) => `"n${k.toString(36)}":0`).join(",")},"m":0}`,
};

const bytes = Buffer.from(texts[process.argv[2] ?? ""]?.() ?? "");
const megabytes = () => process.resourceUsage().maxRSS / 1024;
const before = megabytes();

let parsed = 0;
const parse = JSON.parse;
JSON.parse = (text: string): unknown => {
  parsed++;
  return parse(text);
};

let code: string | undefined;
try {
  readManifest(bytes);
} catch (error) {
  if (!(error instanceof ManifestError)) throw error;
  code = error.code;
}
process.stdout.write(JSON.stringify({ code, parsed, grown: megabytes() - before }));
