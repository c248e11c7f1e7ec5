/** Ranges of the packages that a server is written for, by name. */
export const packageVersions = {
  "@hono/node-server": "^2.1.9",
  "@types/better-sqlite3": "^9.6.0",
  "@types/express": "^5.0.6",
  "@types/node": "^20.19.43",
  "@types/pg": "^8.23.1",
  "better-sqlite3": "^12.11.1",
  express: "^5.3.0",
  hono: "^4.13.19",
  pg: "^8.23.1",
  tsx: "^4.23.15",
  typescript: "^6.0.3",
} as const satisfies Readonly<Record<string, string>>;

export type PackageName = keyof typeof packageVersions;
