/* Starts the service with a heap limit derived from `CADASTRE_MEMORY`. */
import { withHeapLimit } from "./heap-limit.ts";
import { configOfProcess } from "./http/memory-limits.ts";
import { useSettingsFile } from "./settings/find-settings-file.ts";

useSettingsFile(process.argv.slice(2));
await withHeapLimit(() => import("./main.ts"), configOfProcess);
