import { readFileSync } from "node:fs";
import type { PostgresAddress, SecretSources } from "./data/data-folder.ts";
import { type MasterKeys, toMasterKeys } from "./data/master-key.ts";
import { fileReason } from "./file-error.ts";
import { leastMemory } from "./http/memory-limits.ts";
import { certificationPreset } from "./settings/certification-preset.ts";
import { masterKeyForm } from "./settings/data-settings.ts";
import type { SettingName } from "./settings/member-paths.ts";
import type { Setting } from "./settings/setting.ts";
import { settings, type Values } from "./settings/settings.ts";
import { noSettingsFile, readSettingsFile, type SettingsFile } from "./settings/settings-file.ts";
import { tracingSettings } from "./settings/tracing-settings.ts";
import { unknownVariables } from "./settings/unknown-names.ts";
import type { TracingOptions } from "./telemetry/tracing-options.ts";

type TrustMembers = "keySet" | "issuer" | "audience";
type PostgresMembers = "databaseUrl" | "readUrls" | "databaseConnections" | "databaseStatements";
type SecretMembers = "masterKey" | "masterKeyFile" | "secrets" | "signingKeys";

type TracingMembers = (typeof tracingSettings)[keyof typeof tracingSettings]["member"];

/** Settings with which traces are recorded. */
const addressesOfTraces: ReadonlySet<string> = new Set<keyof typeof tracingSettings>([
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
]);

/** Configuration of the service, read once at startup. */
export type Config = Omit<Values, TrustMembers | PostgresMembers | SecretMembers | TracingMembers> & {
  /** Issuer of entitlements: file or URL of its key set, `iss` and `aud`. Undefined: the data folder's own issuer is trusted. */
  readonly trust: { readonly [Member in TrustMembers]: string } | undefined;
  /** The database of the listings and the registry. Undefined: they are files of the data folder. */
  readonly postgres: PostgresAddress | undefined;
  /** Secrets that do not come from files of the data folder. */
  readonly secretSources: SecretSources;
  /** Undefined: no traces are recorded. */
  readonly tracing: TracingOptions | undefined;
};

/** Invalid settings. The message has a line for each: the file, line and column or the variable, and the values it accepts. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Environment variable with the path of the settings file. */
const fileName = "CADASTRE_CONFIG";

type Environment = Readonly<Record<string, string | undefined>>;

const isSet = (text: string | undefined): text is string => text !== undefined && text !== "";

/**
 * Reads each setting from the environment, or else from the settings file that `CADASTRE_CONFIG` names, or else takes its default.
 *
 * @throws {ConfigError} with a line for each fault
 */
