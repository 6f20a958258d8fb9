import { type Overrides, useModels } from "@hearth/oracles-client-sdk";
import { sentences, withoutModel } from "./suggestions.ts";

type Props = { oracleDid: string; overrides: Overrides; onSend: (messages: string[]) => void };

/** Suggest messages while the thread is empty, and say so when the oracle has no language model. */
export function Welcome({ oracleDid, overrides, onSend }: Props) {
  const { models, isLoading } = useModels(oracleDid, overrides);
  if (isLoading) return null;
  const hasModel = models.some(({ isDefault, family }) => isDefault && family !== "offline");
  const suggestions = hasModel ? sentences : withoutModel;
  return (
    <section className="welcome">
      <h2>Ask the oracle</h2>
      {!hasModel && <NoModel />}
      <div className="suggestions">
        {Object.entries(suggestions).map(([name, messages]) => (
          <button key={name} type="button" title={messages.at(-1)} onClick={() => onSend(messages)}>
            {name}
          </button>
        ))}
      </div>
    </section>
  );
}

/** Say what an oracle without a language model understands. */
function NoModel() {
  return (
    <aside className="no-model" aria-label="No language model">
      <p>
        <strong>This oracle has no language model.</strong> By fixed rules it answers how many vouchers there are, the
        state of a voucher, what you are owed, what is wrong, where a record is, and the weather. The last three buttons
        send <code>/tool</code> commands, which use this page's own tools. Give it a model from any OpenAI-compatible
        server:
      </p>
      <pre>
        <code>LLM_BASE_URL=https://… LLM_MODEL=… LLM_API_KEY=… npm start</code>
      </pre>
    </aside>
  );
}
