/** Notices that the agent shows in captions, by the code that apps use to translate them. */
export const notices = {
  "cannot-hear":
    "I am in the call, but I cannot hear: no speech recognition is set up here. Type to me in the conversation instead.",
  "writes-only": "I am listening. I answer in writing: no voice is set up here.",
  "not-understood":
    "I could not understand that: the speech recognition does not answer. Please say it again, or type it.",
  "not-answered": "I could not answer that. Please say it again, or type it.",
  "no-voice": "I cannot speak just now: my voice does not answer. My answer is written here.",
  "payment-required": "This answer has to be paid for first. When you have paid, please say it again.",
} as const;

export type Notice = keyof typeof notices;
