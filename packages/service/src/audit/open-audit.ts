import type { Config } from "../config.ts";
import { createAuditFile } from "./audit-file.ts";
import type { AuditSink } from "./audit-trail.ts";

/**
 * Opens the sink that `CADASTRE_AUDIT` names: the file, or a stream.
 *
 * @param stream standard output; for a command, which prints its result there, standard error
 */
export const openAudit = (
  { audit }: Pick<Config, "audit">,
  file: string,
  stream: NodeJS.WritableStream,
): AuditSink => (audit === "file" ? createAuditFile(file) : streamSink(stream));

const streamSink = (stream: NodeJS.WritableStream): AuditSink => ({
  append: (line) =>
    new Promise((resolve, reject) => {
      if (line === "") resolve();
      else stream.write(line, (error) => (error ? reject(error) : resolve()));
    }),
});
