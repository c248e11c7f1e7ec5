/* Starts the service with a heap limit derived from `CADASTRE_MEMORY`. */
import { withHeapLimit } from "./heap-limit.ts";
import { configOfProcess } from "./http/memory-limits.ts";

await withHeapLimit(() => import("./main.ts"), configOfProcess);
