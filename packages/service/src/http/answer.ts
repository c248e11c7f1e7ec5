import type { Response } from "express";

/** What a route answers with: a body in full, and how it is to be read. The status is 200. */
export type Answer = {
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export function sendAnswer(res: Response, { contentType, body, headers = {} }: Answer): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  sendBody(res, contentType, body);
}

/** Express would add a charset to the media type; JSON and XML say theirs themselves. */
export function sendBody(res: Response, contentType: string, body: string): void {
  const bytes = Buffer.from(body);
  res.setHeader("content-type", contentType);
  res.setHeader("content-length", bytes.length);
  // Node leaves the body out of the answer to HEAD.
  res.end(bytes);
}
