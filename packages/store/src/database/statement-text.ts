import type { SqlFragment } from "@cadastre/odata";
import { render } from "@cadastre/odata/run";

/** Returns the SQL text of a statement with `?` for each value, as SQLite and Knex accept it. A literal `?` is not escaped. */
export const statementText = (statement: SqlFragment): string => render(statement, () => "?").text;
