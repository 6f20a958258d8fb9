import { z } from "zod";
import { addressVariable } from "../../../platform/values/url-parts.ts";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";

const configSchema = z.object({
  STT_BASE_URL: addressVariable.optional(),
  STT_MODEL: z.string().min(1).default("whisper-1"),
  STT_API_KEY: z.string().min(1).optional(),
  TTS_BASE_URL: addressVariable.optional(),
  TTS_MODEL: z.string().min(1).default("tts-1"),
  TTS_VOICE: z.string().min(1).default("alloy"),
  TTS_API_KEY: z.string().min(1).optional(),
});
type Config = z.output<typeof configSchema>;

const inCall =
  "The user speaks to you in a live call and hears your answer. Answer in a few short sentences without lists or markup.";

export const calls = defineOraclePlugin<Services, typeof configSchema>({
  name: "calls",
  version: "1.0.0",
  manifest: {
    title: "Live calls",
    summary: "Takes part in live voice and video calls: hears the user and answers.",
    whenToUse: ["when the user calls"],
    tags: ["call", "voice", "video", "live"],
    category: "communication",
    visibility: "silent",
  },
  configSchema,
  getMiddlewares: () => [{ prompt: ({ metadata }) => (metadata?.callId === undefined ? undefined : inCall) }],
  getSpeech: ({ config }) => ({ hear: hearingOf(config), speak: speakingOf(config) }),
});

function hearingOf({ STT_BASE_URL: baseUrl, STT_MODEL: model, STT_API_KEY: apiKey }: Config) {
  return baseUrl === undefined ? undefined : { baseUrl, model, apiKey };
}

function speakingOf({ TTS_BASE_URL: baseUrl, TTS_MODEL: model, TTS_VOICE: voice, TTS_API_KEY: apiKey }: Config) {
  return baseUrl === undefined ? undefined : { baseUrl, model, voice, apiKey };
}
