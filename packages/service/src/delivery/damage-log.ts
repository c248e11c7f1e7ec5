import type { DamageReport } from "@cadastre/delivery";
import { errorFields, type Log } from "../log.ts";

/** Returns a callback that logs damaged parts and manifests. */
export const damageLog =
  (log: Log) =>
  ({ delivery, part, cause }: DamageReport): void =>
    log.error(
      { delivery, part, ...errorFields(cause) },
      "a stored part is damaged: it is not served until it is rebuilt",
    );
