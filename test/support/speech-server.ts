import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type Heard = { model: string; authorization: string | undefined; wav: Buffer };
export type Spoken = { model: string; voice: string; input: string; response_format: string };

export type SpeechServer = {
  /** For STT_BASE_URL and TTS_BASE_URL. */
  url: string;
  /** Every utterance so far, as it came. */
  heard: Heard[];
  spoken: Spoken[];
  /** What the next utterance says; a status is answered instead. */
  words: (heard: Heard, n: number) => string | { status: number };
  /** Whether it has no voice just now. */
  failsToSpeak: boolean;
  close: () => Promise<void>;
};

/**
 * A server that speaks the OpenAI-compatible protocols of speech over real HTTP: hears what a script says was said, and
 * speaks a tone. A fake of the two models, and of nothing else.
 */
export async function startSpeechServer(words: SpeechServer["words"]): Promise<SpeechServer> {
  const speech: SpeechServer = { url: "", heard: [], spoken: [], words, failsToSpeak: false, close: async () => {} };
  const server = createServer(async (request, response) => {
    const body = await bytesOf(request);
    if (request.url === "/v1/audio/transcriptions") {
      const headers = { "content-type": request.headers["content-type"] ?? "" };
      const form = await new Response(body, { headers }).formData();
      const wav = Buffer.from(await (form.get("file") as File).arrayBuffer());
      const heard = { model: String(form.get("model")), authorization: request.headers.authorization, wav };
      const said = speech.words(heard, speech.heard.push(heard) - 1);
      if (typeof said === "object") response.writeHead(said.status).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ text: said }));
    } else if (request.url === "/v1/audio/speech") {
      if (speech.failsToSpeak) return void response.writeHead(503).end();
      speech.spoken.push(JSON.parse(body.toString()) as Spoken);
      response.writeHead(200, { "content-type": "audio/pcm" }).end(tone(24_000, 3));
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  speech.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  speech.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return speech;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function tone(rate: number, seconds: number): Buffer {
  return pcmOf(rate * seconds, (i) => 8_000 * Math.sin((2 * Math.PI * 440 * i) / rate));
}

function pcmOf(samples: number, at: (i: number) => number): Buffer {
  const pcm = Buffer.alloc(samples * 2);
  for (let i = 0; i < samples; i += 1) pcm.writeInt16LE(Math.round(at(i)), i * 2);
  return pcm;
}

/** A WAV file in which a hum with the rhythm of syllables, as a voice's, is between two silences. */
export function speechLikeWav({ rate = 48_000, before = 0.5, voice = 1.5, after = 2.5 } = {}): Buffer {
  const pcm = pcmOf((before + voice + after) * rate, (i) => {
    const t = i / rate - before;
    if (t < 0 || t > voice) return 0;
    const loudness = 0.55 + 0.45 * Math.sin(2 * Math.PI * 4 * t);
    let sum = 0;
    for (let k = 1; k < 20; k += 1) sum += Math.sin(2 * Math.PI * 140 * k * t) / k;
    return 6_000 * loudness * sum;
  });
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(pcm.length + 36, 4);
  header.write("WAVEfmt ", 8);
  for (const [at, value] of [
    [16, 16],
    [24, rate],
    [28, rate * 2],
    [40, pcm.length],
  ] as const)
    header.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    header.writeUInt16LE(value, at);
  header.write("data", 36);
  return Buffer.concat([header, pcm]);
}
