/**
 * Answers OData requests as a fetch handler: in Hono, Bun, Deno and workers.
 *
 * @module
 */
import { type Piece, slicesOf } from "../answer/answer.ts";
import { odataService, type ServiceAnswer } from "../handler/odata-service.ts";
import type { ServiceOptions } from "../handler/service-options.ts";
import type { EntitySetDeclaration } from "../model/entity-set.ts";
import { readBodyText } from "../protocol/body-text.ts";
import type { HeaderReader } from "../protocol/version.ts";

/**
 * Returns a handler of requests below a path.
 *
 * @param path path of the service root, such as `/odata`
 * @throws {TypeError} if an option is not what it must be, declarations contradict each other, or the source cannot read them
 */
export function fetchOdata<const Sets extends readonly EntitySetDeclaration[]>(
  path: string,
  options: ServiceOptions<Request, Sets>,
): (request: Request) => Promise<Response> {
  const answer = odataService(options);
  const ownRoot = path.replace(/\/$/, "");
  return async (request) => {
    const { origin } = new URL(request.url);
    // `pathname` would change what is percent-encoded.
    const [given = "", ...rest] = request.url.slice(origin.length).split("#", 1).join("").split("?");
    if (given !== ownRoot && !given.startsWith(`${ownRoot}/`)) return new Response(null, { status: 404 });
    const below = given.slice(ownRoot.length);
    const header: HeaderReader = (name) => request.headers.get(name) ?? undefined;
    const pieces = () => (request.body ?? []) as AsyncIterable<Uint8Array>;
    const answered = await answer(
      {
        method: request.method,
        root: origin + ownRoot,
        ownRoot,
        path: below === "/" ? "" : below,
        query: rest.join("?"),
        header,
        body: (maxBytes) => readBodyText(pieces, header, maxBytes),
        clientGone: () => request.signal,
      },
      request,
    );
    return toResponse(answered);
  };
}

function toResponse({ status, contentType, headers, body, release }: ServiceAnswer): Response {
  const all = contentType === undefined ? headers : { ...headers, "content-type": contentType };
  if (typeof body !== "string" && !Array.isArray(body))
    return new Response(streamOf(body as AsyncIterable<Piece>), { status, headers: all });
  const bytes = Buffer.concat([...slicesOf(body as string)]);
  release?.();
  return new Response(contentType === undefined ? null : bytes, { status, headers: all });
}

const encoder = new TextEncoder();

function streamOf(pieces: AsyncIterable<Piece>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(typeof next.value === "string" ? encoder.encode(next.value) : next.value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
