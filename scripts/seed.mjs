// Property tests try the cases of SEED, which vitest.config.ts sets.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.SEED) });
