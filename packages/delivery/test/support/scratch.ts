import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder of a test file, which goes with it. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-delivery-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