export function readConfig(environment: Environment): Config {
  const named = environment[fileName];
  const file = isSet(named) ? readSettingsFile(named, environment) : noSettingsFile;
  const faults: string[] = [...file.faults, ...unknownVariables(environment, file.references)];
  // The other faults of a file that cannot be read are not known.
  if (file.isBroken) throw new ConfigError(faults.join("\n"));
  // Variables of OpenTelemetry may be meant for other programs of the machine.
  const faultsOfTracing: string[] = [];
  let hasCollector = false;
  const values: Record<string, unknown> = {};
  const certification = environment["CADASTRE_CERTIFICATION"];
  const isForCertification =
    (isSet(certification) ? certification : file.values.get("CADASTRE_CERTIFICATION")?.text) === "true";
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const own = environment[name];
    const inFile = isSet(own) ? undefined : file.values.get(name as SettingName);
    const given = inFile?.text ?? own;
    const preset = isForCertification ? certificationPreset[name as SettingName] : undefined;
    const text = isSet(given) ? given : (preset ?? ("default" in setting ? setting.default : undefined));
    if (text === undefined) continue;
    if (addressesOfTraces.has(name)) hasCollector = true;
    const read = setting.is.safeParse(text);
    if (read.success) values[setting.member] = read.data;
    else
      (Object.hasOwn(tracingSettings, name) ? faultsOfTracing : faults).push(
        `${inFile?.source ?? name} must be ${setting.must}${setting.isSecret ? "" : `, not \`${withoutUsers(text)}\``}`,
      );
  }
  const { NODE_ENV } = environment;
  const combined = [
    ...replicaFaults(values),
    ...trustFaults(values),
    ...grantFaults(values, NODE_ENV),
    ...webhookFaults(values, NODE_ENV),
    ...masterKeyFaults(values),
    ...memoryFaults(values),
    ...(hasCollector && !isTracingOff(values) ? samplerFaults(values) : []),
  ];
  if (hasCollector && !isTracingOff(values)) faults.push(...faultsOfTracing);
  faults.push(...combined.map((sentence) => withPlaces(sentence, file, environment)));
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
  return toConfig(values as Values);
}

/** Names the settings of a message as the settings file of the environment does, and where the first of them is set. */
export function withSettingPlaces(message: string, environment: Environment): string {
  const named = environment[fileName];
  return isSet(named) ? withPlaces(message, readSettingsFile(named, environment), environment) : message;
}

/** Names the settings of a sentence as the file does, and where the first of them is set, if there is a file. */
function withPlaces(sentence: string, { values }: SettingsFile, environment: Environment): string {
  if (values.size === 0) return sentence;
  let place = "";
  const named = sentence.replaceAll(/\b(?:PORT|HOST|[A-Z]+(?:_[A-Z]+)+)\b(?!=)/g, (name) => {
    if (!Object.hasOwn(settings, name) || isSet(environment[name])) return name;
    const source = values.get(name as SettingName)?.source;
    if (source === undefined) return settings[name as SettingName].path;
    const end = source.lastIndexOf(" ");
    if (place === "") place = `${source.slice(0, end)} `;
    // It may be the member that names a file.
    return source.slice(end + 1);
  });
  return `${place}${named}`;
}

/** Hides users and passwords of addresses. */
const withoutUsers = (text: string): string => text.replaceAll(/:\/\/[^,]*@/g, "://…@");

/** Settings that must be set together or not at all. */
const trustNames = ["CADASTRE_KEY_SET", "CADASTRE_ISSUER", "CADASTRE_AUDIENCE"] as const;

function trustFaults(values: Readonly<Record<string, unknown>>): readonly string[] {
  const missing = trustNames.filter((name) => values[settings[name].member] === undefined);
  return missing.length % trustNames.length === 0
    ? []
    : [
        `${trustNames.join(", ")} must be set together: without ${missing.join(" and ")} the others mean nothing`,
      ];
}

/** Checks that direct grants are not used in production, and that the parts are in a bucket with an https endpoint. */
function grantFaults(
  { grants, partsBucket, partsEndpoint }: Readonly<Record<string, unknown>>,
  nodeEnv: string | undefined,
): readonly string[] {
  if (grants !== "direct_https") return [];
  const given = "CADASTRE_GRANTS may be direct_https";
  const isClear = typeof partsEndpoint === "string" && !partsEndpoint.startsWith("https:");
  return [
    ...(nodeEnv === "production" ? [`${given} only where NODE_ENV is not production`] : []),
    ...(partsBucket === undefined
      ? [`${given} only with CADASTRE_PARTS_BUCKET: a folder has no address`]
      : []),
    ...(isClear ? [`${given} only with an https address as CADASTRE_PARTS_ENDPOINT`] : []),
  ];
}

/** Refuses webhooks to loopback in production: a customer could make the service send requests to other local services (SSRF). */
const webhookFaults = (
  { webhookLoopback }: Readonly<Record<string, unknown>>,
  nodeEnv: string | undefined,
): readonly string[] =>
  webhookLoopback === true && nodeEnv === "production"
    ? ["CADASTRE_WEBHOOK_LOOPBACK must be false with NODE_ENV=production"]
    : [];

const replicaFaults = ({ readUrls, databaseUrl }: Readonly<Record<string, unknown>>): readonly string[] =>
  readUrls !== undefined && databaseUrl === undefined
    ? ["CADASTRE_READ_URLS may be set only with CADASTRE_DATABASE_URL, whose standbys they are"]
    : [];

const masterKeyFaults = ({
  masterKey,
  masterKeyFile,
}: Readonly<Record<string, unknown>>): readonly string[] =>
  masterKey !== undefined && masterKeyFile !== undefined
    ? ["CADASTRE_MASTER_KEY and CADASTRE_MASTER_KEY_FILE must not be set both"]
    : [];

/** @throws {ConfigError} if the file cannot be read or has no key; the message does not quote its content */
function readMasterKeys(file: string): MasterKeys {
  const fault = (reason: string) =>
    new ConfigError(`CADASTRE_MASTER_KEY_FILE must name a file with ${masterKeyForm}: ${file} ${reason}`);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw fault(`cannot be read: ${fileReason(error as NodeJS.ErrnoException)}`);
  }
  const keys = toMasterKeys(text);
  if (keys === undefined) throw fault("has something else");
  return keys;
}

/** Checks that the memory suffices for the processes that share it. */
const memoryFaults = ({ memory, processes }: Readonly<Record<string, unknown>>): readonly string[] => {
  const least = leastMemory * Number(processes);
  return typeof memory === "number" && memory < least
    ? [
        `CADASTRE_MEMORY must be at least ${least} with CADASTRE_PROCESSES of ${String(processes)}: ${leastMemory} for each, not \`${memory}\``,
      ]
    : [];
};

