import { z } from "zod";
import { changeOracleJson, readOracleJson } from "../host/json-file.ts";
import { roomFolder, type Services } from "../host/services.ts";

/** How a user wants the agent to behave. Every field is optional; changes are merged. */
export const preferenceChange = z
  .strictObject({
    agentName: z.string().max(80).describe("What the user calls the agent."),
    userName: z.string().max(80).describe("What the agent calls the user."),
    language: z.string().max(20).describe("Language of the answers, such as `en` or `fr`."),
    tone: z.string().max(80).describe("Such as `friendly` or `matter-of-fact`."),
    length: z.string().max(80).describe("Such as `short` or `detailed`."),
    format: z.string().max(80).describe("Such as `bullet points` or `prose`."),
    formality: z.enum([
      "casual",
      "friendly",
      "neutral",
      "semi-formal",
      "professional",
      "formal",
      "technical",
      "academic",
    ]),
    customInstructions: z.string().max(2000).describe("Anything else that the user asks for, in its own words."),
  })
  .partial();

export type PreferenceChange = z.output<typeof preferenceChange>;
/** `updatedAt`: ISO 8601. */
export type Preferences = PreferenceChange & { updatedAt: string };

/** The file whose versions are the history of a room's preferences. */
export const preferencesPath = (roomId: string) => `${roomFolder(roomId)}/preferences.json`;

/** Read the preferences of a room's user; null if nothing is set. */
export function readPreferences(services: Services, roomId: string): Promise<Preferences | null> {
  return readOracleJson<Preferences>(services, preferencesPath(roomId));
}

/** Merge changes into a room's preferences, as a new version. */
export function changePreferences(services: Services, roomId: string, change: PreferenceChange): Promise<Preferences> {
  const updatedAt = services.clock.now().toISOString();
  return changeOracleJson<Preferences>(services, preferencesPath(roomId), (current) => ({
    ...current,
    ...change,
    updatedAt,
  }));
}
