/** Returns the path of the service as clients see it, without a trailing slash: that of the configured base URL. */
export const rootPathOf = (baseUrl: string | undefined): string =>
  baseUrl === undefined ? "" : new URL(baseUrl).pathname.replace(/\/$/, "");
