/** The one version whose bytes are known. */
export const duckdbVersion = "v1.5.6";
