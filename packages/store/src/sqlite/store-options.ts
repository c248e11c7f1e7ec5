import type { SchemaOptions } from "../database/schema-options.ts";
import type { QueryLimits } from "../read/customer-share.ts";
import type { StoredResource } from "../stored-resource.ts";

export type SqliteStoreOptions = SchemaOptions & {
  /** Path of the database file. It is created if it does not exist. */
  readonly file: string;
  readonly resources: readonly StoredResource[];
  /** Maximum number of reader threads. With 0, queries run on the calling thread, one at a time. By default 2. */
  readonly threads?: number | undefined;
  /** True to start a thread for look-ups at once, so that the first query does not wait until it runs. By default it is started by that query. */
  readonly startsThread?: boolean | undefined;
  /** Maximum heap size of each thread in megabytes. By default Node's limit. */
  readonly heap?: number | undefined;
  /** Size of the shared block in which each reader thread writes its answers, in bytes; those that find no place in it have buffers of their own. By default 64 MiB. */
  readonly buffers?: number | undefined;
  /** Length of the queue for look-ups, and of that for scans, from which a customer with a query in it is refused. By default 256. */
  readonly queue?: number | undefined;
  readonly limits?: QueryLimits | undefined;
  /** Timeout of a query in milliseconds, including the time in the queue. By default 10,000. */
  readonly timeout?: number | undefined;
  /** Size of the page cache of each reader thread, in bytes; it takes up memory once it is used. By default 32 MiB. */
  readonly pageCache?: number | undefined;
};
