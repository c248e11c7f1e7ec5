import pg from "pg";

/** Creates a pool for a server that is stopped after it: ending a pool does not wait for its connections, which the server may end first. */
export const testPool = (config: pg.PoolConfig): pg.Pool =>
  new pg.Pool(config).on("error", () => {}).on("connect", (client) => void client.on("error", () => {}));
