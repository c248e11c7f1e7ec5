/** Keeps DuckDB from downloading extensions, and from loading those that lie in the user's home folder. */
export const offlineSettings = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
} as const;
