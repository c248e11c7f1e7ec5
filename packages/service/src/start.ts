/* Starts the service with a heap that follows from its memory: see `CADASTRE_MEMORY`. */
import { withHeapLimit } from "./heap-limit.ts";

await withHeapLimit(() => import("./main.ts"));
