import { z } from "zod";
import type { FileTool } from "../../../platform/ports/files.ts";
import { refuseUrlParts } from "../../../platform/values/url-parts.ts";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool, type OracleTool } from "../host/tool.ts";
import { readAttachment } from "./attachments.ts";

const configSchema = z.object({
  MATRIX_HOMESERVER: z
    .url({ protocol: /^https?$/, error: "must be an http(s) URL" })
    .superRefine(refuseUrlParts(["query", "fragment"], ""))
    .optional(),
});

export const files = defineOraclePlugin<Services, typeof configSchema>({
  name: "files",
  version: "1.0.0",
  manifest: {
    title: "Files",
    summary: "Reads, finds and changes the user's own files, with their versions, as far as the user delegated that.",
    whenToUse: ["when the user asks to read, find, write, edit, move, delete or restore its files or their versions"],
    whenNotToUse: ["for facts about the user: that is memory"],
    examples: ["What do my notes say about stoves?", "Restore version 2 of /docs/plan.md."],
    tags: ["files", "documents", "versions", "vfs"],
    category: "data",
    visibility: "always",
  },
  configSchema,
  getTools: ({ services, config }) => [
    ...services.files.tools.map((tool) => toOracleTool(services, tool)),
    defineOracleTool({
      name: "read_attachment",
      description: "The text of a file that is attached to the user's message, by its name.",
      inputSchema: z.strictObject({ filename: z.string().min(1).max(255) }),
      destructive: false,
      readOnly: true,
      run: ({ ctx, input }) => readAttachment(services, ctx, input.filename, { homeServer: config.MATRIX_HOMESERVER }),
    }),
  ],
});

/** A tool that agents also have at /mcp; here the user's delegation is its token. */
function toOracleTool(services: Services, tool: FileTool): OracleTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: { jsonSchema: tool.inputSchema },
    destructive: tool.destructive,
    readOnly: tool.readOnly,
    run: async ({ ctx, input }) => tool.call(await services.userFiles(ctx), input),
  };
}
