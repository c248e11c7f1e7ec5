import { ClientError } from "../errors.ts";
import { databaseAddress, readTarget } from "../load/open-target.ts";
import { openPostgresSession } from "../load/postgres.ts";
import { openSqliteSession } from "../load/sqlite.ts";
import type { TablePlace } from "../load/table-place.ts";
import { folderReplica } from "./folder-replica.ts";
import type { Replica } from "./replica.ts";
import { replicaTables, sqlReplica } from "./sql-replica.ts";

/** Opens a replica in `folder:`, `sqlite:` or `postgres:`. */
export async function openReplica(target: string, place: TablePlace = {}): Promise<Replica> {
  const { scheme, rest } = readTarget(target, place);
  if (scheme === "folder") return folderReplica(rest);
  if (scheme === "sqlite") return sqlReplica(await openSqliteSession(rest, place), "text");
  if (scheme === "postgres")
    return sqlReplica(await openPostgresSession(databaseAddress(rest), place, replicaTables.ledger), "jsonb");
  throw new ClientError("format_not_loadable", {
    format: "a replica",
    targets: "a folder, SQLite or PostgreSQL",
  });
}
