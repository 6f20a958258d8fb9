import { english } from "./english.ts";
import { french } from "./french.ts";
import { portuguese } from "./portuguese.ts";
import { swahili } from "./swahili.ts";
import type { Language, Words } from "./words.ts";

export const wordsIn: Record<Language, Words> = { en: english, fr: french, pt: portuguese, sw: swahili };
