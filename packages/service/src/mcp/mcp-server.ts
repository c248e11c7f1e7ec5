import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Refused } from "../errors.ts";
import { type PublicError, toPublicError } from "../http/error-body.ts";
import { release } from "../release.ts";
import { describeTool } from "./describe-tool.ts";
import { countTool, queryTool } from "./query-tools.ts";
import { coverageTool, propertyTool } from "./record-tools.ts";
import type { Tool, ToolCall } from "./tool.ts";

const tools: readonly Tool[] = [describeTool, queryTool, countTool, propertyTool, coverageTool];

const instructions =
  "Real-estate listings that the key sees. Call describe before you use a field. Counts and rows cover only what the key may read.";

/** Answer of the server as HTTP. */
export type McpAnswer = { readonly status: number; readonly contentType: string; readonly body: string };

/** A call, except for the texts of its options. */
export type McpCall = Omit<ToolCall, "onOptions"> & {
  /** Called with an error that a tool answers, and the part of it that the client sees. */
  readonly onError: (error: unknown, shown: PublicError) => void;
};

/**
 * Answers a message of the Model Context Protocol (streamable HTTP, without sessions).
 *
 * @param headers headers of the request that the protocol reads
 * @param message the parsed body
 */
export async function answerMcp(
  headers: Readonly<Record<string, string>>,
  message: unknown,
  call: McpCall,
): Promise<McpAnswer> {
  const server = new Server(
    { name: "cadastre", version: release },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator: noValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ run: _run, inputSchema, ...tool }) => ({
      ...tool,
      inputSchema: { type: "object" as const, ...inputSchema },
      annotations: { readOnlyHint: true },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(params.name, params.arguments ?? {}, call),
  );
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    const response = await transport.handleRequest(request, { parsedBody: message });
    const contentType = response.headers.get("content-type") ?? "application/json";
    return { status: response.status, contentType, body: await response.text() };
  } finally {
    await server.close();
  }
}

/** Only asks for input from the user would need one, and there are none. */
const noValidator = {
  getValidator: () => {
    throw new RangeError("nothing is asked of the user");
  },
};

/** Runs a tool. Its error becomes a result that the model can read and mend its call by. */
async function callTool(
  name: string,
  given: unknown,
  { onError, ...call }: McpCall,
): Promise<CallToolResult> {
  let texts: ReadonlyMap<string, string> | undefined;
  const onOptions = (decoded: ReadonlyMap<string, string>) => {
    texts = decoded;
  };
  try {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined)
      throw new Refused("not_found", { target: "name", allowed: tools.map((one) => one.name) });
    return { content: [{ type: "text", text: await tool.run(given, { ...call, onOptions }) }] };
  } catch (error) {
    const shown = toPublicError(error, texts);
    onError(error, shown);
    const { code, message, target, allowed, details } = shown;
    const text = JSON.stringify({ error: code, message, target, allowed, details });
    return { content: [{ type: "text", text }], isError: true };
  }
}
