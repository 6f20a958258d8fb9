import { z } from "zod";
import { filePath as parsedFile, folderPath as parsedFolder } from "../http/schemas.ts";

// The tools' fields: they have the rules of the REST routes, and descriptions for agents.

export const filePath = parsedFile.describe("Absolute path of the file, such as `/reports/2026/kpt.csv`.");
export const destinationPath = parsedFile.describe("The whole new path, including the name.");
export const folderPath = parsedFolder
  .default("/")
  .describe("Absolute path of a folder; `/` (default) is the whole namespace.");

const maxVersion = 2_147_483_647;
export const version = z.number().int().min(1).max(maxVersion).describe("A number that vfs_versions lists.");

export const lines = {
  offset: z.number().int().min(1).max(maxVersion).default(1).describe("First line, from 1."),
  limit: z.number().int().min(1).max(5000).default(2000).describe("Most lines."),
};

export const pages = {
  limit: z.number().int().min(1).max(500).default(50).describe("Most items on the page."),
  cursor: z
    .string()
    .max(8192)
    .optional()
    .describe("The `nextCursor` of the previous page. A short or empty page may have one too."),
};

export const query = z.string().min(1).max(512);
export const glob = z.string().min(1).max(1024);
