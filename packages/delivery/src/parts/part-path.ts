import { join } from "node:path";

const sha256Text = /^[0-9a-f]{64}$/;

/** Returns the path of a part below the folder of a part store: `parts/<two digits>/<sha256>`. */
export function partPath(sha256: string): string {
  if (!sha256Text.test(sha256)) throw new RangeError("a part lies under its SHA-256");
  return join("parts", sha256.slice(0, 2), sha256);
}
