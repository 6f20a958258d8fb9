import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import type { ResultDocument } from "../result/document.ts";
import type { RoomFile } from "./room-file.ts";

/** A closed campaign with its stored result. */
export type ClosedCampaign = {
  row: CampaignRow;
  /** The result whose hash is on chain. */
  document: ResultDocument;
};

/**
 * A part of a data room: some of its files. The same state of the campaign gives the same files, byte by byte. A part names no
 * household, except where a claim's own file does.
 */
export type DataRoomPart = (deps: CampaignDeps, closed: ClosedCampaign) => Promise<RoomFile[]>;
