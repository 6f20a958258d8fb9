import type { Agent, ModelCard } from "./turn.ts";

const offline: ModelCard = {
  id: "offline",
  label: "Offline",
  family: "rules",
  tier: "free",
  costLabel: "free",
  badge: null,
  blurb: "No language model: answers from rules, and says so.",
  vision: false,
  pricing: null,
  isDefault: true,
};

/** The answer where no model server is configured: it says that, and nothing that it does not know. */
export const offlineAgent: Agent = {
  models: () => [offline],
  async runTurn({ message, emit }) {
    emit({ type: "text", delta: "I am the offline model: no language model is configured here. " });
    emit({ type: "text", delta: `You wrote ${message.length} characters.` });
    return {};
  },
};
