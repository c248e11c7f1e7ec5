import { nearest } from "@cadastre/odata/tree";
import { fileMembers, fileSections, memberNamesOf } from "./member-paths.ts";
import { settings } from "./settings.ts";

const didYouMean = (name: string | undefined): string =>
  name === undefined ? "" : `: did you mean \`${name}\`?`;

/** Returns the description of a member of the settings file that does not exist, with the most similar one and all that its section may have. */
export function unknownMember(section: string, key: string): string {
  const path = section === "" ? key : `${section}.${key}`;
  const paths = [...fileMembers.keys()];
  const suggestion =
    nearest(path, [...paths, ...fileSections]) ??
    paths.find((known) => known.split(".").at(-1) === key) ??
    paths.find((known) => known.replace(".", "_") === path);
  const where = section === "" ? "Allowed are" : `Allowed in \`${section}\` are`;
  return `\`${path}\` is no setting${didYouMean(suggestion)}${suggestion === undefined ? "." : ""} ${where} ${memberNamesOf(section).join(", ")}`;
}

/** Variables of the programs that are no settings of the service. */
const otherVariables: ReadonlySet<string> = new Set([
  "CADASTRE_CONFIG",
  // The key of the client.
  "CADASTRE_API_KEY",
  // What the processes of a service tell each other.
  "CADASTRE_LAUNCHER",
  "CADASTRE_PROCESS",
  "CADASTRE_MACHINE",
]);

/**
 * Variables that Kubernetes sets in each pod for a service that is called `cadastre` or `cadastre-…`.
 * Source: Kubernetes, "Service", section "Environment variables".
 */
const ofKubernetes =
  /^CADASTRE(?:_[A-Z0-9_]+)?_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)$/;

/**
 * Returns a fault for each variable that begins as a setting does, and is none.
 *
 * @param references variables that the settings file refers to
 */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  references: ReadonlySet<string>,
): readonly string[] {
  const isKnown = (name: string) =>
    Object.hasOwn(settings, name) || otherVariables.has(name) || references.has(name);
  return Object.keys(environment)
    .filter((name) => name.startsWith("CADASTRE_") && !isKnown(name) && !ofKubernetes.test(name))
    .map((name) => {
      const suggestion = nearest(name, Object.keys(settings));
      return `${name} in the environment is no setting${didYouMean(suggestion)}${suggestion === undefined ? "." : ""} Allowed are the variables of the table \`Settings\` in packages/service/README.md`;
    });
}
