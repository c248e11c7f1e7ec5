import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { crashes } from "./crashes.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-ledgers-"));
afterAll(() => rmSync(folder, { recursive: true }));

crashes("SQLite", (own) => ({ file: join(folder, `${own}.sqlite`) }));
