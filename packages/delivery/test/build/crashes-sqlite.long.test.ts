import { join } from "node:path";
import { scratchFolder } from "../support/scratch.ts";
import { crashes } from "./crashes.ts";

const folder = scratchFolder();

crashes("SQLite", (own) => ({ file: join(folder, `${own}.sqlite`) }), [
  "after_part_write",
  "after_part_announce",
  "before_part_commit",
  "after_part_commit",
  "before_seal",
]);
