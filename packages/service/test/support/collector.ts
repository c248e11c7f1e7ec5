import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "vitest";

type KeyValue = {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
};

/** A span as it is sent by OTLP. */
type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code: number; readonly message?: string };
};

type OtlpRequest = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
};

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A received span, with those below it in the order in which they began. */
export type ReceivedSpan = Omit<OtlpSpan, "attributes"> & {
  readonly attributes: Attributes;
  readonly resource: Attributes;
  readonly children: readonly ReceivedSpan[];
};

/** A collector of traces on loopback: a plain HTTP server that decodes OTLP as JSON. */
export type Collector = {
  readonly url: string;
  /** Returns the decoded text of all that was received. */
  readonly text: () => string;
  readonly headers: () => readonly IncomingHttpHeaders[];
  /** Returns the traces whose root has the name. */
  readonly traces: (name: string) => readonly ReceivedSpan[];
  /** Waits for a trace whose root has the name. */
  readonly trace: (name: string) => Promise<ReceivedSpan>;
  readonly stop: () => Promise<void>;
};

const valuesOf = (attributes: readonly KeyValue[]): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

/** @param status of the answers; "none": never answers */
export async function startCollector(status: number | "none" = 200): Promise<Collector> {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const receive = async (req: IncomingMessage, res: ServerResponse) => {
    const body = await buffer(req);
    headers.push({ ...req.headers, ":path": req.url });
    bodies.push((req.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString());
    if (status !== "none") res.writeHead(status, { "content-type": "application/json" }).end("{}");
  };
  const server = createServer((req, res) => void receive(req, res));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;

  const traces = (name: string): readonly ReceivedSpan[] => {
    const spans = bodies.flatMap((body) =>
      (JSON.parse(body) as OtlpRequest).resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap(({ spans: sent }) =>
          sent.map((span) => ({ ...span, resource: valuesOf(resource.attributes) })),
        ),
      ),
    );
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const treeOf = (span: (typeof spans)[number]): ReceivedSpan => ({
      ...span,
      attributes: valuesOf(span.attributes),
      children: spans
        .filter(({ parentSpanId }) => parentSpanId === span.spanId)
        .toSorted((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1))
        .map(treeOf),
    });
    return spans.filter((span) => span.name === name && !ids.has(span.parentSpanId ?? "")).map(treeOf);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    text: () => bodies.join("\n"),
    headers: () => headers,
    traces,
    trace: async (name) => {
      await expect.poll(() => traces(name).length, { timeout: 20_000 }).toBeGreaterThan(0);
      const [found] = traces(name);
      if (found === undefined) throw new RangeError(`no trace \`${name}\``);
      return found;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Writes the names of a tree: `run(compile wait query)`. */
export const namesOf = ({ name, children }: ReceivedSpan): string =>
  children.length === 0 ? name : `${name}(${children.map(namesOf).join(" ")})`;

/** Returns the first span of the name in a tree. */
export function spanIn(tree: ReceivedSpan, name: string): ReceivedSpan {
  const found = [tree, ...tree.children.flatMap(flat)].find((span) => span.name === name);
  if (found === undefined) throw new RangeError(`no span \`${name}\` in ${namesOf(tree)}`);
  return found;
}

const flat = (span: ReceivedSpan): readonly ReceivedSpan[] => [span, ...span.children.flatMap(flat)];
