import { AppError, type ErrorCode, statusByCode } from "../../platform/errors.ts";
import { notFound } from "../../platform/ucan/index.ts";
import type { BatchItem, BatchResult } from "../deps.ts";

/** Return the item of a batch of one. @throws AppError the item's error */
export function onlyItem<Item extends BatchItem>({ results: [item] }: BatchResult<Item>): Item {
  if (item === undefined) throw new Error("A batch of one came back empty.");
  if (item.ok) return item;
  if (item.code === undefined || !isErrorCode(item.code) || item.code === "NOT_FOUND") throw notFound();
  const message = item.error ?? "The file cannot be changed in this way.";
  throw new AppError(item.code, message, { details: [{ path: "id", rule: "item", message }] });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(statusByCode, code);
}
