import { resolve } from "node:path";
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import type { FeedCredentials } from "../replicate/authorization.ts";
import { feedUrl } from "../replicate/feed.ts";
import type { SecretReference } from "../replicate/secret-reference.ts";
import { WrongUsage } from "./outcome.ts";

/** Options with the credentials of a feed. Secrets are never arguments, because other users of the machine can read those. */
export type CredentialOptions = {
  readonly tokenFile?: string;
  readonly tokenEnv?: string;
  readonly headerName?: string;
  readonly keyFile?: string;
  readonly keyEnv?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly clientSecretEnv?: string;
  readonly scope?: string;
};

/** Adds the options with the credentials of a feed to a command. */
export const withCredentialOptions = (command: Command): Command =>
  command
    .option("--token-file <file>", "file with a token, sent as `Authorization: Bearer`")
    .option("--token-env <name>", "variable with a token, sent as `Authorization: Bearer`")
    .option("--key-file <file>", "file with a key, sent as a token or in the header of --header-name")
    .option("--key-env <name>", "variable with a key, sent as a token or in the header of --header-name")
    .option("--header-name <name>", "header for the key", parseHeaderName)
    .option("--token-url <url>", "OAuth 2.0 token endpoint, for client credentials")
    .option("--client-id <id>", "client id for the token endpoint")
    .option("--client-secret-file <file>", "file with the client secret")
    .option("--client-secret-env <name>", "variable with the client secret")
    .option("--scope <scope>", "scope to ask the token endpoint for");

function parseHeaderName(text: string): string {
  if (/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the name of an HTTP header, such as X-Api-Key.");
}

/**
 * Returns the credentials that the options refer to.
 *
 * @throws {WrongUsage} if options of several kinds of credentials are mixed, or one is missing
 */
export function credentialsOf(options: CredentialOptions): FeedCredentials | undefined {
  const { headerName, tokenUrl, clientId, scope } = options;
  const token = referenceOf(options.tokenFile, options.tokenEnv, "--token-file and --token-env");
  const key = referenceOf(options.keyFile, options.keyEnv, "--key-file and --key-env");
  const secret = referenceOf(
    options.clientSecretFile,
    options.clientSecretEnv,
    "--client-secret-file and --client-secret-env",
  );
  const isKey = key !== undefined || headerName !== undefined;
  const isOauth = [tokenUrl, clientId, secret, scope].some((one) => one !== undefined);
  if ([token !== undefined, isKey, isOauth].filter(Boolean).length > 1)
    throw new WrongUsage(
      "give one kind of credentials: --token-file or --token-env; --key-file or --key-env, with --header-name if it is not sent as a token; or --token-url with --client-id and --client-secret-file or --client-secret-env",
    );
  if (token !== undefined) return { kind: "bearer", secret: token };
  if (isKey) {
    if (key === undefined) throw new WrongUsage("--header-name needs --key-file or --key-env");
    return headerName === undefined
      ? { kind: "bearer", secret: key }
      : { kind: "header", name: headerName, secret: key };
  }
  if (!isOauth) return undefined;
  if (tokenUrl === undefined || clientId === undefined || secret === undefined)
    throw new WrongUsage(
      "client credentials need --token-url, --client-id, and --client-secret-file or --client-secret-env",
    );
  feedUrl(tokenUrl, true);
  return { kind: "oauth2", tokenUrl, clientId, secret, ...(scope === undefined ? {} : { scope }) };
}

function referenceOf(
  file: string | undefined,
  env: string | undefined,
  both: string,
): SecretReference | undefined {
  if (file !== undefined && env !== undefined) throw new WrongUsage(`give one of ${both}`);
  if (file !== undefined) return { file: resolve(file) };
  return env === undefined ? undefined : { env };
}
