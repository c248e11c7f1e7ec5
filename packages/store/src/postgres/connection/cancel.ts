/** The part of a `pg` client that says where its server is, and which of its sessions the client has. */
export type ServerAddress = {
  readonly host: string;
  readonly port: number;
  readonly ssl: unknown;
  readonly sslNegotiation?: string;
  /** The key of the session. A pooler makes up its own, and passes a request with it on. */
  readonly processID: number;
  readonly secretKey: number;
};

/** The part of a `pg` connection that sends a cancel request. */
type Wire = {
  readonly stream: { readonly destroy: () => void };
  readonly on: (event: string, listener: (error: Error) => void) => void;
  readonly connect: (port: number | string, host?: string) => void;
  readonly requestSsl: () => void;
  readonly cancel: (processID: number, secretKey: number) => void;
};

/**
 * Cancels the running statement of a session by a cancel request on a connection of its own, encrypted if the session is. Resolves when the
 * server has closed that connection: then it has passed the request on, so that it cannot cancel a statement that is sent afterwards.
 *
 * @param timeout milliseconds after which it no longer waits for the server and closes the connection itself
 */
export async function cancelStatement(address: ServerAddress, timeout: number): Promise<void> {
  const { host, port, ssl, sslNegotiation = "postgres", processID, secretKey } = address;
  // A service on SQLite does without the driver.
  const { default: pg } = await import("pg");
  const wire = new pg.Connection({ ssl, sslNegotiation } as object) as unknown as Wire;
  const cancel = () => wire.cancel(processID, secretKey);
  const end = ended(wire);
  const late = setTimeout(() => wire.stream.destroy(), timeout);
  if (ssl) {
    if (sslNegotiation !== "direct") wire.on("connect", () => wire.requestSsl());
    wire.on("sslconnect", cancel);
  } else wire.on("connect", cancel);
  if (host.startsWith("/")) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
  await end.finally(() => clearTimeout(late));
}

const ended = (wire: Wire): Promise<void> =>
  new Promise((resolve, reject) => {
    wire.on("error", reject);
    wire.on("end", () => resolve());
  });
