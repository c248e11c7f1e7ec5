import { type Answer, answerRead, slicesOf } from "@cadastre/server/parts";
import { odataRoot } from "../http/odata-protocol.ts";
import { sessionOf } from "../odata/services.ts";
import type { ToolCall } from "./tool.ts";

/** Query options by name; those that are undefined are left out. */
type Options = Readonly<Record<string, string | number | undefined>>;

/** Text of an answer, and true if another page follows it. */
export type OdataText = { readonly text: string; readonly hasMore: boolean };

/** Answers an OData read as the routes under `/reso/odata` do. */
export async function readOdata(path: string, options: Options, call: ToolCall): Promise<OdataText> {
  const { services, settings, scope, stages, clientGone, onOptions } = call;
  const query = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&");
  const answer = await answerRead(
    path,
    {
      root: odataRoot,
      query,
      version: "4.01",
      header: () => undefined,
      stages,
      clientGone,
      onAddress: () => {},
      onOptions,
    },
    sessionOf(services, settings, { scope, stages }),
  );
  return { text: bodyText(answer), hasMore: answer.headers?.["link"] !== undefined };
}

/** Returns the body of an answer, and releases its memory. */
export function bodyText({ body, release }: Answer): string {
  try {
    return Buffer.concat([...slicesOf(body)]).toString("utf8");
  } finally {
    release?.();
  }
}
