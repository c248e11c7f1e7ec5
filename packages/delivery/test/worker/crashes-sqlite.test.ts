import { join } from "node:path";
import { scratchFolder } from "../support/scratch.ts";
import { crashes } from "./crashes.ts";

const folder = scratchFolder();

crashes("SQLite", (own) => ({ file: join(folder, `${own}.sqlite`) }));
