import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { AuditAction } from "../audit/actions.ts";
import { type AuditObject, createAuditTrail } from "../audit/audit-trail.ts";
import { openAudit } from "../audit/open-audit.ts";
import { type Config, readConfig } from "../config.ts";
import { auditName, type DataFolder } from "../data/data-folder.ts";
import { isRefusal } from "./outcome.ts";

/** Audit trail that the actions of a command are recorded in. */
export type ActionAudit = { readonly file: string; readonly config: Pick<Config, "audit"> };

/** An action of a command, with the file of the audit trail that it is recorded in. */
type CommandAction = {
  readonly action: AuditAction;
  readonly object?: AuditObject;
} & ActionAudit;

/** Runs an action of a command, then records its outcome in one line, see `AuditTrail.run`. */
export const audited = <T>(
  { action, object = {}, file, config }: CommandAction,
  work: (know: (object: AuditObject) => void) => Promise<T>,
): Promise<T> =>
  createAuditTrail(openAudit(config, file, process.stderr), outcomeOf).run(
    { action, object, actor: { type: "cli", user: userName() }, requestId: null, address: null },
    work,
  );

/** Returns the audit trail for commands that work on a data folder. */
export const auditOf = ({ audit }: DataFolder, config: Config): ActionAudit => ({
  file: audit,
  config,
});

/** Returns the audit trail for commands of an issuer: a file next to the private key, because an issuer needs no data folder. */
export const issuerAudit = (keyFile: string): ActionAudit => ({
  file: join(dirname(resolve(keyFile)), auditName),
  config: readConfig(process.env),
});

const outcomeOf = (error: unknown) => ({
  outcome: isRefusal(error) ? ("refused" as const) : ("failed" as const),
  code: error instanceof Error ? ("code" in error ? String(error.code) : error.name) : null,
});

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user id may have no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
