import { leaveBody, readBody, retryAfter } from "@cadastre/client/http";
import { z } from "zod";
import { feedUrl, shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";
import { readSecretReference, type SecretReference } from "./secret-reference.ts";
import { TransientFeedError, toTransientError } from "./transient-feed-error.ts";

/** Credentials of a feed, by reference. */
export type FeedCredentials =
  /** Sent as `Authorization: Bearer`. */
  | { readonly kind: "bearer"; readonly secret: SecretReference }
  /** Sent as a header of this name. */
  | { readonly kind: "header"; readonly name: string; readonly secret: SecretReference }
  /** OAuth 2.0 client credentials. Source: RFC 6749, section 4.4. */
  | {
      readonly kind: "oauth2";
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly secret: SecretReference;
      readonly scope?: string | undefined;
    };

/** Authorizes the requests to a feed. */
export type FeedAuthorization = {
  /** Returns the headers of a request. Fetches a token if there is none that is valid. */
  readonly headers: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  /** Forgets what the feed has refused. Returns true if the next headers are other ones, so that it is worth another attempt. */
  readonly renew: () => boolean;
};

/** Returns the authorization for credentials. Secrets are read when they are needed, so that a replaced file takes effect. */
export function authorizationOf(credentials: FeedCredentials | undefined): FeedAuthorization | undefined {
  switch (credentials?.kind) {
    case undefined:
      return undefined;
    case "bearer":
      return fixedHeader(async () => ({
        authorization: `Bearer ${await readSecretReference(credentials.secret)}`,
      }));
    case "header":
      return fixedHeader(async () => ({ [credentials.name]: await readSecretReference(credentials.secret) }));
    case "oauth2":
      return clientCredentials(credentials);
  }
}

/**
 * Sends a request with the headers of an authorization. If the answer is 401 and the headers can be renewed, sends it once more: a token may
 * be revoked before it expires.
 */
export async function sendAuthorized(
  authorization: FeedAuthorization | undefined,
  signal: AbortSignal,
  send: (headers: Readonly<Record<string, string>>) => Promise<Response>,
): Promise<Response> {
  const response = await send({ ...(await authorization?.headers(signal)) });
  if (response.status !== 401 || authorization?.renew() !== true) return response;
  leaveBody(response.body);
  return send(await authorization.headers(signal));
}

const fixedHeader = (headers: FeedAuthorization["headers"]): FeedAuthorization => ({
  headers,
  renew: () => false,
});

type ClientCredentials = FeedCredentials & { readonly kind: "oauth2" };

const tokenForm = z.object({
  access_token: z.string().regex(/^[!-~]{1,16384}$/),
  expires_in: z.coerce.number().positive().optional(),
});

/** Time before its end at which a token is no longer used, in milliseconds, so that it does not expire on its way. */
const margin = 30_000;

/** Assumed life of a token whose server does not tell one, in milliseconds. */
const usualLife = 5 * 60_000;

/** Longest answer of a token server, in bytes. */
const maxTokenAnswer = 65_536;

function clientCredentials(credentials: ClientCredentials): FeedAuthorization {
  const url = feedUrl(credentials.tokenUrl, true);
  let token: { readonly text: string; readonly end: number } | undefined;
  return {
    headers: async (signal) => {
      if (token === undefined || token.end <= Date.now()) {
        const { access_token, expires_in } = await fetchToken(url, credentials, signal);
        const life = expires_in === undefined ? usualLife : expires_in * 1000;
        token = { text: access_token, end: Date.now() + Math.max(life / 2, life - margin) };
      }
      return { authorization: `Bearer ${token.text}` };
    },
    renew: () => {
      token = undefined;
      return true;
    },
  };
}

async function fetchToken(
  url: URL,
  { clientId, secret, scope }: ClientCredentials,
  signal: AbortSignal,
): Promise<z.output<typeof tokenForm>> {
  const encoded = [clientId, await readSecretReference(secret)].map(encodeURIComponent).join(":");
  const response = await fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json",
      authorization: `Basic ${Buffer.from(encoded).toString("base64")}`,
    },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      ...(scope === undefined ? {} : { scope }),
    }),
    redirect: "manual",
    signal,
  }).catch((error: unknown) => {
    throw toTransientError(error);
  });
  const { status, headers } = response;
  if (status !== 200) {
    leaveBody(response.body);
    const told = `the token server ${shown(url)} gave ${status}`;
    if (status === 429 || status >= 500)
      throw new TransientFeedError(told, retryAfter(headers.get("retry-after"), Date.now()));
    throw new FeedError(`${told}: check the client id, its secret, the scope and the address`);
  }
  const bytes = await readBody(response.body, { signal, most: maxTokenAnswer }).catch((error: unknown) => {
    throw toTransientError(error);
  });
  const read = tokenForm.safeParse(jsonOf(bytes?.toString("utf8") ?? ""));
  if (!read.success) throw new FeedError(`the token server ${shown(url)} gave no \`access_token\``);
  return read.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
