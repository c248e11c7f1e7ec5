/* Starts the service: chooses its settings file, then runs `main.ts` with a heap limit derived from `CADASTRE_MEMORY`. */
import { withHeapLimit } from "./heap-limit.ts";
import { configOfProcess } from "./http/memory-limits.ts";
import { chooseSettingsFile } from "./settings/find-settings-file.ts";

chooseSettingsFile(process.argv.slice(2));
await withHeapLimit(() => import("./main.ts"), configOfProcess);
