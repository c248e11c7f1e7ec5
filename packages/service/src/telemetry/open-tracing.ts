import type { Log } from "../log.ts";
import type { Tracing } from "./tracing.ts";
import type { TracingOptions } from "./tracing-options.ts";

/** Returns undefined without options; only with them are OpenTelemetry's packages loaded. */
export async function openTracing(
  options: TracingOptions | undefined,
  log: Log,
): Promise<Tracing | undefined> {
  if (options === undefined) return undefined;
  const { startTracing } = await import("./otlp-tracing.ts");
  return startTracing(options, log);
}
