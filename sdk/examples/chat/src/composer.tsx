import { type FormEvent, type KeyboardEvent, useState } from "react";

const load = (capability: string) => `/tool load_capability {"names":["${capability}"]}`;

/** What any oracle understands, also one without a language model: messages that are sent one after the other. */
const suggestions = {
  "Weather in Lusaka": [load("weather"), '/tool get_current_weather {"city":"Lusaka"}'],
  "Dark colours": [load("portal"), '/tool set_colours {"scheme":"dark"}'],
  "A bar chart": [
    load("agui"),
    '/tool show_bars {"title":"Fuel per day, kg","bars":[{"label":"Before","value":6.2},{"label":"After","value":3.1}]}',
  ],
  "A gauge": [
    load("agui"),
    '/tool render_component {"componentName":"Gauge","args":{"label":"Fuel saved","value":50}}',
  ],
};

type Props = { isSending: boolean; isEmpty: boolean; onSend: (messages: string[]) => void; onStop: () => void };

export function Composer({ isSending, isEmpty, onSend, onStop }: Props) {
  const [text, setText] = useState("");
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    onSend([text]);
    setText("");
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
  };
  return (
    <form onSubmit={send}>
      {isEmpty && (
        <div className="suggestions">
          {Object.entries(suggestions).map(([name, messages]) => (
            <button key={name} type="button" onClick={() => onSend(messages)}>
              {name}
            </button>
          ))}
        </div>
      )}
      <textarea
        {...{ "aria-label": "Message", placeholder: "Ask the oracle", rows: 2, value: text, onKeyDown: sendOnEnter }}
        onChange={(event) => setText(event.target.value)}
      />
      {isSending ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="primary">
          Send
        </button>
      )}
    </form>
  );
}