/** Refuses a share of traces that no sampler asks for: all traces would be recorded. */
const samplerFaults = ({
  tracesSampler,
  tracesSamplerArg,
}: Readonly<Record<string, unknown>>): readonly string[] =>
  tracesSamplerArg !== undefined && typeof tracesSampler === "string" && !tracesSampler.endsWith("ratio")
    ? [
        `OTEL_TRACES_SAMPLER_ARG may be set only with a sampler that has a share, such as \`parentbased_traceidratio\`, not with \`${tracesSampler}\``,
      ]
    : [];

const isTracingOff = ({ tracesExporter, telemetryDisabled }: Readonly<Record<string, unknown>>): boolean =>
  tracesExporter === "none" || telemetryDisabled === true;

const noPairs: ReadonlyMap<string, string> = new Map();

function tracingOf(values: Pick<Values, TracingMembers>): TracingOptions | undefined {
  const { otlpEndpoint, otlpTracesEndpoint } = values;
  const url =
    otlpTracesEndpoint ??
    (otlpEndpoint === undefined ? undefined : `${otlpEndpoint.replace(/\/$/, "")}/v1/traces`);
  if (url === undefined || isTracingOff(values)) return undefined;
  return {
    url,
    headers: () => values.otlpTracesHeaders ?? values.otlpHeaders ?? noPairs,
    compression: values.otlpCompression,
    timeout: values.otlpTimeout,
    sampler: values.tracesSampler,
    ratio: values.tracesSamplerArg ?? 1,
    trustsClients: values.trustTraceparent,
    resource: new Map([
      ["service.name", "cadastre"],
      ...(values.resourceAttributes ?? noPairs),
      ...(values.serviceName === undefined ? [] : [["service.name", values.serviceName] as const]),
    ]),
    delay: values.spanDelay,
    queue: values.spanQueue,
  };
}

function without<T extends object, Name extends keyof T>(values: T, names: readonly Name[]): Omit<T, Name> {
  const left: Partial<T> = { ...values };
  for (const name of names) delete left[name];
  return left as Omit<T, Name>;
}

function toConfig(all: Values): Config {
  const {
    keySet,
    issuer,
    audience,
    databaseUrl: url,
    readUrls,
    databaseConnections: connections,
    databaseStatements: statements,
    masterKey,
    masterKeyFile,
    secrets,
    signingKeys,
    ...values
  } = without(
    all,
    Object.values(tracingSettings).map(({ member }) => member),
  );
  const isWhole = keySet !== undefined && issuer !== undefined && audience !== undefined;
  return {
    ...values,
    tracing: tracingOf(all),
    trust: isWhole ? { keySet, issuer, audience } : undefined,
    postgres: url === undefined ? undefined : { url, readUrls, connections, statements },
    secretSources: {
      masterKeys: masterKeyFile === undefined ? masterKey : readMasterKeys(masterKeyFile),
      given: { secrets, signingKeys },
    },
  };
}
