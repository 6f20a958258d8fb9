import { z } from "zod";
import { hearingRate } from "./utterance-detector.ts";

/** An OpenAI-compatible endpoint of one kind. */
export type SpeechEndpoint = { baseUrl: string; model: string; apiKey: string | undefined };

/** Speech recognition and synthesis of the agent; without the first it cannot hear, without the second it only writes. */
export type SpeechOptions = {
  hear: SpeechEndpoint | undefined;
  speak: (SpeechEndpoint & { voice: string }) | undefined;
};

const answerMs = 30_000;
/** Longest text that the speech endpoints accept, in characters. */
const longestSpoken = 4_096;
/** Sample rate of speech in Hz, as `pcm` defines it. */
export const speakingRate = 24_000;

const transcription = z.object({ text: z.string() });

/** Transcribe an utterance; returns an empty text if it contains no words. @throws Error when the endpoint fails */
export async function transcribe(endpoint: SpeechEndpoint, samples: Int16Array, signal: AbortSignal): Promise<string> {
  const form = new FormData();
  form.set("file", new Blob([wavOf(samples)], { type: "audio/wav" }), "speech.wav");
  form.set("model", endpoint.model);
  form.set("response_format", "json");
  const response = await ask(endpoint, "/audio/transcriptions", { body: form }, signal);
  return transcription.parse(await response.json()).text.trim();
}

/** Synthesise speech. @returns samples, 24 kHz and one channel @throws Error when the endpoint fails */
export async function synthesise(
  endpoint: SpeechEndpoint & { voice: string },
  text: string,
  signal: AbortSignal,
): Promise<Int16Array> {
  const { model, voice } = endpoint;
  const body = JSON.stringify({ model, voice, input: text.slice(0, longestSpoken), response_format: "pcm" });
  const init = { body, headers: { "content-type": "application/json" } };
  const bytes = Buffer.from(await (await ask(endpoint, "/audio/speech", init, signal)).arrayBuffer());
  const samples = new Int16Array(bytes.length >> 1);
  for (let i = 0; i < samples.length; i += 1) samples[i] = bytes.readInt16LE(i * 2);
  return samples;
}

async function ask(
  { baseUrl, apiKey }: SpeechEndpoint,
  path: string,
  { body, headers = {} }: { body: BodyInit; headers?: Record<string, string> },
  signal: AbortSignal,
): Promise<Response> {
  const authorization: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${baseUrl}${path}`, {
    method: "POST",
    body,
    headers: { ...authorization, ...headers },
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  });
  if (!response.ok) throw new Error(`The speech endpoint responded with ${response.status}.`);
  return response;
}

/** Prepend the header of a WAV file (RIFF, PCM) to samples. */
function wavOf(samples: Int16Array): Buffer<ArrayBuffer> {
  const wav = Buffer.alloc(44 + samples.length * 2);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(hearingRate, 24);
  wav.writeUInt32LE(hearingRate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(samples.length * 2, 40);
  for (const [i, sample] of samples.entries()) wav.writeInt16LE(sample, 44 + i * 2);
  return wav;
}
